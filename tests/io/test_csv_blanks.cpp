// Columns parted by runs of blanks: found where the table is plain to see, and nowhere else.

#include "tests/io/csv_text.h"

using namespace sg;
using namespace std::string_literals;

TEST_CASE("what numpy.savetxt writes is read with its header", "[io]") {
  const std::string rows =
      "1.000000000000000000e+00 2.500000000000000000e+00 -3.000000000000000000e+00\n"
      "4.000000000000000000e+00 nan 6.000000000000000000e+00\n";
  const CsvTable bare = read_csv(rows);
  CHECK(bare.dialect.delimiter == ' ');
  CHECK(names_of(bare) == std::vector<std::string>{"column_1", "column_2", "column_3"});
  CHECK(bare.columns[2].numbers == std::vector<float>{-3, 6});
  CHECK(bare.columns[1].stats.missing == 1);
  const CsvTable named = read_csv("# made for a test\n# time speed load\n" + rows);
  CHECK(names_of(named) == std::vector<std::string>{"time", "speed", "load"});
  CHECK(named.rows == 2);
  CHECK(named.line_of_row(0) == 3);
  CHECK(named.repairs.by_kind == std::map<std::string, uint64_t>{{"comment", 1}});
  const CsvTable unnamed = read_csv("# made for a test\n" + rows, csv_options_from_json({{"header", false}}));
  CHECK(unnamed.rows == 2);
  CHECK(names_of(unnamed) == names_of(bare));
}

TEST_CASE("any number of blanks is one delimiter, and those around a line are nothing", "[io]") {
  const CsvTable table = read_csv(
      "  day         temp   place \n"
      "  2020-01-01   1.5   \"san jose\"\n"
      "2020-01-02 \t 12.5\tbern\r\n"
      "\t2020-01-03 112.5   bern   ");
  CHECK(table.dialect.delimiter == ' ');
  CHECK(table.dialect.header);
  CHECK(names_of(table) == std::vector<std::string>{"day", "temp", "place"});
  CHECK(table.columns[0].type == ColumnType::datetime);
  CHECK(table.columns[1].numbers == std::vector<float>{1.5f, 12.5f, 112.5f});
  CHECK(table.preview[0][2] == "san jose");
  CHECK(table.preview[2] == std::vector<std::string>{"2020-01-03", "112.5", "bern"});
  CHECK(table.repairs.by_kind == std::map<std::string, uint64_t>{{"line_ends", 1}});
  CHECK(read_csv("1,5 2,25\n3,5 4,75\n").columns[1].numbers == std::vector<float>{2.25f, 4.75f});
}

TEST_CASE("a table between blanks is the same wherever it is cut", "[io]") {
  const std::string text = "# a  b \n 1\t 2  \n\n#\n \"3\"  4\r\n5 \"6\"\"\" \n7  8 9\n  ";
  const auto read = [&](size_t cut) {
    CsvReader reader(csv_options_from_json({{"delimiter", " "}}));
    reader.feed(as_bytes(text).first(cut));
    reader.feed(as_bytes(text).subspan(cut));
    return describe(reader.finish_csv()).dump();
  };
  CHECK(read(0).find("\"rows\":4") != std::string::npos);
  for (size_t cut = 1; cut < text.size(); ++cut) REQUIRE(read(cut) == read(0));
}

TEST_CASE("blanks part no columns where it is not plain to see", "[io]") {
  const std::vector<std::string> cases = {
      "2020-01-01 10:00\n2020-01-01 11:00\n2020-01-01 12:00\n",  // one datetime
      "price\n1 234\n12 345\n1 234 567\n",                       // one number with thousands
      "Room 12\nRoom 13\nRoom 14\n",                             // names
      "the first line\nhas three words\nlike all others\n",      // prose
      "1 2 3\n4 5\n6 7 8 9\n10\n11 12\n",                        // no width
      "station name\n1 2 3\n4 5 6\n7 8 9\n",                     // a first line of another width
  };
  for (const std::string& text : cases) {
    CAPTURE(text);
    CHECK(read_csv(text).columns.size() == 1);
  }
  for (const std::string text : {"a,b\n1 2,3 4\n5 6,7 8\n", "2020-01-01 10:00,1\n2020-01-02 10:00,2\n",
                                 "a;b\n1 000;2\n2 000;3\n", "1, 2\n3, 4\n", "1\t2 3\n4\t5 6\n", "# a,b\n1,2\n3,4\n"}) {
    CAPTURE(text);
    CHECK(read_csv(text).dialect.delimiter != ' ');
    CHECK(read_csv(text).columns.size() == 2);
  }
}

TEST_CASE("blanks can be chosen as the delimiter", "[io]") {
  const CsvTable table = read_csv("the first line\nhas three  words\n", csv_options_from_json({{"delimiter", " "}}));
  CHECK(table.columns.size() == 3);
}

// Every kind of mending is reported at its line and field, and every refusal names where.

#include <random>

#include "tests/io/csv_text.h"

using namespace sg;
using namespace std::string_literals;

namespace {

struct Case {
  std::string kind, text;
  uint64_t line, column, count;
};

}  // namespace

TEST_CASE("each repair is reported with its kind, line and field", "[io]") {
  const std::string rows = "5,6\n7,8\n9,10\n11,12\n13,14\n";
  const std::vector<Case> cases = {
      {"short_row", "a,b\n1,2\n3\n" + rows, 3, 2, 1},
      {"long_row", "a,b\n1,2\n3,4,5,6\n" + rows, 3, 3, 1},
      {"blank_line", "a,b\n1,2\n\n  \n3,4\n" + rows, 3, 0, 2},
      {"stray_quote", "a,b\n1,2\n3,4\" x\n" + rows, 3, 2, 1},
      {"stray_quote", "a,b\n1,2\n\"3\"0,4\n" + rows, 3, 1, 1},
      {"stray_quote", "a,b\n1,2\n\"3\" \"0\",4\n" + rows, 3, 1, 1},
      {"stray_quote", "a,b\n1,2\n5,\"3\"  x \"y\"\n" + rows, 3, 2, 1},
      {"comment", "# a b\n1 2\n# later on\n3 4\n#\n5 6\n", 3, 0, 2},
      {"nul_byte",
       "a,b\n1,2\n3,\0\0"
       "4\n"s +
           rows,
       3, 2, 1},
      {"bom",
       "\xEF\xBB\xBF"
       "a,b\n1,2\n" +
           rows,
       1, 0, 1},
      {"precision", "a,b\n1,1700000000000\n2,1700000060000\n3,1700000120000\n", 2, 2, 1},
      {"unparseable", "a,b\n1,2\n3,oops\n" + rows, 3, 2, 1},
      {"unparseable", "a,b\n1,2\n3,0x1F\n" + rows, 3, 2, 1},
      {"unparseable", "a,b\n1,2\n3,infinity\n" + rows, 3, 2, 1},
      {"unparseable", "a,b\n1,2\n3,1e39\n" + rows, 3, 2, 1},
      {"unparseable", "a,b\n\"1\",2\n\"x\ny\",4\n" + rows, 3, 1, 1},
      {"invalid_utf8", "a,b\nx,2\n\xC3,4\ny,1\n" + rows, 3, 1, 1},
      {"thousands", "a,b\n1,2\n3,\"1,234.5\"\n5,\"2,345\"\n" + rows, 3, 2, 1},
      {"ambiguous_number", "a;b\n1;1\n3;1,234\n" + rows.substr(0, 0) + "4;2,345\n", 3, 2, 1},
      {"header_duplicate", "a,a\n1,2\n" + rows, 1, 2, 1},
      {"header_empty", "a,,c\n1,2,3\n4,5,6\n", 1, 2, 1},
      {"header_short", "a\n1,2\n3,4\n", 1, 2, 1},
      {"line_ends", "a,b\n1,2\r\n" + rows, 2, 0, 1},
  };
  for (const Case& c : cases) {
    CAPTURE(c.kind, c.text);
    const CsvTable table = read_csv(c.text);
    const Repair& repair = repair_of(table, c.kind);
    CHECK(repair.line == c.line);
    CHECK(repair.column == c.column);
    CHECK_FALSE(repair.text.empty());
    CHECK(table.repairs.by_kind.at(c.kind) == c.count);
  }
}

TEST_CASE("what follows a closing quote stays as it stands, up to the delimiter", "[io]") {
  const CsvTable table = read_csv("a,b\n\"1\" \"2\",3\n\"4\"  five,6\n\"7\"\"8\" ,9\n \"x,y\"\"\" \"z\"\"\",2\n");
  std::vector<std::string> read;
  for (const auto& row : table.preview) read.push_back(row[0] + "|" + row[1]);
  CHECK(read == std::vector<std::string>{"1 \"2\"|3", "4  five|6", "7\"8|9", "x,y\" \"z\"\"\"|2"});
  CHECK(table.repairs.by_kind == std::map<std::string, uint64_t>{{"stray_quote", 3}});
}

TEST_CASE("mended rows keep their values in place", "[io]") {
  const CsvTable table = read_csv("a,b,c\n1,2,3\n4\n5,6,7,8\n9,10,11\n");
  CHECK(table.columns[0].numbers == std::vector<float>{1, 4, 5, 9});
  CHECK(std::isnan(table.columns[1].numbers[1]));
  CHECK(table.columns[2].numbers[2] == 7);
  CHECK(table.preview[1] == std::vector<std::string>{"4", "", ""});
  CHECK(table.preview[2] == std::vector<std::string>{"5", "6", "7"});
}

TEST_CASE("thousands marks are one kind for a column, another kind is unparseable", "[io]") {
  const CsvTable table = read_csv("v;w\n1'234.5;1\n999.5;2\n12'345.0;3\n1 234.5;4\n1'000;5\n1'001;6\n");
  CHECK(table.columns[0].numbers[0] == 1234.5f);
  CHECK(table.columns[0].numbers[1] == 999.5f);
  CHECK(std::isnan(table.columns[0].numbers[3]));
  CHECK(repair_of(table, "thousands").line == 2);
  CHECK(repair_of(table, "unparseable").line == 5);
}

TEST_CASE("an empty line in a table of one column is a missing value, at its end it is nothing", "[io]") {
  const CsvTable table = read_csv("v\n1\n\n3\n\n\n");
  CHECK(table.rows == 3);
  CHECK(table.columns[0].stats.missing == 1);
  CHECK(table.columns[0].numbers[2] == 3);
  CHECK(table.line_of_row(2) == 4);
  CHECK(table.repairs.total == 0);
  CHECK(read_csv("a,b\n1,2\n\n\n").repairs.total == 0);
}

TEST_CASE("names are made unique without taking a name that exists", "[io]") {
  const CsvTable table = read_csv("a,a,a_2,,column_4\n1,2,3,4,5\n6,7,8,9,10\n");
  std::vector<std::string> names;
  for (const Column& c : table.columns) names.push_back(c.name);
  CHECK(names == std::vector<std::string>{"a", "a_3", "a_2", "column_5", "column_4"});
  CHECK(table.index_of("a_2") == 2);
  CHECK_THROWS_WITH(table.index_of("zz"), Catch::Contains("'zz'") && Catch::Contains("'a_3'"));
}

TEST_CASE("a name that stands ten thousand times is numbered through", "[io]") {
  std::string names = "a,a_7", values = "1,2";
  for (size_t i = 2; i < 10'000; ++i) names += ",a", values += ",3";
  const CsvTable table = read_csv(names + "\n" + values + "\n" + values + "\n");
  CHECK(table.columns[2].name == "a_2");
  CHECK(table.columns[6].name == "a_6");
  CHECK(table.columns[7].name == "a_8");
  CHECK(table.columns[9'999].name == "a_10000");
  CHECK(describe(table)["preview"].size() == 2);
}

TEST_CASE("a wide table shows as many first rows as fit a page", "[io]") {
  const auto shown = [](size_t columns) {
    std::string row = "1";
    for (size_t i = 1; i < columns; ++i) row += ",1";
    return describe(read_csv(lines_of(50, [&](size_t) { return row; })))["preview"].size();
  };
  CHECK(shown(10) == 50);
  CHECK(shown(200) == 25);
  CHECK(shown(1000) == 5);
}

TEST_CASE("a hundred repairs are kept and all are counted", "[io]") {
  const CsvTable table = read_csv("a,b\n" + lines_of(400, [](size_t i) { return i % 2 ? "1,2" : "1"s; }));
  CHECK(table.repairs.total == 200);
  CHECK(table.repairs.by_kind.at("short_row") == 200);
  CHECK(table.repairs.first.size() == 100);
  CHECK(table.repairs.first[99].line == 2 + 2 * 99);
}

TEST_CASE("what is no table is refused with a code, a line and a reason", "[io]") {
  CHECK(csv_error("").code() == "csv.empty");
  CHECK(csv_error("\xEF\xBB\xBF").code() == "csv.empty");
  CHECK(csv_error("\n\n  \n").code() == "csv.empty");
  CHECK(csv_error("a,b\n").code() == "csv.no_rows");
  CHECK(csv_error("a,b").code() == "csv.no_rows");
  CHECK(csv_error("PK\x03\x04 xl/workbook").code() == "csv.binary");
  CHECK_THAT(csv_error("PK\x03\x04 xl/workbook").what(), Catch::Contains("Excel"));
  CHECK(csv_error(std::string(100'000, '\0')).code() == "csv.binary");
  std::mt19937 random(7);
  std::string noise(4096, ' ');
  for (char& c : noise) c = static_cast<char>(random());
  CHECK(csv_error(noise).code() == "csv.binary");

  const Error unclosed = csv_error("a,b\n1,2\n3,\"4\n5,6\n");
  CHECK(unclosed.code() == "csv.unclosed_quote");
  CHECK(unclosed.line() == 3);
  CHECK(unclosed.column() == 2);
  CHECK_THAT(unclosed.what(), Catch::Contains("line 3"));
  const Error late = csv_error("a,b\n1,2\n3,\"4\n" + lines_of(300'000, [](size_t) { return "5,6"s; }));
  CHECK(late.code() == "csv.unclosed_quote");
  CHECK(late.line() == 3);
}

TEST_CASE("a line over a mebibyte is refused before it is held", "[io]") {
  const std::string most(1024 * 1024 - 4, 'x');
  CHECK(read_csv("a,b\n1,2\n3," + most + "\n5,6\n", {}).rows == 3);
  const Error error = csv_error("a,b\n1,2\n3," + most + "yyyy\n5,6\n");
  CHECK(error.code() == "csv.line_too_long");
  CHECK(error.line() == 3);
  CsvReader endless;
  const std::string piece(65536, 'z');
  size_t fed = 0;
  CHECK_THROWS_AS(([&] {
                    for (; fed < 1000; ++fed) endless.feed(as_bytes(piece));
                  })(),
                  Error);
  CHECK(fed < 80);
}

TEST_CASE("ten thousand columns are read, one more is refused", "[io]") {
  const auto wide = [](size_t n) {
    std::string names, values;
    for (size_t i = 0; i < n; ++i) {
      names += (i ? ",c" : "c") + std::to_string(i);
      values += i ? ",1" : "1";
    }
    return names + "\n" + values + "\n" + values + "\n";
  };
  const CsvTable table = read_csv(wide(10'000));
  CHECK(table.columns.size() == 10'000);
  CHECK(table.columns.back().numbers == std::vector<float>{1, 1});
  CHECK(describe(table).dump().size() < 1'000'000);
  const Error error = csv_error(wide(10'001));
  CHECK(error.code() == "csv.too_many_columns");
  CHECK(error.line() == 1);
}

TEST_CASE("flipped, cut and repeated bytes give a table or an error, never a crash", "[io]") {
  const std::vector<std::string> seeds = {
      "a,b,c\n1,2.5,\"x,y\"\n2020-01-01,3,z\r\n\"q\"\"r\",,\n",
      "\xEF\xBB\xBFt;v\n01/02/2020;1.234,5\n13/02/2020;2,5\n",
      utf16("a\tb\n1\t2\n3\t4\n", true, true),
  };
  std::mt19937 random(20260730);
  size_t tables = 0, errors = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string text = seeds[random() % seeds.size()];
    for (unsigned n = 1 + random() % 6; n > 0; --n) {
      const size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text[at] = ",;\t|\"'\n\r\0 -."[random() % 12];
          break;
        case 2:
          text.erase(at, 1 + random() % 3);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), 1 + random() % 8));
      }
      if (text.empty()) text = "x";
    }
    CsvOptions options;
    if (random() % 2) options.sample_bytes = 16;
    try {
      const CsvTable table = read_csv(text, options);
      describe(table).dump();  // would throw on text that is not UTF-8
      for (const Column& c : table.columns) {
        REQUIRE(c.stats.count + c.stats.missing == table.rows);
        REQUIRE((c.type == ColumnType::text || c.numbers.size() + c.times.size() + c.codes.size() == table.rows));
      }
      ++tables;
    } catch (const Error&) {
      ++errors;
    }
  }
  CHECK(tables > 1000);
  CHECK(errors > 50);
}

TEST_CASE("large values that change enough for a float, and columns that never change, are not called lossy", "[io]") {
  const std::string text = "a,b,c\n16777217,1700000000000,1700000000000\n20000001,1800000000000,1700000000000\n";
  CHECK(read_csv(std::string_view(text)).repairs.by_kind.count("precision") == 0);
}

// What is sniffed: delimiter, quote, header, decimal comma, encoding, line ends; and that how the input is cut does not
// matter.

#include "tests/io/csv_text.h"

using namespace sg;
using namespace std::string_literals;

TEST_CASE("the delimiter is sniffed among comma, semicolon, tab and bar", "[io]") {
  for (const char delimiter : {',', ';', '\t', '|'}) {
    std::string text = "day,temp,place\n2020-01-01,1.5,a\n2020-01-02,2.5,b\n2020-01-03,3.5,a\n2020-01-04,1.5,b\n";
    for (char& c : text) c = c == ',' ? delimiter : c;
    const CsvTable table = read_csv(text);
    CAPTURE(delimiter);
    CHECK(table.dialect.delimiter == delimiter);
    CHECK(table.rows == 4);
    REQUIRE(table.columns.size() == 3);
    CHECK(table.columns[0].type == ColumnType::datetime);
    CHECK(table.columns[1].type == ColumnType::number);
    CHECK(table.columns[2].type == ColumnType::category);
    CHECK(table.columns[1].numbers == std::vector<float>{1.5f, 2.5f, 3.5f, 1.5f});
    CHECK(table.repairs.total == 0);
  }
}

TEST_CASE("a decimal comma is told from a delimiter, with and without a header", "[io]") {
  for (const std::string header : {"a;b\n", ""}) {
    const CsvTable table = read_csv(header + "1,5;2,25\n-0,5;1e3\n7;1.234,5\n0,1;0,2\n");
    CHECK(table.dialect.delimiter == ';');
    CHECK(table.dialect.decimal_comma);
    CHECK(table.dialect.header == !header.empty());
    REQUIRE(table.columns.size() == 2);
    CHECK(table.columns[0].numbers == std::vector<float>{1.5f, -0.5f, 7.0f, 0.1f});
    CHECK(table.columns[1].numbers == std::vector<float>{2.25f, 1000.0f, 1234.5f, 0.2f});
  }
}

TEST_CASE("quoted fields hold delimiters, quotes and line ends", "[io]") {
  const CsvTable table = read_csv("name,n\n\"a, \"\"b\"\"\nc\",1\n \"d\" ,2\nplain,3\n\"\",4\n");
  CHECK(table.preview[0] == std::vector<std::string>{"a, \"b\"\nc", "1"});
  CHECK(table.preview[1][0] == "d");
  CHECK(table.columns[0].stats.missing == 1);
  CHECK(table.repairs.total == 0);
  CHECK(table.line_of_row(0) == 2);
  CHECK(table.line_of_row(1) == 4);  // the first row took two lines
  CHECK(table.line_of_row(3) == 6);
}

TEST_CASE("single quotes quote when nothing else does", "[io]") {
  const CsvTable table = read_csv("name,n\n'a, b',1\n'c',2\n'd, e',3\n");
  CHECK(table.dialect.quote == '\'');
  CHECK(table.preview[0][0] == "a, b");
  const CsvTable apostrophes = read_csv("name,n\n'tis,1\nO'Neil,2\nx,3\n");
  CHECK(apostrophes.dialect.quote == '"');
  CHECK(apostrophes.preview[0][0] == "'tis");
}

TEST_CASE("a header is names over values, never a row of numbers", "[io]") {
  CHECK(read_csv("a,b\n1,2\n3,4\n").dialect.header);
  CHECK_FALSE(read_csv("1,2\n3,4\n").dialect.header);
  CHECK_FALSE(read_csv("1,2\n").dialect.header);
  CHECK_FALSE(read_csv("2020-01-01,5\n2020-01-02,6\n").dialect.header);
  CHECK_FALSE(read_csv("oops,5\n1,6\n2,7\n3,8\n").dialect.header);  // a bad cell in a row of numbers
  CHECK(read_csv("country,1990,1991\nFrance,1.5,2.5\nSpain,3.5,4.5\n", {}).columns.size() == 3);
  CHECK(read_csv("day,1990,1991\n2020-01-01,1.5,2.5\n2020-01-02,3.5,4.5\n").dialect.header);  // years name columns
  CHECK(read_csv("name,town\nann,york\nbob,bath\n").dialect.header);
  CHECK_FALSE(read_csv("red,dry\nblue,wet\nred,dry\n").dialect.header);  // the first row comes again
  const CsvTable bare = read_csv("1,2\n3,4\n");
  CHECK(bare.columns[0].name == "column_1");
  CHECK(bare.columns[1].name == "column_2");
  CHECK(bare.rows == 2);
  CHECK(bare.line_of_row(1) == 2);
}

TEST_CASE("line ends may be LF, CRLF, CR or a mix of them", "[io]") {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    const CsvTable table = read_csv("a,b" + end + "1,2" + end + "3,4" + end + "5,6");
    CHECK(table.rows == 3);
    CHECK(table.repairs.total == 0);
    CHECK(table.columns[1].numbers == std::vector<float>{2, 4, 6});
  }
  const CsvTable mixed = read_csv("a,b\n1,2\r\n3,4\r5,6\n");
  CHECK(mixed.rows == 3);
  CHECK(mixed.columns[1].numbers == std::vector<float>{2, 4, 6});
  CHECK(repair_of(mixed, "line_ends").line == 2);
  CHECK(mixed.repairs.by_kind.at("line_ends") == 1);
}

TEST_CASE("a byte order mark is dropped and UTF-16 is decoded, both with a note", "[io]") {
  const std::string text = "a,b\n1,2\n3,4\n";
  const CsvTable marked = read_csv("\xEF\xBB\xBF" + text);
  CHECK(marked.columns[0].name == "a");
  CHECK(repair_of(marked, "bom").line == 1);
  CHECK(marked.repairs.total == 1);
  for (const bool little : {true, false}) {
    for (const bool mark : {true, false}) {
      const CsvTable table = read_csv(utf16(text, little, mark));
      CHECK(table.dialect.encoding == (little ? Encoding::utf16le : Encoding::utf16be));
      CHECK(table.columns[1].numbers == std::vector<float>{2, 4});
      CHECK(table.columns[0].name == "a");
      CHECK(table.repairs.by_kind.count("bom") == (mark ? 1 : 0));
      CHECK(repair_of(table, "encoding").line == 1);
    }
  }
  const std::string emoji = "\xFF\xFE" + "n\0\n\0"s + "\x3D\xD8\x00\xDE"s + "\n\0"s + "\x3D\xD8"s + "x\0\n\0"s;
  const CsvTable pair = read_csv(emoji);
  CHECK(pair.preview[0][0] == "\xF0\x9F\x98\x80");
  CHECK(pair.preview[1][0] == "\xEF\xBF\xBDx");
  CHECK(repair_of(pair, "invalid_utf8").line == 3);
}

TEST_CASE("windows-1252 is decoded when it is asked for", "[io]") {
  CsvOptions options;
  options.encoding = Encoding::windows1252;
  const CsvTable table = read_csv("ort;preis\nK\xF6ln;5 \x80\nBonn;6 \x80\n", options);
  CHECK(table.preview[0] == std::vector<std::string>{"K\xC3\xB6ln", "5 \xE2\x82\xAC"});
}

TEST_CASE("options override what would be sniffed", "[io]") {
  CsvOptions options = csv_options_from_json(
      {{"delimiter", ";"}, {"quote", ""}, {"header", false}, {"decimalComma", true}, {"types", {{"1", "text"}}}});
  const CsvTable table = read_csv("\"a,b\";c\n1,5;2\n", options);
  CHECK(table.rows == 2);
  CHECK(table.preview[0][0] == "\"a,b\"");
  CHECK(table.columns[1].type == ColumnType::text);
  CHECK_FALSE(table.dialect.header);
  CHECK(csv_options_from_json({{"encoding", "utf-16le"}}).encoding == Encoding::utf16le);
  for (const auto& bad : std::vector<nlohmann::json>{{{"delimiter", ""}},
                                                     {{"delimiter", "ab"}},
                                                     {{"header", 1}},
                                                     {{"encoding", "ebcdic"}},
                                                     {{"types", {{"x", "text"}}}},
                                                     {{"types", {{"1", "colour"}}}},
                                                     {{"colour", "red"}},
                                                     {{"previewRows", -1}},
                                                     nlohmann::json::array()}) {
    CAPTURE(bad.dump());
    CHECK_THROWS_AS(csv_options_from_json(bad), Error);
  }
  CHECK_THROWS_WITH(read_csv("a,b\n1,2\n", csv_options_from_json({{"types", {{"2", "text"}}}})),
                    Catch::Contains("column 2"));
  CHECK_THROWS_AS(read_csv("a,b\n1,2\n", csv_options_from_json({{"delimiter", "|"}, {"quote", "|"}})), Error);
}

namespace {

const std::string kTricky =
    "\xEF\xBB\xBF"
    "when;wert;\"ort\"\"e\";note;\r\n"
    "01.02.2020 10:00;1.234,5;K\xC3\xB6ln;\"a;\r\nb\"\r"
    "02.02.2020;2,5;Bonn;5\" pipe;extra\n"
    "\n"
    "03.02.2020;x;K\xC3\xB6ln;\"q\"r\r\n"
    "04.02.2020;-0,25;Bonn\r\n"
    "05.02.2020;;Bonn;\xFF\r\n"
    "06.02.2020;\0"
    "7;K\xC3\xB6ln;\xE2\x82\xAC"s;

std::string whole_description(CsvReader& reader) {
  const CsvTable table = reader.finish_csv();
  nlohmann::json json = describe(table);
  for (const Column& c : table.columns) {
    nlohmann::json values = {{"codes", c.codes}, {"categories", c.categories}, {"times", c.times}, {"n", c.numbers}};
    json["values"].push_back(values);
  }
  json["jumps"] = table.line_jumps;
  return json.dump();
}

std::string read_in_pieces(const std::string& text, const std::vector<size_t>& cuts, size_t sample_bytes) {
  CsvOptions options;
  options.sample_bytes = sample_bytes;
  CsvReader reader(options);
  size_t at = 0;
  for (const size_t cut : cuts) {
    reader.feed(as_bytes(text).subspan(at, cut - at));
    at = cut;
  }
  reader.feed(as_bytes(text).subspan(at));
  return whole_description(reader);
}

}  // namespace

TEST_CASE("a table is the same wherever its bytes are cut", "[io]") {
  for (const size_t sample : {size_t{64 * 1024}, size_t{100}}) {
    const std::string whole = read_in_pieces(kTricky, {}, sample);
    CHECK(whole.find("\"rows\":6") != std::string::npos);
    std::vector<size_t> every;
    for (size_t i = 1; i < kTricky.size(); ++i) {
      every.push_back(i);
      CAPTURE(i);
      REQUIRE(read_in_pieces(kTricky, {i}, sample) == whole);
    }
    CHECK(read_in_pieces(kTricky, every, sample) == whole);
  }
  const std::string wide = "\xFE\xFF" + utf16("a,b\n1,2\n3,4\n5,x\n", false, false);
  const std::string whole = read_in_pieces(wide, {}, 64 * 1024);
  for (size_t i = 1; i < wide.size(); ++i) REQUIRE(read_in_pieces(wide, {i}, 64 * 1024) == whole);
}

TEST_CASE("the reader counts what it has seen and ends once", "[io]") {
  CsvReader reader;
  const std::string text = "a,b\n1,2\n3,4\n";
  reader.feed(as_bytes(text));
  CHECK(reader.bytes() == text.size());
  CHECK(reader.finish().rows == 2);
  CHECK_THROWS_AS(reader.feed(as_bytes(text)), Error);
  CHECK_THROWS_AS(reader.finish(), Error);

  CsvReader failed;
  const std::string bad = "a,b\n1,2\n" + std::string(2 * 1024 * 1024, 'x');
  CHECK_THROWS_AS(failed.feed(as_bytes(bad)), Error);
  CHECK_THROWS_AS(failed.finish(), Error);  // half a table must not pass for a whole one
}

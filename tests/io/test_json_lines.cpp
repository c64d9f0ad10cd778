// JSON Lines: what the rows become, what is mended or left out, what is refused; and arrays of objects, which mean the
// same.

#include "tests/io/chunks.h"
#include "tests/io/csv_text.h"

using namespace sg;
using namespace std::string_literals;

namespace {

std::string rows_of(size_t n) {
  return lines_of(n, [](size_t i) { return R"({"i":)" + std::to_string(i) + "}"; });
}

}  // namespace

TEST_CASE("Cells of JSON mean what cells of CSV mean", "[io][json]") {
  const Table table = check_reading(
      R"({"t":"2020-01-01","v":1.5,"n":null,"who":"ann","ok":true,"s":"12"}
{"t":"2020-01-02","v":-2e3,"n":7,"who":"bob","ok":false,"s":"13.5"}

{"t":"2020-01-03","v":"NA","n":8,"who":"ann","ok":true,"s":"x"}
{"t":"2020-01-04","v":4,"n":9,"who":"","ok":true,"s":"1e400"}
{"t":"2020-01-05","v":4,"n":9,"who":"bob","ok":null,"s":"16"}
{"t":"2020-01-06","v":4,"n":9,"who":"bob","ok":null,"s":"17"}
{"t":"2020-01-07","v":4,"n":9,"who":"bob","ok":null,"s":"17"}
{"t":"2020-01-08","v":4,"n":9,"who":"bob","ok":null,"s":"17"}
{"t":"2020-01-09","v":4,"n":9,"who":"bob","ok":null,"s":"17"}
{"t":"2020-01-10","v":4,"n":9,"who":"bob","ok":null,"s":"17"})",
      "a.jsonl");
  CHECK(names_of(table) == std::vector<std::string>{"t", "v", "n", "who", "ok", "s"});
  CHECK(table.columns[0].type == ColumnType::datetime);
  CHECK(table.columns[1].stats.missing == 1);
  CHECK(table.columns[1].stats.min == -2000);
  CHECK(table.columns[2].stats.missing == 1);
  CHECK(table.columns[3].categories == std::vector<std::string>{"ann", "bob"});
  CHECK(table.columns[4].categories == std::vector<std::string>{"true", "false"});
  CHECK(table.columns[5].type == ColumnType::number);
  CHECK(table.repairs.by_kind.at("unparseable") == 2);
  CHECK(repair_of(table, "unparseable").line == 4);
  CHECK(table.line_of_row(2) == 4);
}

TEST_CASE("Objects in objects and short arrays become columns with their path", "[io][json]") {
  const Table table = check_reading(
      "{\"a\":{\"b\":1,\"c\":{\"d\":2}},\"v\":[1,2],\"w\":[{\"x\":5},\"t\"]}\n{\"a\":{\"b\":3},\"v\":[4],\"z\":6}\n",
      "a.jsonl");
  CHECK(names_of(table) == std::vector<std::string>{"a.b", "a.c.d", "v.0", "v.1", "w.0.x", "w.1", "z"});
  CHECK(same_values(table.columns[3].numbers, {2, NAN}));
  CHECK(same_values(table.columns[6].numbers, {NAN, 6}));
}

TEST_CASE("Long arrays of one shape are elements, and a row of another shape lacks them", "[io][json]") {
  std::string text;
  for (int r = 0; r < 1000; ++r) {
    text += "{\"y\":" + std::to_string(r) + ",\"image\":[";
    for (int i = 0; i < 5; ++i) {
      text += (i ? ",[" : "[") + std::to_string(r % 5) + ",1," + (r % 5 == 3 && i == 2 ? "null" : "2.5") + ",-1]";
    }
    text += "]}\n";
  }
  text += "{\"y\":5,\"image\":[1,2]}\n{\"image\":3,\"y\":6}\n{\"y\":7}\n{\"y\":8,\"image\":[[1,2],[3]]}\n";
  const Table table = check_reading(text, "a.jsonl", {}, 300);
  CHECK(names_of(table) == std::vector<std::string>{"y", "image"});
  CHECK(table.columns[1].shape == std::vector<size_t>{5, 4});
  CHECK(table.columns[1].numbers.size() == 1004 * 20);
  CHECK(table.columns[1].numbers[20] == 1);
  CHECK(table.columns[1].stats.missing == 204);
  CHECK(table.repairs.by_kind.at("wrong_shape") == 3);
  CHECK(table.columns[0].stats.count == 1004);
}

TEST_CASE("A column that appears late is missing before, also in chunks", "[io][json]") {
  const std::string text = rows_of(50) + "{\"i\":50,\"late\":\"x\"}\n{\"i\":51,\"late\":\"x\"}\n" + rows_of(20);
  const Table table = check_reading(text, "a.jsonl", {{"types", {{"1", "category"}}}}, 160);
  REQUIRE(table.columns.size() == 2);
  CHECK(table.columns[1].codes.size() == 72);
  CHECK(table.columns[1].stats.missing == 70);
  CHECK(table.columns[1].codes[50] == 0);
  const std::string beyond_the_sample = rows_of(9000) + "{\"i\":1,\"late\":2}\n" + rows_of(3);
  CHECK(check_reading(beyond_the_sample, "a.jsonl", {}, 4096).columns[1].stats.missing == 9003);
}

TEST_CASE("Names that stand twice are told", "[io][json]") {
  const Table table =
      check_reading("{\"a\":1,\"a\":2}\n{\"a.b\":1,\"a\":{\"b\":3}}\n{\"o\":{\"x\":1},\"o\":{\"y\":2}}\n", "a.jsonl");
  CHECK(table.repairs.by_kind.at("duplicate_key") == 3);
  CHECK(table.columns[0].numbers[0] == 2);
  CHECK(table.columns[1].numbers[1] == 3);
}

TEST_CASE("Few bad lines are left out and told, many are refused with the first one's number", "[io][json]") {
  const Table cut = check_reading(rows_of(40) + "{\"i\":4", "a.jsonl");
  CHECK(cut.rows == 40);
  CHECK(repair_of(cut, "bad_line").line == 41);
  const Table one = check_reading(rows_of(3) + "not json\n" + rows_of(3), "a.jsonl");
  CHECK(one.rows == 6);
  CHECK(one.line_of_row(3) == 5);
  const Error half = read_error("{\"i\":1}\n{]\n{\"i\":1\n", "a.jsonl");
  CHECK(half.code() == "jsonl.bad_line");
  CHECK(half.line() == 2);
  const Error many = read_error(rows_of(500) + lines_of(11, [](size_t) { return "{"s; }) + rows_of(500), "a.jsonl");
  CHECK(many.line() == 501);
  CHECK(read_table(rows_of(5000) + lines_of(11, [](size_t) { return "{"s; }), "a.jsonl").rows == 5000);
  CHECK_THAT(read_error("{\n \"data\": [1, 2]\n}\n", "a.json").message(), Catch::Contains("line 1"));
}

TEST_CASE("What Python writes and JSON lacks is mended", "[io][json]") {
  const Table table = check_reading(
      "\xEF\xBB\xBF{\"v\":NaN,\"t\":\"a NaN, "
      "Infinity\"}\n{\"v\":-Infinity,\"t\":\"x\"}\n{\"v\":1e400}\n{\"v\":3,\"t\":\"\xC3(\"}\r\n" +
          lines_of(11, [](size_t) { return "{\"v\":3}"s; }),
      "a.jsonl", {{"types", {{"1", "category"}}}});
  CHECK(table.rows == 15);
  CHECK(same_values(table.columns[0].numbers, {NAN, NAN, NAN, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3}));
  CHECK(table.repairs.by_kind.at("bom") == 1);
  CHECK(table.repairs.by_kind.at("not_json") == 3);
  CHECK(table.repairs.by_kind.at("unparseable") == 2);
  CHECK(table.repairs.by_kind.at("invalid_utf8") == 1);
  CHECK(table.columns[1].categories[0] == "a NaN, Infinity");
}

TEST_CASE("An array of objects is read like lines, by the element", "[io][json]") {
  const std::string text = " [\n  {\"a\": 1, \"s\": \"}],[\\\"\"},\n  {\"a\":\n 2}\n,{\"a\":3}]\n ";
  const Table table = check_reading(text, "a.json");
  CHECK(table.columns[0].numbers == std::vector<float>{1, 2, 3});
  CHECK(table.line_of_row(1) == 3);
  CHECK(table.line_of_row(2) == 5);
  CHECK(table.facts["layout"] == "array");
  CHECK(table.repairs.total == 0);
  const Table cut = check_reading("[{\"a\":1},{\"a\":2},{\"a\":3},{\"a", "a.json");
  CHECK(cut.rows == 3);
  CHECK(cut.repairs.by_kind.at("truncated") == 1);
  CHECK(read_error("[{\"a\":1}]\n{\"a\":2}", "a.json").code() == "jsonl.bad_line");
  CHECK(check_reading("[[1,2],[3,4]]", "a.json").columns[1].numbers == std::vector<float>{2, 4});
  CHECK(check_reading("[1,2]\n[3,4]\n", "a.jsonl").columns[1].name == "column_2");
  CHECK(check_reading("1\n2\n", "a.jsonl").columns[0].name == "value");
}

TEST_CASE("Rows without bounds are refused or left out", "[io][json]") {
  const std::string key(600, 'k');
  const std::string deep = "{\"a\":" + std::string(40, '[') + std::string(40, ']') + "}\n";
  std::string many = "{\"a\":[1";
  for (int i = 0; i < 100'000; ++i) many += ",1";
  const Table table = check_reading(rows_of(9) + deep + "{\"" + key + "\":1}\n" + many + "]}\n", "a.jsonl");
  CHECK(table.rows == 9);
  CHECK(table.repairs.by_kind.at("bad_line") == 3);
  CHECK(read_error("{\"a\":\"" + std::string(1 << 20, 'x') + "\"}\n", "a.jsonl").code() == "jsonl.line_too_long");
  CHECK(read_error("[{\"a\":\"" + std::string(1 << 20, 'x') + "\"}]\n", "a.jsonl").code() == "jsonl.line_too_long");
  const std::string ids = lines_of(10'001, [](size_t i) { return "{\"id" + std::to_string(i) + "\":1}"; });
  CHECK(read_error(ids, "a.jsonl").code() == "jsonl.too_many_columns");
  CHECK(read_error("", "a.jsonl").code() == "jsonl.empty");
  CHECK(read_error("\n \n", "a.jsonl").code() == "jsonl.empty");
  CHECK(read_error("{}\n{}\n", "a.jsonl").code() == "jsonl.no_rows");
  CHECK(read_error("[", "a.json").code() == "jsonl.bad_line");
  CHECK(read_error(rows_of(2), "a.jsonl", {{"header", true}}).code() == "jsonl.bad_option");
}

TEST_CASE("JSON is known by its first marks", "[io][formats]") {
  CHECK(std::string(detect_format(bytes_of(" {\"a\":1}"), "data.csv").name) == "jsonl");
  CHECK(std::string(detect_format(bytes_of("[\n{\"a\":1}]"), "data").name) == "jsonl");
  CHECK(std::string(detect_format(bytes_of("{a},b\n"), "data.csv").name) == "csv");
}

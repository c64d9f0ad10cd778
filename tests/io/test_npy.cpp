// NPY: what is refused and how, what a size known beforehand saves, and what the columns become.

#include "tests/io/chunks.h"

using namespace sg;
using namespace std::string_literals;

namespace {

std::string npy(const std::string& header, const std::string& values, int version = 1) {
  std::string file = "\x93NUMPY"s + static_cast<char>(version) + '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) file += static_cast<char>(header.size() >> 8 * i & 0xFF);
  return file + header + values;
}

std::string header_of(const std::string& type, const std::string& shape, bool fortran = false) {
  return "{'descr': " + type + ", 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }\n";
}

}  // namespace

TEST_CASE("Arrays that hold what is not read are refused by the name of their type", "[io][npy]") {
  const auto message = [](const std::string& type) {
    const Error error = read_error(npy(header_of(type, "(2,)"), std::string(64, '\0')), "a.npy");
    CHECK(error.code() == "npy.unsupported");
    return error.message();
  };
  CHECK_THAT(message("'|O'"), Catch::Contains("pickle") && Catch::Contains("astype"));
  CHECK_THAT(message("'<c16'"), Catch::Contains("<c16"));
  CHECK_THAT(message("'<f16'"), Catch::Contains("<f16"));
  CHECK_THAT(message("'<m8[s]'"), Catch::Contains("m8"));
  CHECK_THAT(message("'|V8'"), Catch::Contains("raw bytes"));
  CHECK_THAT(message("'<M8'"), Catch::Contains("unit"));
  CHECK_THAT(message("[('a', '|O')]"), Catch::Contains("pickle"));
  CHECK_THAT(message("[('a', [('b', '<f4')])]"), Catch::Contains("structures"));
}

TEST_CASE("A header is data: what is no literal of an array is refused", "[io][npy]") {
  for (const std::string& header :
       {""s, "{}"s, "__import__('os')"s, "{'descr': '<f4', 'fortran_order': False}"s, header_of("'<f4'", "3"),
        header_of("'<f4'", "(-1,)"), header_of("'<f4'", "(1.5,)"), header_of("'<f4'", "(99999999999999999999,)"),
        header_of("'f4'", "(2,)"), header_of("'<f4'", "(2,"), header_of("'<f4", "(2,)"), header_of("5", "(2,)"),
        header_of("[]", "(2,)"), header_of("[('a',)]", "(2,)"), header_of("[('a', '<f4', (0,))]", "(2,)"),
        header_of("'<f4'", "((((((((((2,))))))))))"), header_of("'<f4'", "(2,)") + "x",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}"s, std::string(10'001, ' ')}) {
    CAPTURE(header.substr(0, 80));
    CHECK(read_error(npy(header, std::string(8, '\0')), "a.npy").code() == "npy.bad_header");
  }
  CHECK(read_error(npy(header_of("'<f4'", "(2,)"), std::string(8, '\0'), 4), "a.npy").code() == "npy.unsupported");
  CHECK(read_error("\x93NUMPX\x01\x00 and so on"s, "a.npy").code() == "npy.bad_header");
  CHECK(read_error("", "a.npy").code() == "npy.empty");
}

TEST_CASE("A shape is held against the file before anything is made for it", "[io][npy]") {
  const std::string bomb = npy(header_of("'<f8'", "(65536, 65536)"), std::string(16, 'x'));
  CHECK(read_error(bomb, "a.npy").code() == "npy.unsupported");  // 65,536 columns
  const std::string tall = npy(header_of("'<f8'", "(4294967296, 16)"), std::string(16, 'x'));
  CHECK(read_error(tall, "a.npy").code() == "npy.truncated");
  const Error known = read_error(tall, "a.npy", {}, {.file_bytes = tall.size()});
  CHECK(known.code() == "npy.truncated");
  CHECK_THAT(known.message(), Catch::Contains("549755813888"));
  CHECK(read_error(npy(header_of("'<f8'", "(4294967296, 4294967296, 16)"), ""), "a.npy").code() == "npy.bad_header");
  CHECK(read_error(npy(header_of("'<f8'", "(1, 4294967296, 2)"), ""), "a.npy").code() == "npy.unsupported");
  const std::string good = npy(header_of("'<f8'", "(2,)"), std::string(16, '\0'));
  CHECK(read_table(good, "a.npy", {}, {.file_bytes = good.size()}).rows == 2);
  CHECK(read_error(good + "x", "a.npy").code() == "npy.trailing_bytes");
  CHECK(read_error(good, "a.npy", {}, {.file_bytes = good.size() + 1}).code() == "npy.trailing_bytes");
  CHECK(read_error(npy(header_of("'<f8'", "(0, 3)"), ""), "a.npy").code() == "npy.no_rows");
}

TEST_CASE("Values that no float holds are missing and told, rounded ones are told once", "[io][npy]") {
  const auto bytes = [](std::vector<double> values) {
    return std::string(reinterpret_cast<const char*>(values.data()), values.size() * 8);
  };
  const Table table = check_reading(npy(header_of("'<f8'", "(5,)"), bytes({1, 1e39, INFINITY, NAN, -2})), "a.npy");
  CHECK(table.columns[0].stats.missing == 3);
  CHECK(table.columns[0].stats.min == -2);
  CHECK(table.repairs.by_kind.at("out_of_range") == 2);
  CHECK(table.repairs.first[0].line == 2);
  CHECK(table.preview[1][0] == "1e+39");
  const Table large =
      read_table(npy(header_of("'<f8'", "(3,)"), bytes({1.7e12, 1.7e12 + 6e4, 1.7e12 + 12e4})), "a.npy");
  CHECK(large.repairs.by_kind.at("precision") == 1);
}

TEST_CASE("A number's column can be read as classes or times, and no text as numbers", "[io][npy]") {
  const std::string labels = npy(header_of("'|u1'", "(6,)"), "\x03\x01\x03\x03\x01\x00"s);
  const Table classes = check_reading(labels, "a.npy", {{"types", {{"0", "category"}}}});
  CHECK(classes.columns[0].categories == std::vector<std::string>{"3", "1", "0"});
  CHECK(classes.columns[0].codes == std::vector<uint32_t>{0, 1, 0, 0, 1, 2});
  const Table times = check_reading(labels, "a.npy", {{"types", {{"0", "datetime"}}}});
  CHECK(times.columns[0].times.front() == 3);
  CHECK(times.preview[0][0] == "1970-01-01 00:00:03");
  const std::string texts = npy(header_of("'|S2'", "(2,)"), "abcd");
  CHECK(read_error(texts, "a.npy", {{"types", {{"0", "number"}}}}).code() == "npy.bad_option");
  CHECK(read_error(texts, "a.npy", {{"types", {{"1", "category"}}}}).code() == "npy.bad_option");
  CHECK(read_error(texts, "a.npy", {{"delimiter", ","}}).code() == "npy.bad_option");
}

TEST_CASE("Texts follow the rules of categories: many different ones are text, ill-formed ones are told", "[io][npy]") {
  std::string many;
  for (int i = 0; i < 2000; ++i) many += std::string(2, static_cast<char>('A' + i % 26)) + std::to_string(1000 + i);
  const Table text = check_reading(npy(header_of("'|S6'", "(2000,)"), many), "a.npy", {}, 4096);
  CHECK(text.columns[0].type == ColumnType::text);
  const Table bad = check_reading(npy(header_of("'|S1'", "(4,)"),
                                      "\xC3"
                                      "a\xC3"
                                      "a"),
                                  "a.npy");
  CHECK(bad.columns[0].categories == std::vector<std::string>{"\xEF\xBF\xBD", "a"});
  CHECK(bad.repairs.by_kind.at("invalid_utf8") == 2);
}

TEST_CASE("Ten thousand columns are read in either order, one more is refused", "[io][npy]") {
  for (const bool fortran : {false, true}) {
    const std::string wide = npy(header_of("'|u1'", "(3, 10000)", fortran), std::string(30'000, '\x05'));
    CHECK(read_table(wide, "a.npy").columns.back().numbers == std::vector<float>{5, 5, 5});
    const std::string wider = npy(header_of("'|u1'", "(3, 10001)", fortran), std::string(30'003, '\x05'));
    CHECK(read_error(wider, "a.npy").code() == "npy.unsupported");
  }
  CHECK(read_error(npy(header_of("'|u1'", "(2, 2, 2)", true), std::string(8, 'x')), "a.npy").code() ==
        "npy.unsupported");
}

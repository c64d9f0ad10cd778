// The columns format: what JavaScript libraries hand over in blocks becomes what a file of the same values would.

#include <cstring>

#include "tests/io/chunks.h"
#include "tests/io/csv_text.h"

using namespace sg;
using nlohmann::json;

namespace {

std::string block(const json& description, const std::string& values) {
  const std::string text = description.dump();
  const auto length = static_cast<uint32_t>(text.size());
  std::string bytes(reinterpret_cast<const char*>(&length), 4);
  return bytes + text + values;
}

template <class T>
std::string raw(std::vector<T> values) {
  std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  bytes.resize((bytes.size() + 3) / 4 * 4);
  return bytes;
}

const json kOption = {{"format", "columns"}};

json two_columns(size_t rows) {
  return {{"rows", rows}, {"columns", {{{"name", "a"}, {"kind", "f32"}}, {{"name", "b"}, {"kind", "f64"}}}}};
}

}  // namespace

TEST_CASE("Blocks of every kind become columns", "[io][columns]") {
  const auto part = [](const json& texts, float first) {
    const json columns = {{{"name", "n"}, {"kind", "f32"}},
                          {{"name", "when"}, {"kind", "time"}},
                          {{"name", "place"}, {"kind", "text"}, {"values", texts[0]}},
                          {{"name", "day"}, {"kind", "text"}, {"values", texts[1]}},
                          {{"name", "b"}, {"kind", "u8"}},
                          {{"name", "image"}, {"kind", "u8"}, {"shape", {1, 3}}},
                          {{"name", "signal"}, {"kind", "f32s"}, {"shape", {2}}}};
    return block({{"rows", 3}, {"columns", columns}},
                 raw<float>({first, NAN, 3}) + raw<double>({0, 60, NAN}) + raw<uint8_t>({7, 8, 9}) +
                     raw<uint8_t>({1, 2, 3, 4, 5, 6, 7, 8, 9}) + raw<float>({.1f, .2f, .3f, NAN, .5f, .6f}));
  };
  const std::string stream = part({{"x", nullptr, "x"}, {"2020-01-01", "2020-01-02", "NA"}}, 1) +
                             part({{"y", "x", "y"}, {"2020-01-03", "2020-01-04", "2020-01-05"}}, 2);
  const Table table = check_reading(stream, "", kOption, 100);
  CHECK(table.rows == 6);
  CHECK(table.format == "columns");
  CHECK(same_values(table.columns[0].numbers, {1, NAN, 3, 2, NAN, 3}));
  CHECK(same_values(table.columns[1].times, {0, 60, NAN, 0, 60, NAN}));
  CHECK(table.columns[2].categories == std::vector<std::string>{"x", "y"});
  CHECK(table.columns[2].stats.missing == 1);
  CHECK(table.columns[3].type == ColumnType::datetime);
  CHECK(table.columns[3].stats.step_seconds == 86400);
  CHECK(table.columns[4].numbers == std::vector<float>{7, 8, 9, 7, 8, 9});
  CHECK(table.columns[5].bytes.size() == 18);
  CHECK(table.columns[5].shape == std::vector<size_t>{1, 3});
  CHECK(table.columns[6].numbers.size() == 12);
  CHECK(table.columns[6].stats.missing == 2);
  CHECK(table.preview[0] == std::vector<std::string>{"1", "1970-01-01", "x", "2020-01-01", "7", "1 2 3", "0.1 0.2"});
  CHECK(table.preview[4][3] == "2020-01-04");
}

TEST_CASE("What was left out before it came here is told with the other repairs", "[io][columns]") {
  json told = two_columns(2);
  told["repairs"] = {{{"line", 7}, {"column", 0}, {"kind", "image"}, {"text", "it was left out"}}};
  const std::string values = raw<float>({1, 2}) + raw<double>({3, 4});
  const Table table = check_reading(block(told, values) + block(two_columns(2), values), "", kOption, 100);
  CHECK(table.repairs.total == 1);
  CHECK(repair_of(table, "image").line == 7);
  CHECK(repair_of(table, "image").text == "it was left out");
  const json bad[] = {json("x"), {1}, {{{"line", 1}}}, {{{"line", -1}, {"column", 0}, {"kind", ""}, {"text", ""}}}};
  for (const json& repairs : bad) {
    CAPTURE(repairs.dump());
    told["repairs"] = repairs;
    CHECK(read_error(block(told, values), "", kOption).code() == "columns.bad_block");
  }
}

TEST_CASE("A stream of columns may end between blocks and nowhere else", "[io][columns]") {
  const std::string good = block(two_columns(2), raw<float>({1, 2}) + raw<double>({3, 4}));
  CHECK(read_table(good + good, "", kOption).rows == 4);
  for (size_t cut = 1; cut < good.size(); ++cut) {
    CAPTURE(cut);
    CHECK(read_error(good + good.substr(0, cut), "", kOption).code() == "columns.truncated");
  }
  CHECK(read_error("", "", kOption).code() == "columns.empty");
  CHECK(read_error(block(two_columns(0), ""), "", kOption).code() == "columns.no_rows");
}

TEST_CASE("Blocks that do not describe themselves are refused", "[io][columns]") {
  const auto refused = [](const json& description) {
    CAPTURE(description.dump().substr(0, 200));
    CHECK(read_error(block(description, std::string(64, '\0')), "", kOption).code() == "columns.bad_block");
  };
  const auto column = [](const json& c, const json& rows = 2) { return json{{"rows", rows}, {"columns", {c}}}; };
  refused(json::array());
  refused({{"rows", 2}});
  refused({{"rows", 2}, {"columns", json::array()}});
  refused(column({{"name", "a"}}));
  refused(column({{"name", 5}, {"kind", "f32"}}));
  refused(column({{"name", "a"}, {"kind", "f16"}}));
  refused(column("a"));
  refused(column({{"name", "a"}, {"kind", "f32s"}}));
  refused(column({{"name", "a"}, {"kind", "f32"}, {"shape", {2}}}));
  refused(column({{"name", "a"}, {"kind", "u8"}, {"shape", {0}}}));
  refused(column({{"name", "a"}, {"kind", "u8"}, {"shape", {1u << 20, 1u << 20}}}));
  refused(column({{"name", "a"}, {"kind", "u8"}, {"shape", "big"}}));
  refused(column({{"name", "a"}, {"kind", "f64"}}, uint64_t{1} << 40));
  refused(column({{"name", "a"}, {"kind", "f64"}}, UINT64_MAX));
  refused(column({{"name", "a"}, {"kind", "f64"}}, -1));
  refused(column({{"name", "a"}, {"kind", "text"}}));
  refused(column({{"name", "a"}, {"kind", "text"}, {"values", {"x"}}}));
  refused(column({{"name", "a"}, {"kind", "text"}, {"values", {"x", 5}}}));
  CHECK(read_error("\xff\xff\xff\xff and more", "", kOption).code() == "columns.bad_block");
  CHECK(read_error(block(two_columns(2), raw<float>({1, 2}) + raw<double>({3, 4})) +
                       block({{"rows", 1}, {"columns", {{{"name", "a"}, {"kind", "f32"}}}}}, raw<float>({1})),
                   "", kOption)
            .code() == "columns.bad_block");
  CHECK(read_error(block(two_columns(1), ""), "", {{"format", "columns"}, {"quote", "'"}}).code() ==
        "columns.bad_option");
}

TEST_CASE("No file is taken for a stream of columns", "[io][columns]") {
  const std::string stream = block(two_columns(1), raw<float>({1}) + raw<double>({3}));
  CHECK(std::strcmp(detect_format(bytes_of(stream), "x.columns").name, "csv") == 0);
}

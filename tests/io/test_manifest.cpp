// A manifest is believed only when it is whole: each field in place and in range, and shards that cover every row of
// every column once.

#include "tests/io/shards.h"

using namespace sg;
using nlohmann::json;

namespace {

json good_manifest() {
  return to_json(import_texts({{"a.csv", "when,n,kind,note\n" + lines_of(40,
                                                                         [](size_t i) {
                                                                           return "2020-01-" +
                                                                                  std::to_string(10 + i % 20) + "," +
                                                                                  std::to_string(i) + ",k" +
                                                                                  std::to_string(i % 3) + ",note " +
                                                                                  std::to_string(i * 7919);
                                                                         })},
                               {"b.csv", "v\n" + lines_of(40, [](size_t i) { return std::to_string(i); })}},
                              320)
                     .manifest);
}

struct Case {
  const char* place;  // JSON pointer
  json value;         // null there: removed
  const char* told;   // in the message
};

}  // namespace

TEST_CASE("A manifest is read back as it was written", "[io][manifest]") {
  const json good = good_manifest();
  REQUIRE(good["shards"].size() == 5);
  CHECK(to_json(manifest_from_json(good)) == good);
  CHECK(to_json(parse_manifest(good.dump(2))) == good);
  const Table table = table_of(manifest_from_json(good));
  REQUIRE(table.columns.size() == 5);
  CHECK(table.columns[0].type == ColumnType::datetime);
  CHECK(table.columns[0].stats.step_seconds == 86'400);
  CHECK(table.columns[1].stats.mean == 19.5);
  CHECK(table.columns[2].categories == std::vector<std::string>{"k0", "k1", "k2"});
  CHECK(table.columns[3].type == ColumnType::text);
  CHECK(table.columns[3].empty());
  CHECK(table.rows == 40);
}

TEST_CASE("A manifest with one field out of place is refused, naming it", "[io][manifest]") {
  const json good = good_manifest();
  const std::string hash(64, 'A');
  const std::vector<Case> cases{
      {"/format", "shadegrad-data/2", "format"},
      {"/format", nullptr, "format"},
      {"/extra", 1, "extra"},
      {"/options", json::array(), "options"},
      {"/rows", 0, "rows"},
      {"/rows", 41, "column 0 end at row 40"},
      {"/rows", -1, "rows"},
      {"/rows", 1e300, "rows"},
      {"/rows", "40", "rows"},
      {"/description", json::object(), "description"},
      {"/description/rows", 39, "description"},
      {"/description/columns/1/name", "m", "description.columns[1]"},
      {"/description/columns/1/count", 41, "description.columns[1].count"},
      {"/source/name", 7, "source.name"},
      {"/source/head", hash, "source.head"},
      {"/source/tail", "", "source.tail"},
      {"/source/parts", json::array(), "source.parts"},
      {"/source/parts/0/size", -5, "source.parts[0].size"},
      {"/source/mtime", 1.5, "source.mtime"},
      {"/source/link", "x", "source.link"},
      {"/columns", json::array(), "columns"},
      {"/columns/2/index", 1, "columns[2].index"},
      {"/columns/2/type", "colour", "columns[2].type"},
      {"/columns/2/dtype", "F32", "columns[2].dtype"},
      {"/columns/2/dtype", "Q8", "columns[2].dtype"},
      {"/columns/2/categories", nullptr, "columns[2].categories"},
      {"/columns/2/categories", {1}, "columns[2].categories"},
      {"/columns/1/shape", {2}, "columns[1].shape"},
      {"/columns/0/dayFirst", 1, "columns[0].dayFirst"},
      {"/columns/1/dayFirst", true, "columns[1].dayFirst"},
      {"/shards", json::array(), "column 0 lies in no shard"},
      {"/shards/0/file", "../000000.safetensors", "shards[0].file"},
      {"/shards/1/file", "000000.safetensors", "shards[1].file"},
      {"/shards/1/file", "a/000001.safetensors", "shards[1].file"},
      {"/shards/1/first", 9, "shards[1]"},
      {"/shards/1/first", 11, "shards[1]"},
      {"/shards/1/rows", 0, "shards[1]"},
      {"/shards/1/rows", 9, "shards[2]"},
      {"/shards/1/rows", uint64_t{1} << 52, "shards[1]"},
      {"/shards/1/bytes", 9, "shards[1].bytes"},
      {"/shards/1/bytes", 9'000'000, "shards[1].bytes"},
      {"/shards/1/sha256", "00", "shards[1].sha256"},
      {"/shards/1/columns", {0, 0}, "shards[1]"},
      {"/shards/1/columns", {0, 3}, "shards[1]"},
      {"/shards/1/columns", {1, 3}, "shards[1]"},
      {"/shards/1/columns", {0, 4, 5}, "shards[1].columns"},
      {"/shards/1/columns", {0, 6}, "shards[1]"},
      {"/shards/1/columns", {99'999, 99'999}, "shards[1]"},
  };
  for (const Case& c : cases) {
    json bad = good;
    const json::json_pointer at(c.place);
    if (c.value.is_null()) {
      bad[at.parent_pointer()].erase(at.back());
    } else {
      bad[at] = c.value;
    }
    CAPTURE(c.place, c.value.dump());
    const Error e = error_of([&] { manifest_from_json(bad); });
    CHECK(e.code() == "manifest.invalid");
    CAPTURE(e.message());
    CHECK(e.message().find(c.told) != std::string::npos);
  }
}

TEST_CASE("A manifest knows on which lines the rows of a text stand", "[io][manifest]") {
  const auto lines = [](const std::string& text, size_t shard_bytes) {
    return import_texts({{"a.csv", text}}, shard_bytes).manifest.lines;
  };
  const std::string text =
      "a,b\n" + lines_of(100, [](size_t i) {
        return (i % 40 == 7 ? "\n\n" : "") + std::to_string(i) + ",\"x" + (i == 50 ? "\n" : "") + "\"";
      });
  const LineJumps expected{{0, 2}, {7, 11}, {47, 53}, {51, 58}, {87, 96}};
  for (const size_t shard_bytes : {size_t{1}, size_t{100}, size_t{1} << 20})
    CHECK(lines(text, shard_bytes) == expected);
  const Imported imported = import_texts({{"a.csv", text}}, 100);
  const Table table = table_of(parse_manifest(to_json(imported.manifest).dump()));
  CHECK(table.line_jumps == expected);
  CHECK(table.line_of_row(99) == 108);
  CHECK(good_manifest().count("lines") == 0);  // of two files
  CHECK(lines("a,b\n" + lines_of(kMostLineJumps, [](size_t) { return std::string("1,2\n"); }), 1 << 20).size() ==
        kMostLineJumps);
  CHECK(lines("a,b\n" + lines_of(kMostLineJumps + 1, [](size_t) { return std::string("1,2\n"); }), 1 << 20).empty());
}

TEST_CASE("Rows that share a line, as those of a JSON array, make a manifest that can be read", "[io][manifest]") {
  const auto lines = [](const std::string& text, size_t shard_bytes) {
    const Manifest manifest = import_texts({{"a.json", text}}, shard_bytes).manifest;
    return parse_manifest(to_json(manifest).dump()).lines;
  };
  for (const size_t shard_bytes : {size_t{1}, size_t{1} << 20}) {
    CHECK(lines(R"([{"a":1},{"a":2},{"a":3}])", shard_bytes) == LineJumps{{0, 1}, {1, 1}, {2, 1}});
    CHECK(lines("[{\"a\":1},{\"a\":2},\n{\"a\":3}]", shard_bytes) == LineJumps{{0, 1}, {1, 1}});
    CHECK(lines("[{\"a\":1},\n{\"a\":2},{\"a\":3}]", shard_bytes) == LineJumps{{0, 1}, {2, 2}});
    CHECK(lines("[[1,2],[3,4]]", shard_bytes) == LineJumps{{0, 1}, {1, 1}});
  }
}

TEST_CASE("Lines that no text could have are refused", "[io][manifest]") {
  const json good = to_json(import_texts({{"a.csv", "a,b\n1,2\n\n3,4\n5,6\n"}}, 100).manifest);
  REQUIRE(good["lines"] == json{{0, 2}, {1, 4}});
  for (const json& bad : std::vector<json>{json::array(),
                                           {{1, 2}},
                                           {{0, 0}},
                                           {{0, 2}, {0, 3}},
                                           {{0, 2}, {2, 2}},
                                           {{0, 2}, {1, 1}},
                                           {{0, 2}, {3, 9}},
                                           {{0, 2.5}},
                                           {{0, -2}},
                                           {{0, 2, 3}},
                                           {0, 2},
                                           "lines",
                                           {{0, 2}, {1, 1e300}}}) {
    json manifest = good;
    manifest["lines"] = bad;
    CAPTURE(bad.dump());
    CHECK(error_of([&] { manifest_from_json(manifest); }).code() == "manifest.invalid");
  }
}

TEST_CASE("Shards that are missing, doubled or beside one another are refused", "[io][manifest]") {
  const json good = good_manifest();
  const auto told = [&](json bad) { return error_of([&] { manifest_from_json(bad); }).code(); };
  json bad = good;
  bad["shards"].erase(bad["shards"].size() - 1);
  CHECK(told(bad) == "manifest.invalid");
  bad = good;
  bad["shards"].push_back(bad["shards"].back());
  bad["shards"].back()["file"] = "000005.safetensors";
  CHECK(told(bad) == "manifest.invalid");
  bad = good;  // the second group's columns reach into the first's
  for (json& shard : bad["shards"])
    if (shard["columns"] == json{4, 1}) shard["columns"] = {3, 2};
  CHECK(told(bad) == "manifest.invalid");
  bad = good;  // a column that no shard has
  for (json& shard : bad["shards"])
    if (shard["columns"] == json{0, 4}) shard["columns"] = {0, 3};
  CHECK(told(bad) == "manifest.invalid");
}

TEST_CASE("Text that is no manifest is refused without being copied", "[io][manifest]") {
  for (const std::string& text :
       {std::string(), std::string("null"), std::string("[]"), std::string("{\"format\":"), std::string(1'000'000, '['),
        "{\"options\":" + std::string(40, '[') + std::string(40, ']') + "}"})
    CHECK(error_of([&] { parse_manifest(text); }).code() == "manifest.invalid");
}

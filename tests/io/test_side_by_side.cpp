// Which arrays of an archive are read together, and what is said of the others.

#include <catch2/catch.hpp>
#include <fstream>

#include "io/formats.h"
#include "io/side_by_side.h"
#include "tests/io/shards.h"

using namespace sg;
using namespace std::string_literals;

namespace {

std::string head_of(const std::string& shape, int version = 1) {
  const std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }\n";
  std::string file = "\x93NUMPY"s + static_cast<char>(version) + '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) file += static_cast<char>(text.size() >> 8 * i & 0xFF);
  return file + text;
}

}  // namespace

TEST_CASE("an array's rows are told by its header alone", "[io][npy]") {
  CHECK(npy_rows(as_bytes(head_of("(12, 3)"))) == 12);
  CHECK(npy_rows(as_bytes(head_of("(12,)", 2))) == 12);
  CHECK_FALSE(npy_rows(as_bytes(head_of("()"))));
  CHECK_FALSE(npy_rows(as_bytes("PK\x03\x04 no array at all")));
  CHECK_FALSE(npy_rows(as_bytes("{}")));
  const std::string whole = head_of("(12, 3)");
  for (size_t size = 0; size < whole.size(); ++size) CHECK_FALSE(npy_rows(as_bytes(whole).first(size)));
}

TEST_CASE("of the arrays of an archive the host and the extension read the same", "[io][npy]") {
  std::ifstream golden(std::string(SG_SOURCE_DIR) + "/tests/golden/side_by_side.json");
  const auto cases = nlohmann::json::parse(golden);
  REQUIRE(cases.size() >= 10);
  for (const auto& c : cases) {
    INFO(c["what"]);
    std::vector<NamedRows> arrays;
    for (const auto& shape : c["shapes"])
      arrays.push_back({"a" + std::to_string(arrays.size()),
                        npy_rows(as_bytes(head_of(shape, 1 + static_cast<int>(arrays.size() % 2))))});
    const auto told = left_out(arrays, chosen_arrays(c));
    REQUIRE(told.size() == c["leftOut"].size());
    for (size_t i = 0; i < told.size(); ++i) {
      const auto& why = c["leftOut"][i];
      const auto expected = why.is_null()
                                ? std::nullopt
                                : std::optional("'a" + std::to_string(i) + "' was left out: " + why.get<std::string>());
      CHECK(told[i] == expected);
    }
  }
}

TEST_CASE("arrays are chosen by their names, and a name that none has is refused with those that there are",
          "[io][npy]") {
  const std::vector<NamedRows> arrays{{"x.npy", 7}, {"y", 5}, {"set/y.npy", 5}};
  const auto code = [](const auto& call) {
    try {
      call();
    } catch (const Error& e) {
      CHECK(e.code() == "npy.bad_option");
      return std::string(e.what());
    }
    return std::string();
  };
  const auto told = left_out(arrays, std::vector<std::string>{"set/y"});
  CHECK(told == std::vector<std::optional<std::string>>{"'x.npy' was left out: it was not chosen",
                                                        "'y' was left out: it was not chosen", std::nullopt});
  CHECK(code([&] {
          left_out(arrays, std::vector<std::string>{"x", "z"});
        }) == "option 'arrays': there is no array 'z'; there are 'x', 'y', 'set/y'");
  CHECK_FALSE(chosen_arrays({{"format", "npy"}}));
  for (const nlohmann::json& bad : {nlohmann::json("x"), nlohmann::json::array(), nlohmann::json::array({1})})
    CHECK(code([&] { chosen_arrays({{"arrays", bad}}); }) != "");
  // A file that is no archive has no array but itself.
  const std::string file = head_of("(2,)") + std::string(8, '\0');
  const auto open = [&](const std::vector<std::string>& names) {
    open_detecting({{"arrays", names}}, "x.npy", {})
        ->feed(as_bytes(std::string(kHeadBytes, '\0').replace(0, file.size(), file)));
  };
  CHECK(code([&] { open({"y"}); }) == "option 'arrays' names other arrays than 'x', which is read");
}

TEST_CASE("arrays that stand side by side give their names to their columns", "[io][import]") {
  const auto matrix = head_of("(2, 3)") + std::string(24, '\0'), list = head_of("(2,)") + std::string(8, '\0');
  const auto names = [](const std::vector<std::pair<std::string, std::string>>& parts) {
    std::vector<std::string> all;
    for (const auto& column : import_texts(parts, 1 << 20).manifest.columns) all.push_back(column.name);
    return all;
  };
  using Names = std::vector<std::string>;
  CHECK(names({{"X.npy", matrix}, {"y.npy", list}}) == Names{"X_0", "X_1", "X_2", "y"});
  CHECK(names({{"data/x.train", matrix}, {"y", list}}) == Names{"x.train_0", "x.train_1", "x.train_2", "y"});
  CHECK(names({{"a/y.npy", list}, {"b/y.npy", list}}) == Names{"y.y", "y.y_2"});
  CHECK(names({{"X.npy", matrix}}) == Names{"column_1", "column_2", "column_3"});
}

TEST_CASE("what an import leaves out of its source is told before all else", "[io][import]") {
  Shards shards;
  nlohmann::json source = source_named("set.npz", 9);
  source["leftOut"] = {"'b' was left out", "'c' was left out"};
  Importer importer({}, source, shards);
  importer.begin_part("a.csv");
  importer.feed(as_bytes("v,w\n1,2\n3\n" + lines_of(200, [](size_t) { return "1"s; })));
  importer.end_part();
  const nlohmann::json repairs = importer.finish().description["repairs"];
  CHECK(repairs["byKind"] == nlohmann::json{{"left_out", 2}, {"short_row", 201}});
  CHECK(repairs["total"] == 203);
  CHECK(repairs["first"].size() == Repairs::kept);
  CHECK(repairs["first"][1] ==
        nlohmann::json{{"line", 0}, {"column", 0}, {"kind", "left_out"}, {"text", "'c' was left out"}});
}

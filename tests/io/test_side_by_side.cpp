// Which arrays of an archive are read together, and what is said of the others.

#include <catch2/catch.hpp>

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

/// The places of those that are read.
std::vector<size_t> taken(const std::vector<std::optional<uint64_t>>& rows) {
  std::vector<NamedRows> arrays;
  for (const auto& count : rows) arrays.push_back({"a" + std::to_string(arrays.size()), count});
  const auto told = left_out(arrays);
  REQUIRE(told.size() == rows.size());
  std::vector<size_t> places;
  for (size_t i = 0; i < told.size(); ++i)
    if (!told[i]) places.push_back(i);
  return places;
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

TEST_CASE("arrays of the most frequent length stand side by side", "[io][npy]") {
  const std::optional<uint64_t> none;
  using Places = std::vector<size_t>;
  CHECK(taken({100, 100, 7}) == Places{0, 1});
  CHECK(taken({7, 100, 7}) == Places{0, 2});
  CHECK(taken({60, 60, 10, 10}) == Places{0, 1});  // the training part, and not the test part
  CHECK(taken({10, 10, 60, 60}) == Places{2, 3});
  CHECK(taken({1, 1, 1, 100}) == Places{3});  // a single row is no table beside another
  CHECK(taken({1, 1}) == Places{0, 1});
  CHECK(taken({none, 100, none}) == Places{1});
  CHECK(taken({none, none}) == Places{0, 1});
  CHECK(taken({}).empty());
  const auto told = left_out({{"x", 100}, {"y", 100}, {"names", 1}, {"scale", none}});
  CHECK(*told[2] == "'names' was left out: it has 1 row, and the arrays that were read have 100");
  CHECK(*told[3] == "'scale' was left out: it has no rows, and the arrays that were read have 100");
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

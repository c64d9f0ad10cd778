// Rows of a table as a run learns from them: nothing of the held-out rows is known to scalings, codes or marks; missing
// and unseen values have places of their own; splits are what they say.
#include "tables/table_data.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

namespace sg {
namespace {

using nlohmann::json;

/// 100 rows: a number, a number with gaps, a category, and a target of three unlike classes or a number.
TableChoice table(bool classes) {
  TableChoice choice;
  choice.rows = 100;
  TableColumn size{"size", false, {}, {}}, age{"age", false, {}, {}}, kind{"kind", true, {"a", "b", "rare"}, {}};
  for (int r = 0; r < 100; ++r) {
    size.cells.push_back(static_cast<float>(r));
    age.cells.push_back(r % 10 == 3 ? NAN : static_cast<float>(r % 7));
    kind.cells.push_back(r == 50 ? 2.0f : r % 11 == 5 ? NAN : static_cast<float>(r % 2));
  }
  choice.features = {size, age, kind};
  choice.target = {"target", classes, {}, {}};
  if (classes) choice.target.categories = {"often", "some", "seldom"};
  for (int r = 0; r < 100; ++r)
    choice.target.cells.push_back(!classes ? static_cast<float>(2 * r) : r % 10 == 0 ? 2.0f : r % 10 < 3 ? 1.0f : 0.0f);
  return choice;
}

TableConfig config(bool classes, Split split = Split::automatic) {
  TableConfig c;
  c.classification = classes;
  c.split = split;
  return c;
}

std::vector<float> row_of(const TableData& data, uint32_t row) {
  std::vector<float> x(data.features()), y(1);
  data.gather(std::vector<uint32_t>{row}, x, y);
  return x;
}

TEST_CASE("scalings and codes come from the training rows alone", "[tables]") {
  for (const Scaling scaling : {Scaling::standard, Scaling::min_max, Scaling::robust}) {
    TableConfig how = config(false);
    how.scaling = scaling;
    TableChoice changed = table(false);
    const TableData before(changed, how);
    for (const uint32_t row : before.windows().validation) {
      changed.features[0].cells[row] = 1e6f;  // a leak would move the scaling
      changed.features[2].cells[row] = 2;     // and make the rare value known
      changed.target.cells[row] = -1e6f;
    }
    const TableData after(changed, how);
    CHECK(after.encoding()->to_json() == before.encoding()->to_json());
    CHECK(after.windows().training == before.windows().training);
  }
}

TEST_CASE("a row is its scaled numbers, marks of what is missing, and codes", "[tables]") {
  TableConfig how = config(false, Split::order);
  how.scaling = Scaling::min_max;
  const TableData data(table(false), how);
  REQUIRE(data.features() == 4);  // size, age, whether age is missing, kind
  CHECK(data.windows().training.size() == 80);
  CHECK(data.windows().validation.front() == 80);
  CHECK(row_of(data, 79) == std::vector<float>{1, 2.0f / 6, 0, 3});
  CHECK(row_of(data, 3) == std::vector<float>{3.0f / 79, 0, 1, 3});
  CHECK(row_of(data, 5)[3] == 1);   // missing
  CHECK(row_of(data, 50)[3] == 0);  // seen once: as good as never
  const std::vector<std::vector<size_t>> places{{0}, {1, 2}, {3}};
  CHECK(data.encoding()->places() == places);
}

TEST_CASE("robust scaling goes by median and quartiles", "[tables]") {
  TableConfig how = config(false, Split::order);
  how.scaling = Scaling::robust;
  const ColumnScale scale = TableData(table(false), how).encoding()->numbers[0].scale;
  CHECK(scale.mean == 39.5);  // of 0 to 79
  CHECK(scale.std == 59.25 - 19.75);
}

TEST_CASE("a stratified split has each class's share on both sides", "[tables]") {
  const TableData data(table(true), config(true));
  std::vector<int> held(3, 0);
  for (const uint32_t row : data.windows().validation) ++held[static_cast<size_t>(data.target(row, 0))];
  CHECK(held == std::vector<int>{14, 4, 2});
  std::set<uint32_t> all(data.windows().training.begin(), data.windows().training.end());
  all.insert(data.windows().validation.begin(), data.windows().validation.end());
  CHECK(all.size() == 100);
  TableConfig other = config(true);
  other.seed = 2;
  CHECK(TableData(table(true), other).windows().validation != data.windows().validation);
  CHECK(TableData(table(true), config(true)).windows().validation == data.windows().validation);
}

TEST_CASE("balanced classes weigh as scikit-learn says, and rows without a target are left out", "[tables]") {
  TableChoice choice = table(true);
  choice.target.cells[7] = NAN;
  TableConfig how = config(true, Split::order);
  how.balanced = true;
  const TableData data(choice, how);
  CHECK(data.windows().skipped_training == 1);
  const auto& training = data.windows().training;
  CHECK_FALSE(std::binary_search(training.begin(), training.end(), 7u));
  REQUIRE(data.class_weights().size() == 3);
  CHECK(data.class_weights()[2] == Approx(static_cast<double>(training.size()) / (3 * 8)));
}

TEST_CASE("new rows go through the same encoding, and what it never saw is told", "[tables]") {
  const TableData data(table(true), config(true));
  const TableEncoding encoding = TableEncoding::from_json(data.encoding()->to_json());
  CHECK(encoding.to_json() == data.encoding()->to_json());
  const std::vector<TableColumn> columns{
      {"size", false, {}, {}}, {"age", false, {}, {}}, {"kind", true, {"new", "b"}, {}}};
  RowEncoder encoder(encoding, columns);
  const std::vector<float> size{1, 2}, age{NAN, 1}, kind{0, 1};
  std::vector<float> x(2 * encoding.width());
  encoder.encode(std::vector<std::span<const float>>{size, age, kind}, 2, x);
  CHECK(x[3] == 0);
  CHECK(x[2] == 1);
  CHECK(x[7] == row_of(data, 1)[3]);  // "b", whatever its own code
  REQUIRE(encoder.unseen().size() == 1);
  CHECK(encoder.unseen()[0].rows == 1);
  CHECK(encoder.unseen()[0].example == "new");
  const std::vector<TableColumn> wrong{{"size", true, {"1"}, {}}, {"age", false, {}, {}}, {"kind", true, {"b"}, {}}};
  CHECK_THROWS_WITH(RowEncoder(encoding, wrong), Catch::Contains("'size' holds categories"));
}

TEST_CASE("what cannot be learnt from is refused by name", "[tables]") {
  using Catch::Contains;
  TableChoice choice = table(true);
  std::fill(choice.target.cells.begin(), choice.target.cells.end(), 1.0f);
  CHECK_THROWS_WITH(TableData(choice, config(true)), Contains("'target' has the same value in every row"));
  choice = table(false);
  CHECK_THROWS_WITH(TableData(choice, config(false, Split::stratified)), Contains("data.split is stratified"));
  choice.target.cells[0] = 0.5f;
  for (int r = 0; r < 100; ++r) choice.target.cells.push_back(static_cast<float>(r) + 0.25f);
  choice.rows = 200;
  for (TableColumn& c : choice.features) c.cells.resize(200, 0.0f);
  CHECK_THROWS_WITH(TableData(choice, config(true)), Contains("more than 100 different values"));
  choice = table(false);
  std::fill(choice.features[1].cells.begin(), choice.features[1].cells.end(), NAN);
  CHECK_THROWS_WITH(TableData(choice, config(false)), Contains("'age' has no value in the 80 training rows"));
}

TEST_CASE("an encoding that no table could have is refused before anything of its size is made", "[tables]") {
  const json sound = TableData(table(true), config(true)).encoding()->to_json();
  REQUIRE_NOTHROW(TableEncoding::from_json(sound));
  const auto refused = [&](const std::string& pointer, const json& value) {
    json changed = sound;
    changed[json::json_pointer(pointer)] = value;
    CHECK_THROWS_WITH(TableEncoding::from_json(changed), Catch::Contains("the encoding's field"));
  };
  json many = json::array();
  for (size_t i = 0; i <= kMostCodes; ++i) many.push_back(std::to_string(i));
  refused("/categories/0/values", many);
  refused("/features", many);
  refused("/numbers", many);
  refused("/classes", json(std::vector<json>(many.begin(), many.begin() + kMostClasses + 1)));
  refused("/classes", {"one"});
  refused("/classes", {"same", "same"});
  // Each within the limit, and beyond it together.
  json halves = sound;
  const json half(std::vector<json>(many.begin(), many.begin() + kMostCodes / 2));
  halves["categories"][0]["values"] = half;
  halves["categories"].push_back({{"name", "other"}, {"values", half}});
  halves["features"].push_back("other");
  CHECK_THROWS_WITH(TableEncoding::from_json(halves), Catch::Contains("the encoding's field 'values' has 131072"));
}

}  // namespace
}  // namespace sg

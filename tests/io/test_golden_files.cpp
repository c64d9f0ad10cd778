// Files that NumPy, SciPy and safetensors wrote (tests/golden/make_io_golden.py), and the values that they hold.

#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

#include "tests/io/chunks.h"

using namespace sg;
using nlohmann::json;

namespace {

const std::string kFolder = std::string(SG_SOURCE_DIR) + "/tests/golden/io/";

std::string content_of(const std::string& file) {
  std::ifstream in(kFolder + file, std::ios::binary);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The value as the golden file writes it.
json value_at(const Column& column, size_t i) {
  if (column.type == ColumnType::category) {
    return column.codes[i] == kMissingCode ? json() : json(column.categories.at(column.codes[i]));
  }
  double value = column.type == ColumnType::datetime ? column.times[i] : 0;
  if (column.type == ColumnType::number) value = column.numbers[i];
  if (column.type == ColumnType::elements) value = column.byte_elements ? column.bytes[i] : column.numbers[i];
  return std::isnan(value) ? json() : json(value);
}

bool agrees(const Column& column, const json& read, const json& expected) {
  if (!expected.is_number()) return read == expected;
  if (!read.is_number()) return false;
  const double value = expected;
  return column.type == ColumnType::datetime ? read == value : read == static_cast<double>(static_cast<float>(value));
}

void check_golden(const std::string& list, size_t at_least) {
  const json all = json::parse(content_of(list));
  CHECK(all.size() >= at_least);
  for (const auto& [file, expected] : all.items()) {
    CAPTURE(file);
    const Table table = check_reading(content_of(file), file);
    CHECK(table.rows == expected["rows"]);
    for (const auto& [fact, value] : expected["facts"].items()) CHECK(table.facts[fact] == value);
    REQUIRE(table.columns.size() == expected["columns"].size());
    for (const Column& column : table.columns) {
      const json& golden = expected["columns"][column.index];
      CAPTURE(column.name);
      CHECK(column.name == golden["name"]);
      REQUIRE(to_string(column.type) == golden["type"]);
      CHECK(column.shape == golden["shape"].get<std::vector<size_t>>());
      REQUIRE(golden["values"].size() == table.rows * column.row_elements());
      uint64_t missing = 0;
      for (size_t i = 0; i < golden["values"].size(); ++i) {
        const json read = value_at(column, i);
        missing += golden["values"][i].is_null();
        CAPTURE(i, read, golden["values"][i]);
        REQUIRE(agrees(column, read, golden["values"][i]));
      }
      if (column.row_elements() == 1) CHECK(column.stats.missing == missing);
      CHECK(column.stats.count + column.stats.missing == table.rows);
    }
  }
}

}  // namespace

TEST_CASE("Arrays that NumPy saved are read as they were", "[io][golden][npy]") {
  check_golden("expected_npy.json", 38);
}

TEST_CASE("IDX files of every type are read as they were written", "[io][golden][idx]") {
  check_golden("expected_idx.json", 7);
}

TEST_CASE("Sounds that SciPy saved are read as they were, between -1 and 1", "[io][golden][wav]") {
  check_golden("expected_wav.json", 8);
}

TEST_CASE("Tensors that the safetensors library saved stand side by side", "[io][golden][tensors]") {
  check_golden("expected_safetensors.json", 1);
}

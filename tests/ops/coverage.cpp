// Coverage by enumeration: what stands in the tables and in the headers of ops/ has cases, or a test fails with its name.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tests/ops/compare.h"
#include "tests/ops/devices.h"

namespace sg::tests {
namespace {

std::map<std::string, int> cases_by_op() {
  std::map<std::string, int> counts;
  for (const OpCase& c : op_cases()) ++counts[c.op];
  return counts;
}

/// The names after "Tensor " at the start of a line of the headers of ops/, the ops' own internals left out.
std::vector<std::string> declared_ops() {
  std::vector<std::string> names;
  const std::string start = "Tensor ";
  for (const auto& file : std::filesystem::directory_iterator(std::string(SG_SOURCE_DIR) + "/wasm/ops")) {
    if (file.path().extension() != ".h" || file.path().filename() == "internal.h") continue;
    std::ifstream header(file.path());
    for (std::string line; std::getline(header, line);)
      if (line.rfind(start, 0) == 0) names.push_back(line.substr(start.size(), line.find('(') - start.size()));
  }
  return names;
}

void check_kernels(const std::string& name) {
  RecordingDevice& d = device(name);
  d.forget();
  std::map<std::string, int> seen;
  for (const OpCase& c : op_cases()) {
    if (++seen[c.op] > 2) continue;
    const Values inputs = input_values(c);
    value_on(d, c, inputs);
    if (c.gradient) gradients_on(d, c, inputs);
  }
  for (int k = 0; k < static_cast<int>(Kernel::count); ++k) {
    INFO("no case runs the kernel " << info(static_cast<Kernel>(k)).name << " on " << name);
    CHECK(d.kernels().count(static_cast<Kernel>(k)) == 1);
  }
}

TEST_CASE("every row of pointwise.def has cases", "[ops]") {
  const auto counts = cases_by_op();
#define UNARY(name, ...)                \
  {                                     \
    INFO("no case for the row " #name); \
    CHECK(counts.count(#name) == 1);    \
  }
#define BINARY(name, ...) UNARY(name)
#include "ops/pointwise.def"
#undef UNARY
#undef BINARY
}

TEST_CASE("every function of ops/*.h has cases", "[ops]") {
  auto counts = cases_by_op();
  counts.insert({{"unary", 1}, {"binary", 1}});  // the rows run through these two
  const std::vector<std::string> names = declared_ops();
  CHECK(names.size() >= 20);
  for (const std::string& name : names) {
    INFO("no case for the function " << name);
    CHECK(counts.count(name) == 1);
  }
}

TEST_CASE("every op has at least 20 cases, the optimisers' kernels included", "[ops]") {
  for (const auto& [op, count] : cases_by_op()) {
    INFO(op << " has " << count);
    CHECK(count >= 20);
  }
}

TEST_CASE("every case has its own title", "[ops]") {
  std::map<std::string, int> titles;
  for (const OpCase& c : op_cases()) {
    INFO(c.title());
    CHECK(++titles[c.title()] == 1);
  }
}

TEST_CASE("every kernel is run by a case on cpu", "[ops]") { check_kernels("cpu"); }
TEST_CASE("every kernel is run by a case on webgl", "[ops][webgl]") { check_kernels("webgl"); }

}  // namespace
}  // namespace sg::tests

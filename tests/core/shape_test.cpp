// Shapes, broadcasting, and the table of kernels as the rest of the core sees it.
#include "core/shape.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "core/kernels.h"
#include "io/error.h"

namespace sg::tests {
namespace {

TEST_CASE("a shape counts its elements and names its axes from either end", "[core]") {
  const Shape shape{2, 3, 4};
  CHECK(shape.rank() == 3);
  CHECK(shape.size() == 24);
  CHECK(shape.product(1, 3) == 12);
  CHECK(shape.axis(-1) == 2);
  CHECK(shape.axis(0) == 0);
  CHECK(str(shape) == "[2, 3, 4]");
  CHECK(Shape{}.size() == 1);
  CHECK(str(Shape{}) == "[]");
  CHECK(Shape{2, 3} == Shape{2, 3});
  CHECK_FALSE(Shape{2, 3} == Shape{3, 2});
  CHECK_FALSE(Shape{2} == Shape{2, 1});
  for (const int axis : {3, -4, 100}) CHECK_THROWS_AS(shape.axis(axis), Error);
}

TEST_CASE("a shape that is none is refused", "[core]") {
  CHECK_THROWS_AS((Shape{1, 1, 1, 1, 1, 1, 1}), Error);
  CHECK_THROWS_AS((Shape{2, -1}), Error);
  CHECK_THROWS_AS((Shape{65536, 65536}), Error);
  CHECK_THROWS_AS((Shape{65536, 65536, 65536, 65536, 65536, 65536}), Error);
  CHECK(Shape{65536, 32767}.size() == 65536ll * 32767);
  CHECK_NOTHROW(check_elements(2147483647));
  CHECK_THROWS_AS(check_elements(2147483648), Error);
}

TEST_CASE("strides are row-major, and 0 where an axis stretches", "[core]") {
  const auto s = strides(Shape{2, 1, 3, 4});
  CHECK((s[0] == 12 && s[1] == 0 && s[2] == 4 && s[3] == 1));
}

TEST_CASE("shapes broadcast by NumPy's rule", "[core]") {
  CHECK(broadcast(Shape{3, 1}, Shape{1, 5}, "add") == Shape{3, 5});
  CHECK(broadcast(Shape{}, Shape{2, 3}, "add") == Shape{2, 3});
  CHECK(broadcast(Shape{4}, Shape{2, 3, 4}, "add") == Shape{2, 3, 4});
  CHECK(broadcast(Shape{2, 3, 4}, Shape{3, 1}, "add") == Shape{2, 3, 4});
  CHECK_THROWS_WITH(broadcast(Shape{2, 3}, Shape{3, 2}, "divide"),
                    Catch::Contains("divide") && Catch::Contains("[2, 3]") && Catch::Contains("[3, 2]"));
}

TEST_CASE("every kernel keeps to the limits of the devices", "[core]") {
  std::set<std::string> names;
  for (int k = 0; k < static_cast<int>(Kernel::count); ++k) {
    const KernelInfo& kernel = info(static_cast<Kernel>(k));
    INFO(kernel.name);
    CHECK(names.insert(std::string(kernel.name)).second);
    CHECK(kernel.inputs.size() <= 13);
    CHECK(kernel.outputs.size() >= 1);
    CHECK(kernel.outputs.size() <= 6);
    CHECK(kernel.parameter_bytes % 4 == 0);
    std::set<std::string> buffers(kernel.inputs.begin(), kernel.inputs.end());
    buffers.insert(kernel.outputs.begin(), kernel.outputs.end());
    CHECK(buffers.size() == kernel.inputs.size() + kernel.outputs.size());
    CHECK(buffers.count("") == 0);
    size_t fields = 0;
    for (const char c : kernel.parameters) fields += c == '(';
    CHECK(fields * 4 == kernel.parameter_bytes);
  }
  CHECK(info(Kernel::matmul).name == "matmul");
  CHECK(info(Kernel::lstm_step).outputs[1] == "c_next");
  CHECK(info(Kernel::fill).inputs.empty());
}

}  // namespace
}  // namespace sg::tests

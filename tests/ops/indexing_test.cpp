// What picking elements must not do: let NaN through from a side that was not chosen, read beyond the end, or depend on
// anything but its inputs.
#include <catch2/catch.hpp>
#include <cmath>

#include "io/error.h"
#include "tests/ops/compare.h"
#include "tests/ops/devices.h"

namespace sg::tests {
namespace {

using Floats = std::vector<float>;

Tensor made(const std::string& device_name, const Sizes& sizes, const Floats& values) {
  return Tensor::from(device(device_name), shape_of(sizes), values);
}

const char* const kDevices[]{"cpu", "webgl"};

TEST_CASE("what where does not choose leaves no trace, forward or backward", "[ops][webgl]") {
  for (const std::string name : kDevices) {
    INFO(name);
    for (const bool stretched : {false, true}) {
      const Tensor condition = made(name, {5}, {1, 0, 1, 0, -3});
      Tensor a = made(name, {5}, {1, NAN, 2, INFINITY, 3}).set_requires_grad();
      Tensor b = stretched ? made(name, {1}, {7}) : made(name, {5}, {NAN, 4, -INFINITY, 5, NAN});
      b.set_requires_grad();
      const Tensor y = ops::where(condition, a, b);
      CHECK(y.values() == (stretched ? Floats{1, 7, 2, 7, 3} : Floats{1, 4, 2, 5, 3}));
      const Tensor weight = made(name, {5}, {2, 3, 4, 5, 6});
      ops::sum(ops::mul(y, weight)).backward();
      CHECK(a.grad().values() == Floats{2, 0, 4, 0, 6});
      CHECK(b.grad().values() == (stretched ? Floats{8} : Floats{0, 3, 0, 5, 0}));
    }
  }
}

TEST_CASE("an infinite gradient does not reach the side that where did not choose", "[ops][webgl]") {
  for (const std::string name : kDevices) {
    Tensor a = made(name, {2}, {1, 2}).set_requires_grad(), b = made(name, {2}, {3, 4}).set_requires_grad();
    ops::sum(ops::mul(ops::where(made(name, {2}, {1, 0}), a, b), made(name, {2}, {INFINITY, 1}))).backward();
    CHECK(a.grad().values() == Floats{INFINITY, 0});
    CHECK(b.grad().values() == Floats{0, 1});
  }
}

TEST_CASE("argmax takes the first maximum, and the first NaN before any number", "[ops][webgl]") {
  for (const std::string name : kDevices) {
    INFO(name);
    const Tensor x =
        made(name, {5, 4}, {1,         3,         3,   2, INFINITY, NAN,      1,  NAN, -INFINITY, -INFINITY,
                            -INFINITY, -INFINITY, NAN, 5, NAN,      INFINITY, -3, -2,  INFINITY,  INFINITY});
    CHECK(ops::argmax(x, 1).values() == Floats{1, 1, 0, 0, 2});
    CHECK(ops::argmax(ops::transpose(x, 0, 1), 0).values() == Floats{1, 1, 0, 0, 2});
  }
}

TEST_CASE("a running sum keeps what is before a NaN, and its gradient what is after", "[ops][webgl]") {
  for (const std::string name : kDevices) {
    for (const int n : {8, 200}) {
      INFO(n << " on " << name);
      Floats ones(static_cast<size_t>(n), 1);
      ones[5] = NAN;
      const Floats y = ops::cumsum(made(name, {n}, ones), 0).values();
      for (int i = 0; i < n; ++i)
        CHECK((i < 5 ? y[static_cast<size_t>(i)] == static_cast<float>(i + 1) : std::isnan(y[static_cast<size_t>(i)])));
      Tensor x = made(name, {n}, Floats(static_cast<size_t>(n), 1)).set_requires_grad();
      ops::sum(ops::mul(ops::cumsum(x, 0), made(name, {n}, ones))).backward();
      const Floats dx = x.grad().values();
      for (int i = 0; i < n; ++i)
        CHECK(
            (i > 5 ? dx[static_cast<size_t>(i)] == static_cast<float>(n - i) : std::isnan(dx[static_cast<size_t>(i)])));
    }
  }
}

TEST_CASE("an index outside is an error on cpu that names it", "[ops]") {
  const Tensor weight = made("cpu", {3, 4}, Floats(12, 1));
  for (const auto& [index, said] : std::vector<std::pair<float, std::string>>{
           {3, "index 3"}, {-1, "index -1"}, {0.5f, "index 0.5"}, {1e9f, "index 1e+09"}, {NAN, "nan"}}) {
    const Tensor one = made("cpu", {3}, {0, index, 1}), same_rank = made("cpu", {1, 3}, {0, index, 1});
    for (const bool whole_rows : {true, false}) {
      try {
        whole_rows ? ops::embedding(one, weight) : ops::gather(weight, 0, same_rank);
        FAIL_CHECK(index << " was taken");
      } catch (const Error& error) {
        INFO(error.message());
        CHECK(error.message().find(said) != std::string::npos);
        CHECK(error.message().find("0 to 2") != std::string::npos);
      }
    }
  }
}

TEST_CASE("an index outside reads 0 on webgl and changes no gradient", "[ops][webgl]") {
  for (const float index : {3.0f, -1.0f, 0.5f, 1e9f, -1e30f, INFINITY, NAN}) {
    INFO(index);
    Tensor weight = made("webgl", {3, 2}, {1, 2, 3, 4, 5, 6}).set_requires_grad();
    const Tensor y = ops::embedding(made("webgl", {3}, {2, index, 0}), weight);
    CHECK(y.values() == Floats{5, 6, 0, 0, 1, 2});
    ops::sum(y).backward();
    CHECK(weight.grad().values() == Floats{1, 1, 0, 0, 1, 1});
    Tensor x = made("webgl", {3, 2}, {1, 2, 3, 4, 5, 6}).set_requires_grad();
    const Tensor z = ops::gather(x, 0, made("webgl", {2, 2}, {2, index, 1, 1}));
    CHECK(z.values() == Floats{5, 0, 3, 4});
    ops::sum(z).backward();
    CHECK(x.grad().values() == Floats{0, 0, 1, 1, 1, 0});
  }
}

TEST_CASE("a window that leaves the series is an error on cpu, and 0 on webgl", "[ops][webgl]") {
  for (const auto& [high, low] : std::vector<std::pair<float, float>>{
           {0, 4}, {0, -1}, {1, 0}, {-1, 0}, {0, 0.5f}, {0.5f, 0}, {1e9f, 0}, {NAN, 0}, {0, NAN}, {0, 5000}}) {
    INFO(high << " " << low);
    const Floats series{1, 2, 3, 4, 5}, starts{0, 3, high, low};
    try {
      ops::windows(made("cpu", {5, 1}, series), made("cpu", {2, 2}, starts), 0, 2);
      FAIL_CHECK("it was taken");
    } catch (const Error& error) {
      CHECK(error.message().find("2 rows at row ") != std::string::npos);
      CHECK(error.message().find("within the 5 rows") != std::string::npos);
    }
    if (high == 0.5f || low == 0.5f) continue;  // halves are cut to whole numbers there
    const Tensor y = ops::windows(made("webgl", {5, 1}, series), made("webgl", {2, 2}, starts), 0, 2);
    CHECK(y.values() == Floats{4, 5, 0, 0});
  }
}

TEST_CASE("a row's number has two halves that floats hold", "[ops]") {
  for (const uint32_t row : {0u, 1u, 4095u, 4096u, 4097u, 16777217u, 2147483647u}) {
    const auto [high, low] = ops::halves_of(row);
    CHECK(int64_t{4096} * static_cast<int64_t>(high) + static_cast<int64_t>(low) == int64_t{row});
  }
}

TEST_CASE("an embedding's gradient adds rows in one order: the same bits each time", "[ops][webgl]") {
  const int count = 3001, rows = 7, width = 5;
  OpCase c;
  c.op = "embedding twice";
  c.inputs = {{{count}, 0, rows, Draw::whole, false}, {{rows, width}}, {{count, width}, -1e4, 1e4}};
  const Values values = input_values(c);
  for (const std::string name : kDevices) {
    INFO(name);
    Floats first;
    for (int run = 0; run < 3; ++run) {
      Tensor weight = made(name, {rows, width}, values[1]).set_requires_grad();
      const Tensor y = ops::embedding(made(name, {count}, values[0]), weight);
      ops::sum(ops::mul(y, made(name, {count, width}, values[2]))).backward();
      if (run == 0) first = weight.grad().values();
      CHECK(weight.grad().values() == first);
    }
  }
}

}  // namespace
}  // namespace sg::tests

// The functions over four floats against the C++ library in double: accuracy over their whole range, and what happens
// to NaN, infinities and numbers that are almost zero.
#include "cpu/simd.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "tests/cpu/runner.h"

namespace sg::cpu_test {
namespace {

using cpu::vf;
const float kInfinity = INFINITY;

/// The largest relative error of f on 200 001 points of [low, high].
template <class F, class G>
double relative_error(F f, G want, double low, double high) {
  double error = 0;
  const int points = 200000;
  for (int i = 0; i <= points; ++i) {
    const float x = static_cast<float>(low + (high - low) * i / points);
    const double expected = want(static_cast<double>(x));
    if (expected == 0) continue;
    error = std::max(error, std::abs(static_cast<double>(f(x)) - expected) / std::abs(expected));
  }
  return error;
}

bool same_bits(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0; }

TEST_CASE("exp, log, log1p, tanh, sigmoid and sqrt are within 1e-6 of the exact values", "[cpu]") {
  const auto exp = [](float x) { return cpu::exp(x); };
  const auto log = [](float x) { return cpu::log(x); };
  const auto tanh = [](float x) { return cpu::tanh(x); };
  const auto logistic = [](float x) { return cpu::sigmoid(cpu::splat(x))[0]; };
  const auto log1p = [](float x) { return cpu::log1p(x); };
  const auto exact_log1p = [](double x) { return std::log1p(x); };
  const auto exact_log = [](double x) { return std::log(x); };
  CHECK(relative_error(
            exp, [](double x) { return std::exp(x); }, -86.98, 88.72) < 3e-7);
  CHECK(relative_error(
            exp, [](double x) { return std::exp(x); }, -1, 1) < 2e-7);
  CHECK(relative_error(log, exact_log, 1e-6, 4) < 3e-7);
  CHECK(relative_error(log, exact_log, 0.99, 1.01) < 3e-7);
  CHECK(relative_error(log, exact_log, 4, 3e38) < 3e-7);
  CHECK(relative_error(log, exact_log, 1e-45, 1e-38) < 3e-7);
  CHECK(relative_error(log1p, exact_log1p, -0.999, 4) < 3e-7);
  CHECK(relative_error(log1p, exact_log1p, -1e-3, 1e-3) < 2e-7);
  CHECK(relative_error(log1p, exact_log1p, 4, 3e38) < 3e-7);
  CHECK(relative_error(
            tanh, [](double x) { return std::tanh(x); }, -12, 12) < 1e-6);
  CHECK(relative_error(
            tanh, [](double x) { return std::tanh(x); }, -1e-3, 1e-3) < 1e-6);
  CHECK(relative_error(logistic, sigmoid, -80, 80) < 1e-6);
  CHECK(relative_error([](float x) { return cpu::sqrt(x); }, [](double x) { return std::sqrt(x); }, 0, 1e6) < 1e-7);
}

TEST_CASE("tanh and sigmoid never leave their ranges", "[cpu]") {
  for (float x = -20; x < 20; x += 0.001f) {
    if (std::abs(cpu::tanh(x)) > 1) FAIL("tanh(" << x << ") is " << cpu::tanh(x));
    const float s = cpu::sigmoid(cpu::splat(x))[0];
    if (!(s >= 0 && s <= 1)) FAIL("sigmoid(" << x << ") is " << s);
  }
  SUCCEED();
}

TEST_CASE("NaN goes in as NaN and comes out as NaN", "[cpu]") {
  for (const float nan : {NAN, -NAN}) {
    CHECK(std::isnan(cpu::exp(nan)));
    CHECK(std::isnan(cpu::log(nan)));
    CHECK(std::isnan(cpu::tanh(nan)));
    CHECK(std::isnan(cpu::sqrt(nan)));
    CHECK(std::isnan(cpu::abs(nan)));
    CHECK(std::isnan(cpu::max(nan, 1.0f)));
    CHECK(std::isnan(cpu::max(1.0f, nan)));
    CHECK(std::isnan(cpu::min(nan, 1.0f)));
    CHECK(std::isnan(cpu::min(1.0f, nan)));
    CHECK(std::isnan(cpu::max(cpu::splat(nan), 0.0f)[3]));
    CHECK(std::isnan(cpu::flush(cpu::splat(nan))[0]));
    CHECK(std::isnan(cpu::sigmoid(cpu::splat(nan))[0]));
  }
  CHECK(std::isnan(cpu::log(-1.0f)));
  CHECK(std::isnan(cpu::log(-kInfinity)));
  CHECK(std::isnan(cpu::sqrt(-1.0f)));
}

TEST_CASE("infinities and overflow end where the mathematics says", "[cpu]") {
  CHECK(cpu::exp(kInfinity) == kInfinity);
  CHECK(cpu::exp(88.73f) == kInfinity);
  CHECK(cpu::exp(1e30f) == kInfinity);
  CHECK(cpu::exp(-kInfinity) == 0);
  CHECK(cpu::exp(-104.0f) == 0);
  CHECK(cpu::exp(0.0f) == 1);
  CHECK(std::isfinite(cpu::exp(88.72f)));
  CHECK(cpu::log(0.0f) == -kInfinity);
  CHECK(cpu::log(-0.0f) == -kInfinity);
  CHECK(cpu::log(kInfinity) == kInfinity);
  CHECK(cpu::log(1.0f) == 0);
  CHECK(cpu::tanh(kInfinity) == Approx(1).epsilon(1e-6));
  CHECK(cpu::tanh(-kInfinity) == Approx(-1).epsilon(1e-6));
  CHECK(cpu::sigmoid(cpu::splat(-kInfinity))[0] == 0);
  CHECK(cpu::sigmoid(cpu::splat(kInfinity))[0] == 1);
  CHECK(cpu::max(-kInfinity, -3e38f) == -3e38f);
  CHECK(cpu::min(kInfinity, 3e38f) == 3e38f);
}

TEST_CASE("sign, step and flush are what pointwise.def says", "[cpu]") {
  CHECK(cpu::sign(3.0f) == 1);
  CHECK(cpu::sign(-3.0f) == -1);
  CHECK(cpu::sign(0.0f) == 0);
  CHECK(cpu::step(1.0f, 1.0f) == 1);
  CHECK(cpu::step(1.0f, 0.5f) == 0);
  CHECK(cpu::abs(-2.5f) == 2.5f);
  CHECK(cpu::flush(cpu::splat(-1e-31f))[2] == 0);
  CHECK(cpu::flush(cpu::splat(-1e-29f))[2] == -1e-29f);
}

TEST_CASE("a float function gives the bits of any lane", "[cpu]") {
  for (const float x : numbers(1000, 7, -30, 30)) {
    const vf four{0.25f, x, -1, x};
    const bool same = same_bits(cpu::exp(x), cpu::exp(four)[1]) && same_bits(cpu::tanh(x), cpu::tanh(four)[3]) &&
                      same_bits(cpu::log(x * x), cpu::log(four * four)[1]);
    if (!same) FAIL("at " << x);
  }
  SUCCEED();
}

}  // namespace
}  // namespace sg::cpu_test

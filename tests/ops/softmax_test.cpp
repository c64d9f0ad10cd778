// Softmax beside infinities, and large means in the normalisations: what finite differences cannot test.
#include <catch2/catch.hpp>
#include <cmath>

#include "io/error.h"
#include "tests/ops/compare.h"
#include "tests/ops/devices.h"

namespace sg::tests {
namespace {

using Floats = std::vector<float>;
const float kInf = INFINITY, kNaN = std::nanf("");

/// Rows of three: one finite number, two of them, none, and one beyond all.
const Floats kRows{-kInf, 2, -kInf, 1, -kInf, 1, -kInf, -kInf, -kInf, 0, kInf, 1};
const double kHalf = std::log(2.0);

void check(const Tensor& y, const std::vector<double>& want) { CHECK(difference(y.values(), want, 1e-6, 0.1) == ""); }

void check_infinities(const std::string& name) {
  INFO(name);
  Device& d = device(name);
  const Tensor x = Tensor::from(d, {4, 3}, kRows), turned = ops::transpose(x, 0, 1);
  const std::vector<double> want{0, 1, 0, 0.5, 0, 0.5, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN};
  check(ops::softmax(x, 1), want);
  check(ops::transpose(ops::softmax(turned, 0), 0, 1), want);
  const std::vector<double> logarithms{-kInf, 0, -kInf, -kHalf, -kInf, -kHalf, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN};
  check(ops::log_softmax(x, 1), logarithms);
  check(ops::transpose(ops::log_softmax(turned, 0), 0, 1), logarithms);
  const std::vector<double> sums{2, 1 + kHalf, -kInf, kInf};
  check(ops::logsumexp(x, 1), sums);
  check(ops::logsumexp(turned, 0), sums);
}

/// A row of 2000, cut into pieces on webgl, in which only the last one has a finite number.
void check_long_row(const std::string& name) {
  INFO(name);
  Device& d = device(name);
  Floats row(2000, -kInf);
  row[1998] = -7;
  std::vector<double> want(row.size(), 0.0);
  want[1998] = 1;
  const Tensor x = Tensor::from(d, {1, 2000}, row);
  check(ops::softmax(x, 1), want);
  check(ops::softmax(ops::reshape(x, Shape{2000, 1}), 0), want);
  check(ops::logsumexp(x, 1), {-7});
}

/// Means of 4096 with steps of 1/256 around them: the variance is 1/65536 exactly, and a float holds every number.
void check_large_means(const std::string& name) {
  INFO(name);
  Device& d = device(name);
  for (const int n : {8, 600}) {
    Floats values;
    std::vector<double> want;
    for (int i = 0; i < 2 * n; ++i) {
      values.push_back(4096 + (i % 2 ? 1.0f : -1.0f) / 256);
      want.push_back(i % 2 ? 1 : -1);
    }
    const Tensor x = Tensor::from(d, {2, n}, values);
    const auto y = ops::layer_norm(x, {}, {}, 0).values();
    const auto z = ops::batch_norm(ops::transpose(x, 0, 1), {}, {}, 0).values();
    CHECK(difference(y, want, 1e-5, 1) == "");
    for (size_t i = 0; i < z.size(); ++i) REQUIRE(std::abs(z[i]) == Approx(1));
  }
}

TEST_CASE("softmax is what the limit says beside infinities on cpu", "[ops]") { check_infinities("cpu"); }
TEST_CASE("softmax is what the limit says beside infinities on webgl", "[ops][webgl]") { check_infinities("webgl"); }
TEST_CASE("a long row of -inf but for one number is right on cpu", "[ops]") { check_long_row("cpu"); }
TEST_CASE("a long row of -inf but for one number is right on webgl", "[ops][webgl]") { check_long_row("webgl"); }
TEST_CASE("a variance survives a mean that is large beside it on cpu", "[ops]") { check_large_means("cpu"); }
TEST_CASE("a variance survives a mean that is large beside it on webgl", "[ops][webgl]") { check_large_means("webgl"); }

TEST_CASE("a normalisation or softmax that cannot take its inputs says its name and the shapes", "[ops]") {
  Device& d = device("cpu");
  const auto zeros = [&](const Shape& shape) { return Tensor::full(d, shape, 0); };
  const Tensor x = zeros({2, 6}), four = zeros({4}), none;
  const auto refuses = [](const std::string& op, const std::string& shape, auto call) {
    INFO(op << " " << shape);
    try {
      call();
      FAIL_CHECK("nothing was thrown");
    } catch (const Error& error) {
      CHECK(error.code() == "shape.mismatch");
      CHECK(error.message().find(op) != std::string::npos);
      CHECK(error.message().find(shape) != std::string::npos);
    }
  };
  refuses("softmax", "[2, 6]", [&] { ops::softmax(x, 2); });
  refuses("log_softmax", "[2, 6]", [&] { ops::log_softmax(x, -3); });
  refuses("logsumexp", "[]", [&] { ops::logsumexp(zeros({}), 0); });
  refuses("layer_norm", "[4]", [&] { ops::layer_norm(x, four, none); });
  refuses("layer_norm", "bias [4]", [&] { ops::layer_norm(x, none, four); });
  refuses("rms_norm", "[4]", [&] { ops::rms_norm(x, four); });
  refuses("batch_norm", "[4]", [&] { ops::batch_norm(four, none, none); });
  refuses("batch_norm", "weight [4]", [&] { ops::batch_norm(x, four, none); });
  refuses("batch_norm_with", "[4]", [&] { ops::batch_norm_with(x, four, four, none, none); });
  refuses("group_norm", "[2, 6]", [&] { ops::group_norm(x, 4, none, none); });
  refuses("group_norm", "[4]", [&] { ops::group_norm(x, 2, four, none); });
  const Tensor q = zeros({1, 2, 3, 4}), k = zeros({1, 2, 5, 4});
  refuses("scaled_dot_product_attention", "[1, 2, 5, 4]", [&] { ops::scaled_dot_product_attention(q, k, q); });
  refuses("scaled_dot_product_attention", "[2, 6]", [&] { ops::scaled_dot_product_attention(q, k, k, false, x); });
  refuses("multi_head_attention", "[1, 3, 12]", [&] { ops::multi_head_attention(zeros({1, 3, 12}), 3); });
  refuses("multi_head_attention", "[2, 6]", [&] { ops::multi_head_attention(zeros({1, 3, 12}), 2, false, x); });
  refuses("multi_head_attention", "[1, 5, 6]", [&] {
    ops::multi_head_attention(zeros({1, 3, 6}), zeros({1, 5, 6}), 2);
  });
  refuses("rotary_heads", "[1, 3, 6]", [&] { ops::rotary_heads(zeros({1, 3, 6}), 2, 1); });
  refuses("rotary_heads", "3 of 2", [&] { ops::rotary_heads(zeros({1, 3, 8}), 2, 3); });
  refuses("rotary", "[1, 1, 2, 3]", [&] { ops::rotary(zeros({1, 1, 2, 3})); });
  refuses("rotary", "-1", [&] { ops::rotary(q, -1); });
}

}  // namespace
}  // namespace sg::tests

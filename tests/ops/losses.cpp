// Losses where they are easily wrong: logits beyond the range of exp, perfect predictions, nothing that counts, targets
// that are no class, and what each says when its inputs do not fit.
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

#include "io/error.h"
#include "tests/ops/compare.h"
#include "tests/ops/devices.h"

namespace sg::tests {
namespace {

using Floats = std::vector<float>;

Tensor constant(Device& d, const Sizes& sizes, const Floats& values) {
  return Tensor::from(d, shape_of(sizes), values);
}
Tensor leaf(Device& d, const Sizes& sizes, const Floats& values) {
  return constant(d, sizes, values).set_requires_grad();
}

/// The loss, and then its gradient to `x`, are these.
void expect(const Tensor& loss, double value, const Tensor& x, const std::vector<double>& gradient) {
  CHECK(loss.rank() == 0);
  CHECK(difference(loss.values(), std::vector<double>{value}, 1e-6, 1e-3) == "");
  loss.backward();
  CHECK(difference(x.grad().values(), gradient, 1e-6, 1e-3) == "");
}

void check_large_logits(Device& d) {
  const Tensor x = leaf(d, {6}, {1e4f, 1e4f, -1e4f, -1e4f, 0, 1e4f});
  const Tensor t = constant(d, {6}, {1, 0, 1, 0, 0.5f, 0.25f});
  const double each = 1.0 / 6;
  expect(ops::binary_cross_entropy_with_logits(x, t), (1e4 + 1e4 + std::log(2.0) + 7500) / 6, x,
         {0, each, -each, 0, 0, 0.75 * each});
  const Tensor weighted = leaf(d, {2}, {-1e4f, 1e4f});
  expect(ops::binary_cross_entropy_with_logits(weighted, constant(d, {2}, {1, 0}), 3), (3e4 + 1e4) / 2, weighted,
         {-1.5, 0.5});

  const Tensor logits = leaf(d, {3, 3}, {1e4f, -1e4f, 0, 1e4f, -1e4f, 0, 1e4f, 1e4f, 1e4f});
  const double third = 1.0 / 3, ninth = 1.0 / 9;
  expect(ops::cross_entropy(logits, constant(d, {3}, {0, 1, 2})), (2e4 + std::log(3.0)) / 3, logits,
         {0, 0, 0, third, -third, 0, ninth, ninth, ninth - third});
}

void check_perfect(Device& d) {
  const Floats values{-3, 0, 0.5f, 1e3f};
  const std::vector<double> none(4, 0);
  const Tensor t = constant(d, {4}, values);
  for (const auto& loss : std::vector<std::function<Tensor(const Tensor&)>>{
           [&](const Tensor& x) { return ops::mse_loss(x, t); }, [&](const Tensor& x) { return ops::l1_loss(x, t); },
           [&](const Tensor& x) { return ops::huber_loss(x, t); }}) {
    const Tensor x = leaf(d, {4}, values);
    expect(loss(x), 0, x, none);
  }
  const Tensor x = leaf(d, {4}, values), y = leaf(d, {4}, values);
  expect(ops::gaussian_nll_loss(x, t, Tensor::full(d, {4}, 2)), std::log(4 * std::acos(-1.0)) / 2, x, none);
  const double cauchy = std::log(2 * std::acos(-1.0));  // 1 / (π scale) at its middle
  expect(ops::student_t_nll_loss(y, Tensor::full(d, {1}, 2), Tensor::full(d, {}, 1), t), cauchy, y, none);
  const Tensor sure = leaf(d, {2, 2}, {200, 0, 0, 200});
  expect(ops::cross_entropy(sure, constant(d, {2}, {0, 1})), 0, sure, none);
}

/// A quantile pulls up with q from below and down with 1 - q from above; each column has its own.
void check_quantiles(Device& d) {
  const Floats q{0.1f, 0.5f, 0.9f};
  const Tensor x = leaf(d, {2, 3}, {0, 0, 0, 4, 4, 4});
  expect(ops::quantile_loss(x, constant(d, {2}, {2, 2}), q), 2 * (0.1 + 0.5 + 0.9 + 0.9 + 0.5 + 0.1) / 6, x,
         {-0.1 / 6, -0.5 / 6, -0.9 / 6, 0.9 / 6, 0.5 / 6, 0.1 / 6});
  const Tensor at = leaf(d, {1, 3}, {2, 2, 2}), target = leaf(d, {1}, {2});
  expect(ops::quantile_loss(at, target, q), 0, at, {0.4 / 3, 0, -0.4 / 3});  // the middle of both slopes
  CHECK(std::abs(target.grad().item()) < 1e-7f);
}

/// Samples of weight 0 do not count, and where none counts the loss is 0 and moves nothing.
void check_zero_weights(Device& d) {
  const Tensor x = leaf(d, {3, 2}, {1, 2, 3, 4, 5, 6}), t = Tensor::full(d, {3, 2}, 0);
  expect(ops::mse_loss(x, t, constant(d, {3}, {2, 0, 0})), 2.5, x, {1, 2, 0, 0, 0, 0});
  const std::vector<double> none(6, 0);
  const Tensor nothing = Tensor::full(d, {3}, 0), classes = constant(d, {3}, {0, 1, 0});
  const Tensor column = constant(d, {3}, {1, 2, 3});
  const Floats q{0.25f, 0.5f};
  for (const auto& loss : std::vector<std::function<Tensor(const Tensor&)>>{
           [&](const Tensor& y) { return ops::mse_loss(y, t, nothing); },
           [&](const Tensor& y) { return ops::l1_loss(y, t, nothing); },
           [&](const Tensor& y) { return ops::huber_loss(y, t, 1, nothing); },
           [&](const Tensor& y) { return ops::quantile_loss(y, column, q, nothing); },
           [&](const Tensor& y) { return ops::gaussian_nll_loss(y, t, Tensor::full(d, {1}, 2), 1e-6f, nothing); },
           [&](const Tensor& y) {
             return ops::student_t_nll_loss(y, Tensor::full(d, {1}, 2), Tensor::full(d, {1}, 3), t, nothing);
           },
           [&](const Tensor& y) { return ops::binary_cross_entropy_with_logits(y, t, 1, nothing); },
           [&](const Tensor& y) { return ops::cross_entropy(y, classes, {.sample_weight = nothing}); },
           [&](const Tensor& y) {
             return ops::cross_entropy(y, classes, {.class_weight = Tensor::full(d, {2}, 0)});
           }}) {
    const Tensor y = leaf(d, {3, 2}, {1, 2, 3, 4, 5, 6});
    expect(loss(y), 0, y, none);
  }
}

/// What is ignored may be anything, NaN included.
void check_ignored(Device& d) {
  const float nan = std::nanf("");
  const Tensor x = leaf(d, {3, 2}, {0, 0, nan, 1, 0, 0});
  expect(ops::cross_entropy(x, constant(d, {3}, {0, -100, 1})), std::log(2.0), x, {-0.25, 0.25, 0, 0, 0.25, -0.25});
  for (const float smoothing : {0.0f, 0.1f}) {
    const Tensor all = leaf(d, {2, 3}, {1, 2, 3, nan, 5, 6});
    expect(ops::cross_entropy(all, constant(d, {2}, {1, 1}), {.label_smoothing = smoothing, .ignore_index = 1}), 0, all,
           std::vector<double>(6, 0));
  }
}

/// Variances below eps count as eps, in the gradient too; negative ones as well.
void check_clamped_variance(Device& d) {
  const Tensor var = leaf(d, {3}, {0, -1, 4});
  const Tensor x = constant(d, {3}, {1, 0, 2}), t = Tensor::full(d, {3}, 0);
  const double two_pi = 2 * std::acos(-1.0), eps = 0.25;
  const double want = (std::log(two_pi * eps) + 4 + std::log(two_pi * eps) + std::log(two_pi * 4) + 1) / 2 / 3;
  expect(ops::gaussian_nll_loss(x, t, var, 0.25f), want, var,
         {(1 / eps - 1 / (eps * eps)) / 6, 1 / eps / 6, (0.25 - 0.25) / 6});
}

/// Student's t becomes the normal distribution as df grows, without losing digits on the way.
void check_many_degrees(Device& d) {
  const Floats errors{-3, -0.5f, 0, 1, 2.5f};
  const Tensor zero = Tensor::full(d, {5}, 0), one = Tensor::full(d, {5}, 1), x = constant(d, {5}, errors);
  const double normal = ops::gaussian_nll_loss(x, zero, one).item();
  for (const float df : {1e5f, 1e6f, 1e8f}) {
    const Tensor freedom = leaf(d, {}, {df});
    const Tensor loss = ops::student_t_nll_loss(x, one, freedom, zero);
    CHECK(loss.item() == Approx(normal).epsilon(2e-5));
    loss.backward();
    CHECK(std::abs(freedom.grad().item()) < 1e-6f);
  }
}

/// A target that is no class stops the run: with an error, or with NaN where a kernel cannot throw.
void check_no_class(const std::string& name) {
  Device& d = device(name);
  for (const float wrong : {3.0f, -1.0f, 0.5f, 1e9f, -1e9f, std::nanf("")}) {
    INFO("target " << wrong << " on " << name);
    const Tensor x = leaf(d, {3, 3}, Floats(9, 0)), t = constant(d, {3}, {0, wrong, 2});
    if (name == "cpu") {
      try {
        ops::cross_entropy(x, t);
        FAIL_CHECK("nothing was thrown");
      } catch (const Error& error) {
        CHECK(error.message().find("cross_entropy") != std::string::npos);
        CHECK(error.message().find("target " + std::to_string(wrong) + " at row 1") != std::string::npos);
      }
    } else {
      const Tensor loss = ops::cross_entropy(x, t);
      CHECK(std::isnan(loss.item()));
      loss.backward();
      CHECK(std::isnan(x.grad().values()[4]));
    }
  }
}

void check_all(const std::string& name) {
  INFO("on " << name);
  Device& d = device(name);
  check_large_logits(d);
  check_perfect(d);
  check_quantiles(d);
  check_zero_weights(d);
  check_ignored(d);
  check_clamped_variance(d);
  check_many_degrees(d);
  check_no_class(name);
}

TEST_CASE("losses are right at the edges on cpu", "[ops][loss]") { check_all("cpu"); }
TEST_CASE("losses are right at the edges on webgl", "[ops][loss][webgl]") { check_all("webgl"); }

struct WrongUse {
  const char* op;
  std::vector<Sizes> inputs;
  std::function<Tensor(const Tensors&)> call;
  std::vector<std::string> said;
};

const std::vector<WrongUse>& wrong_uses() {
  using namespace ops;
  static const Floats two{0.25f, 0.75f}, outside{0.25f, 1}, many(17, 0.5f), none;
  static const std::vector<WrongUse> table{
      {"mse_loss",
       {{3, 2}, {3, 2}, {2}},
       [](const Tensors& t) { return mse_loss(t[0], t[1], t[2]); },
       {"[2]", "[3, 2]"}},
      {"l1_loss", {{3}, {3}, {3, 1}}, [](const Tensors& t) { return l1_loss(t[0], t[1], t[2]); }, {"[3, 1]", "[3]"}},
      {"huber_loss", {{}, {}, {1}}, [](const Tensors& t) { return huber_loss(t[0], t[1], 1, t[2]); }, {"[1]", "[]"}},
      {"quantile_loss", {{3, 2}, {3}}, [](const Tensors& t) { return quantile_loss(t[0], t[1], outside); }, {"1.0"}},
      {"quantile_loss", {{3, 2}, {3}}, [](const Tensors& t) { return quantile_loss(t[0], t[1], none); }, {"0 quant"}},
      {"quantile_loss", {{3, 17}, {3}}, [](const Tensors& t) { return quantile_loss(t[0], t[1], many); }, {"17", "16"}},
      {"quantile_loss",
       {{3, 3}, {3}},
       [](const Tensors& t) { return quantile_loss(t[0], t[1], two); },
       {"[3, 3]", "[3]", "2"}},
      {"quantile_loss",
       {{3, 2}, {2}},
       [](const Tensors& t) { return quantile_loss(t[0], t[1], two); },
       {"[3, 2]", "[2]"}},
      {"quantile_loss",
       {{3, 2}, {3}, {2}},
       [](const Tensors& t) { return quantile_loss(t[0], t[1], two, t[2]); },
       {"[2]", "[3, 2]"}},
      {"gaussian_nll_loss",
       {{3}, {4}, {3}},
       [](const Tensors& t) { return gaussian_nll_loss(t[0], t[1], t[2]); },
       {"[3]", "[4]"}},
      {"gaussian_nll_loss",
       {{3}, {3}, {2, 3}},
       [](const Tensors& t) { return gaussian_nll_loss(t[0], t[1], t[2]); },
       {"[3]", "[2, 3]"}},
      {"gaussian_nll_loss",
       {{3}, {3}, {3}},
       [](const Tensors& t) { return gaussian_nll_loss(t[0], t[1], t[2], 0); },
       {"eps"}},
      {"student_t_nll_loss",
       {{3}, {2}, {1}, {3}},
       [](const Tensors& t) { return student_t_nll_loss(t[0], t[1], t[2], t[3]); },
       {"[2]", "[3]"}},
      {"student_t_nll_loss",
       {{3}, {1}, {2, 3}, {3}},
       [](const Tensors& t) { return student_t_nll_loss(t[0], t[1], t[2], t[3]); },
       {"df", "[2, 3]", "[3]"}},
      {"binary_cross_entropy_with_logits",
       {{3}, {3, 1}},
       [](const Tensors& t) { return binary_cross_entropy_with_logits(t[0], t[1]); },
       {"[3]", "[3, 1]"}},
      {"binary_cross_entropy_with_logits",
       {{3}, {3}},
       [](const Tensors& t) { return binary_cross_entropy_with_logits(t[0], t[1], -1); },
       {"-1"}},
      {"cross_entropy", {{3, 2}, {2}}, [](const Tensors& t) { return cross_entropy(t[0], t[1]); }, {"[3, 2]", "[2]"}},
      {"cross_entropy",
       {{3, 2, 4}, {3, 4}},
       [](const Tensors& t) { return cross_entropy(t[0], t[1]); },
       {"[3, 2, 4]", "[3, 4]"}},
      {"cross_entropy",
       {{3, 2}, {3}},
       [](const Tensors& t) { return cross_entropy(t[0], t[1], {.label_smoothing = 1.5f}); },
       {"1.5"}},
      {"cross_entropy",
       {{3, 2}, {3}, {3}},
       [](const Tensors& t) { return cross_entropy(t[0], t[1], {.class_weight = t[2]}); },
       {"[3]", "[3, 2]"}},
      {"cross_entropy",
       {{3, 2}, {3}, {2}},
       [](const Tensors& t) { return cross_entropy(t[0], t[1], {.sample_weight = t[2]}); },
       {"[2]", "[3]"}},
  };
  return table;
}

TEST_CASE("a loss that cannot take its inputs says its name and the shapes", "[ops][loss]") {
  for (const WrongUse& use : wrong_uses()) {
    Tensors t;
    for (const Sizes& s : use.inputs) t.push_back(Tensor::full(device("cpu"), shape_of(s), 0));
    std::string message = "nothing";
    try {
      use.call(t);
    } catch (const Error& error) {
      message = error.message();
    }
    INFO(use.op << " says: " << message);
    CHECK(message.rfind(use.op, 0) == 0);
    for (const std::string& part : use.said) {
      INFO("without: " << part);
      CHECK(message.find(part) != std::string::npos);
    }
  }
}

}  // namespace
}  // namespace sg::tests

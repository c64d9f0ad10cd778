#include "nn/activation.h"

#include "core/check.h"

namespace sg::nn {
namespace {

/// Rows of pointwise.def with the scalar that PyTorch gives them.
struct Row {
  ops::Unary op;
  float p = 0;
};
constexpr Row kRows[]{{ops::Unary::relu},
                      {ops::Unary::gelu},
                      {ops::Unary::silu},
                      {ops::Unary::mish},
                      {ops::Unary::tanh},
                      {ops::Unary::elu, 1},
                      {ops::Unary::leaky_relu, 0.01f}};
constexpr int kCount = static_cast<int>(std::size(kRows));

const Row& row(int index) {
  SG_CHECK(index >= 0 && index < kCount, "there is no activation " + std::to_string(index));
  return kRows[index];
}

}  // namespace

std::vector<std::string> activation_names() {
  std::vector<std::string> names;
  for (const Row& r : kRows) names.emplace_back(ops::name(r.op));
  return names;
}

Activation::Activation(int index) : op_(row(index).op), p_(row(index).p) {}

Tensor Activation::forward(const Tensor& x, Context&) const { return ops::unary(op_, x, p_); }

}  // namespace sg::nn

// A hundred steps of every optimiser against PyTorch's, from the same weights along the same gradients. (Lion is not in
// PyTorch, and its Muon rounds to bfloat16: for these two the script writes the papers' algorithms out in PyTorch.)
#include <catch2/catch.hpp>

#include "ops/ops.h"
#include "optim/optimizer.h"
#include "tests/golden/golden.h"
#include "tests/ops/devices.h"

namespace sg::tests {
namespace {

using optim::Config;
using optim::Kind;

struct OptimizerCase {
  std::string name;
  float learning_rate;
  Config config;
};

const std::vector<OptimizerCase>& all_cases() {
  static const std::vector<OptimizerCase> cases{
      {"sgd", 0.01f, {.kind = Kind::sgd}},
      {"sgd, momentum", 0.01f, {.kind = Kind::sgd, .momentum = 0.9f, .weight_decay = 0.1f, .decay_all = true}},
      {"sgd, nesterov",
       0.01f,
       {.kind = Kind::sgd, .momentum = 0.9f, .nesterov = true, .weight_decay = 0.1f, .decay_all = true}},
      {"adam", 0.01f, {.kind = Kind::adam}},
      {"adam, decay",
       0.01f,
       {.kind = Kind::adam, .beta1 = 0.8f, .beta2 = 0.95f, .eps = 1e-3f, .weight_decay = 0.1f, .decay_all = true}},
      {"adamw", 0.01f, {.kind = Kind::adamw, .weight_decay = 0.1f, .decay_all = true}},
      {"adamw, groups", 0.01f, {.kind = Kind::adamw, .beta2 = 0.95f, .weight_decay = 0.1f}},
      {"rmsprop", 0.01f, {.kind = Kind::rmsprop}},
      {"rmsprop, momentum",
       0.01f,
       {.kind = Kind::rmsprop, .momentum = 0.5f, .alpha = 0.9f, .eps = 1e-3f, .weight_decay = 0.1f, .decay_all = true}},
      {"adagrad", 0.1f, {.kind = Kind::adagrad, .eps = 1e-10f}},
      {"adagrad, decay",
       0.1f,
       {.kind = Kind::adagrad, .eps = 1e-3f, .rate_decay = 0.05f, .weight_decay = 0.1f, .decay_all = true}},
      {"lion", 0.01f, {.kind = Kind::lion, .beta2 = 0.99f}},
      {"lion, decay",
       0.01f,
       {.kind = Kind::lion, .beta1 = 0.8f, .beta2 = 0.95f, .weight_decay = 0.1f, .decay_all = true}},
      {"muon", 0.02f, {.kind = Kind::muon, .momentum = 0.95f, .nesterov = true, .weight_decay = 0.1f}},
      {"muon, original", 0.02f, {.kind = Kind::muon, .momentum = 0.5f, .match_adamw = false, .adamw_rate = 0.25f}},
      {"adam, clipped by norm", 0.01f, {.kind = Kind::adam, .clip_norm = 1.5f}},
      {"sgd, clipped by norm", 0.01f, {.kind = Kind::sgd, .momentum = 0.9f, .clip_norm = 1.5f}},
      {"sgd, clipped by value", 0.01f, {.kind = Kind::sgd, .momentum = 0.9f, .clip_value = 0.75f}},
  };
  return cases;
}

/// The loss whose gradient at any weight is `gradient`: their product's sum.
Tensor linear_loss(const Tensor& weight, const Tensor& gradient) { return ops::sum(ops::mul(weight, gradient)); }

void check_optimizers(const std::string& device_name) {
  constexpr int kSteps = 100;
  const Golden golden("optimizers.safetensors");
  Device& d = device(device_name);
  const std::vector<std::string> names = golden.after("start.");
  REQUIRE(names.size() == 3);
  for (const OptimizerCase& c : all_cases()) {
    std::vector<Parameter> parameters;
    std::vector<Tensor> gradients;
    for (const std::string& name : names) {
      parameters.push_back({name, golden.tensor(d, "start." + name).set_requires_grad()});
      gradients.push_back(golden.tensor(d, "gradients." + name));
    }
    optim::Optimizer optimizer(parameters, c.config);
    for (int t = 1; t <= kSteps; ++t) {
      INFO(c.name << " after step " << t << " on " << device_name);
      Tensor loss = Tensor::full(d, Shape{}, 0);
      for (size_t i = 0; i < names.size(); ++i)
        loss = ops::add(loss, linear_loss(parameters[i].value, ops::select(gradients[i], 0, t - 1)));
      loss.backward();
      optimizer.step(c.learning_rate, loss);
      for (const Parameter& p : parameters) {
        const std::string kept = c.name + "/" + std::to_string(t) + "." + p.name;
        if (golden.has(kept)) CHECK(golden.difference(kept, p.value) == "");
      }
    }
  }
  CHECK(golden.unread().empty());
}

TEST_CASE("a hundred steps of every optimiser are PyTorch's on cpu", "[golden]") { check_optimizers("cpu"); }
TEST_CASE("a hundred steps of every optimiser are PyTorch's on webgl", "[golden][webgl]") { check_optimizers("webgl"); }

}  // namespace
}  // namespace sg::tests

// Every loss and its gradients against PyTorch's.
#include <array>
#include <catch2/catch.hpp>
#include <functional>

#include "ops/ops.h"
#include "tests/golden/golden.h"
#include "tests/ops/devices.h"

namespace sg::tests {
namespace {

using Inputs = std::map<std::string, Tensor>;

struct LossCase {
  std::string name;
  std::function<Tensor(const Inputs&)> loss;
};

/// The input of that name, undefined where the case has none.
Tensor optional(const Inputs& in, const std::string& name) {
  const auto found = in.find(name);
  return found == in.end() ? Tensor() : found->second;
}

/// The plain loss and the one with sample weights.
void add(std::vector<LossCase>& cases, const std::string& name,
         const std::function<Tensor(const Inputs&, const Tensor& sample_weight)>& loss) {
  for (const char* how : {"", ", weighted"})
    cases.push_back({name + how, [=](const Inputs& in) { return loss(in, optional(in, "sample_weight")); }});
}

std::vector<LossCase> all_cases() {
  std::vector<LossCase> cases;
  add(cases, "mse",
      [](const Inputs& in, const Tensor& w) { return ops::mse_loss(in.at("input"), in.at("target"), w); });
  add(cases, "l1", [](const Inputs& in, const Tensor& w) { return ops::l1_loss(in.at("input"), in.at("target"), w); });
  add(cases, "huber",
      [](const Inputs& in, const Tensor& w) { return ops::huber_loss(in.at("input"), in.at("target"), 1, w); });
  add(cases, "huber, delta 0.5",
      [](const Inputs& in, const Tensor& w) { return ops::huber_loss(in.at("input"), in.at("target"), 0.5f, w); });
  add(cases, "quantile", [](const Inputs& in, const Tensor& w) {
    const std::array<float, 3> quantiles{0.1f, 0.5f, 0.9f};
    return ops::quantile_loss(in.at("input"), in.at("target"), quantiles, w);
  });
  add(cases, "gaussian_nll", [](const Inputs& in, const Tensor& w) {
    return ops::gaussian_nll_loss(in.at("input"), in.at("target"), in.at("var"), 1e-6f, w);
  });
  add(cases, "student_t_nll", [](const Inputs& in, const Tensor& w) {
    return ops::student_t_nll_loss(in.at("loc"), in.at("scale"), in.at("df"), in.at("target"), w);
  });
  add(cases, "binary_cross_entropy", [](const Inputs& in, const Tensor& w) {
    return ops::binary_cross_entropy_with_logits(in.at("logits"), in.at("target"), 1, w);
  });
  cases.push_back({"binary_cross_entropy, pos_weight", [](const Inputs& in) {
                     return ops::binary_cross_entropy_with_logits(in.at("logits"), in.at("target"), 2.5f);
                   }});
  const auto classes = [&](const std::string& name, float smoothing) {
    cases.push_back({name, [=](const Inputs& in) {
                       return ops::cross_entropy(
                           in.at("logits"), in.at("target"),
                           {.label_smoothing = smoothing, .class_weight = optional(in, "class_weight")});
                     }});
  };
  classes("cross_entropy", 0);
  classes("cross_entropy, smoothed", 0.1f);
  classes("cross_entropy, ignored", 0);
  classes("cross_entropy, class weights", 0);
  classes("cross_entropy, all at once", 0.2f);
  return cases;
}

void check_losses(const std::string& device_name) {
  const Golden golden("losses.safetensors");
  Device& d = device(device_name);
  for (const LossCase& c : all_cases()) {
    INFO(c.name << " on " << device_name);
    Inputs in;
    for (const std::string& name : golden.after(c.name + "/inputs.")) {
      in[name] = golden.tensor(d, c.name + "/inputs." + name);
      if (golden.has(c.name + "/d.inputs." + name)) in[name].set_requires_grad();
    }
    const Tensor loss = c.loss(in);
    CHECK(golden.difference(c.name + "/output", loss) == "");
    ops::mul(loss, golden.tensor(d, c.name + "/projection")).backward();
    for (const auto& [name, x] : in)
      if (x.requires_grad()) CHECK(golden.difference(c.name + "/d.inputs." + name, x.grad()) == "");
  }
  CHECK(golden.unread().empty());
}

TEST_CASE("a number that is not PyTorch's, and a shape that is not, are noticed", "[golden]") {
  const Golden golden("losses.safetensors");
  const Tensor input = golden.tensor(device("cpu"), "mse/inputs.input");
  CHECK(golden.difference("mse/inputs.input", input) == "");
  std::vector<float> values = input.values();
  values.back() += 3e-5f;  // below 2, where the tolerance is 2e-5 at most
  CHECK(golden.difference("mse/inputs.input", Tensor::from(device("cpu"), input.shape(), values)) != "");
  CHECK(golden.difference("mse/inputs.input", ops::reshape(input, Shape{12})) != "");
  CHECK_THROWS(golden.floats("mse/inputs.inputs"));
  CHECK_THROWS(Golden("none.safetensors"));
}

TEST_CASE("losses and their gradients are PyTorch's on cpu", "[golden]") { check_losses("cpu"); }
TEST_CASE("losses and their gradients are PyTorch's on webgl", "[golden][webgl]") { check_losses("webgl"); }

}  // namespace
}  // namespace sg::tests

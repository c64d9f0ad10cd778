#include "tests/golden/layers.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "ops/ops.h"
#include "tests/ops/devices.h"

namespace sg::tests {
namespace {

/// Gives every tensor the values that the file has under `prefix`; the names must be the same on both sides.
void take(const Golden& golden, const std::string& prefix, std::vector<Parameter> named) {
  std::vector<std::string> names;
  for (Parameter& p : named) {
    names.push_back(p.name);
    if (golden.has(prefix + p.name)) p.value.set_value(golden.tensor(p.value.device(), prefix + p.name));
  }
  std::sort(names.begin(), names.end());
  CHECK(names == golden.after(prefix));
}

void check_layer(const Golden& golden, const LayerCase& c, Device& d) {
  nn::Init init{d, Generator{1, 0}};
  const std::unique_ptr<nn::Module> layer = c.make ? c.make(init) : nullptr;
  const std::vector<Parameter> parameters = layer ? layer->parameters() : std::vector<Parameter>{};
  const std::vector<Parameter> buffers = layer ? layer->buffers() : std::vector<Parameter>{};
  take(golden, c.name + "/parameters.", parameters);
  take(golden, c.name + "/buffers.", buffers);
  Inputs in;
  for (const std::string& name : golden.after(c.name + "/inputs.")) {
    in[name] = golden.tensor(d, c.name + "/inputs." + name);
    if (golden.has(c.name + "/d.inputs." + name)) in[name].set_requires_grad();
  }
  nn::Context context{.training = c.training, .generator = {1, 0}};
  const Tensor y = c.forward(layer.get(), in, context);
  CHECK(golden.difference(c.name + "/output", y) == "");
  for (const Parameter& b : buffers) CHECK(golden.difference(c.name + "/after." + b.name, b.value) == "");
  ops::sum(ops::mul(y, golden.tensor(d, c.name + "/projection"))).backward();
  for (const auto& [name, x] : in)
    if (x.requires_grad()) CHECK(golden.difference(c.name + "/d.inputs." + name, x.grad()) == "");
  for (const Parameter& p : parameters) {
    INFO(p.name);
    REQUIRE(p.value.grad().defined());
    CHECK(golden.difference(c.name + "/d.parameters." + p.name, p.value.grad()) == "");
  }
}

}  // namespace

void check_layers(const std::string& file, const std::vector<LayerCase>& cases, const std::string& device_name) {
  const Golden golden(file);
  for (const LayerCase& c : cases) {
    INFO(c.name << " on " << device_name);
    check_layer(golden, c, device(device_name));
  }
  CHECK(golden.unread().empty());
}

}  // namespace sg::tests

#include "tests/ops/compare.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <sstream>

#include "core/check.h"
#include "tests/cpu/several_threads.h"
#include "tests/ops/devices.h"

namespace sg::tests {
namespace {

enum class Kind { finite, nan, plus_infinity, minus_infinity };

/// A double beyond float's range counts as the infinity that it would be rounded to.
Kind kind_of(double x) {
  if (std::isnan(x)) return Kind::nan;
  if (x > FLT_MAX) return Kind::plus_infinity;
  return x < -FLT_MAX ? Kind::minus_infinity : Kind::finite;
}

bool agree(double got, double want, double tolerance, double floor) {
  if (kind_of(got) != Kind::finite || kind_of(want) != Kind::finite) return kind_of(got) == kind_of(want);
  return std::fabs(got - want) <= tolerance * std::fmax(std::fabs(want), floor);
}

}  // namespace

std::string difference(std::span<const float> got, std::span<const double> want, double tolerance, double floor) {
  std::ostringstream out;
  out.precision(9);
  if (got.size() != want.size()) {
    out << got.size() << " values instead of " << want.size();
    return out.str();
  }
  size_t wrong = 0;
  for (size_t i = 0; i < got.size(); ++i)
    if (!agree(got[i], want[i], tolerance, floor) && wrong++ == 0)
      out << "element " << i << " is " << got[i] << ", not " << want[i];
  if (wrong > 0) out << " (" << wrong << " of " << got.size() << " differ)";
  return out.str();
}

double tolerance_of(const OpCase& c) { return 1e-5 * std::sqrt(c.terms); }
double floor_of(const OpCase& c) { return c.terms == 1 ? 0.02 : 0.1; }

std::vector<float> projection(const OpCase& c, size_t n) {
  OpCase weights;
  weights.op = c.title() + " projection";
  weights.inputs = {{{static_cast<int>(n)}, -1, 1}};
  std::vector<float> w = input_values(weights)[0];
  for (float& v : w) v += v < 0 ? -0.5f : 0.5f;
  return w;
}

Tensors tensors_of(Device& device, const OpCase& c, const Values& values) {
  Tensors tensors;
  for (size_t i = 0; i < values.size(); ++i)
    tensors.push_back(Tensor::from(device, shape_of(c.inputs[i].sizes), values[i]));
  return tensors;
}

std::vector<float> value_on(Device& device, const OpCase& c, const Values& values) {
  return c.device(device, tensors_of(device, c, values)).values();
}

std::string value_difference(Device& device, const OpCase& c) {
  const Values inputs = input_values(c);
  const Array want = c.reference(arrays_of(c, inputs));
  const Tensor got = c.device(device, tensors_of(device, c, inputs));
  if (str(got.shape()) != text(want.sizes)) return "shape " + str(got.shape()) + " instead of " + text(want.sizes);
  return difference(got.values(), want.values, tolerance_of(c), floor_of(c));
}

Values gradients_on(Device& device, const OpCase& c, const Values& values) {
  Tensors inputs = tensors_of(device, c, values);
  for (size_t i = 0; i < inputs.size(); ++i)
    if (c.inputs[i].gradient) inputs[i].set_requires_grad();
  const Tensor y = c.device(device, inputs);
  const Tensor w = Tensor::from(device, y.shape(), projection(c, static_cast<size_t>(y.size())));
  ops::sum(ops::mul(y, w)).backward();
  Values gradients;
  for (const Tensor& x : inputs) {
    SG_CHECK(x.requires_grad() == x.grad().defined(), c.title() + ": an input got no gradient");
    gradients.push_back(x.requires_grad() ? x.grad().values() : std::vector<float>());
  }
  return gradients;
}

std::string threads_difference(const OpCase& c) {
  const Values inputs = input_values(c);
  const auto results = [&] {
    Device& d = device("cpu");
    Values all{value_on(d, c, inputs)};
    if (c.gradient) {
      for (const std::vector<float>& g : gradients_on(d, c, inputs)) all.push_back(g);
    }
    return all;
  };
  const Values on_one = results();
  const cpu_test::SeveralThreads several(3);
  const Values on_three = results();
  for (size_t i = 0; i < on_one.size(); ++i) {
    const auto bits = [](float x, float y) { return std::memcmp(&x, &y, sizeof x) == 0; };
    if (std::equal(on_one[i].begin(), on_one[i].end(), on_three[i].begin(), on_three[i].end(), bits)) continue;
    return (i == 0 ? "its value" : "the gradient of input " + std::to_string(i - 1)) +
           " depends on the number of threads";
  }
  return "";
}

}  // namespace sg::tests

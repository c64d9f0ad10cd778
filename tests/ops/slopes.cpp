// Central differences of the reference, which is in double: of single inputs, all of them or, where there are many, a
// sample with both ends; and along one direction through all of them.
#include <algorithm>
#include <cmath>
#include <map>

#include "tests/ops/compare.h"

namespace sg::tests {
namespace {

constexpr double kStep = 1e-6, kRelative = 1e-3, kAbsolute = 1e-5;

/// d/ds sum(w * f(x + s * direction)) at 0, where `direction` moves the inputs by a step of any sign.
template <class Move>
double slope(const OpCase& c, const Arrays& x, const std::vector<float>& w, Move move) {
  Arrays above = x, below = x;
  move(above, kStep);
  move(below, -kStep);
  const Array high = c.reference(above), low = c.reference(below);
  double sum = 0;
  for (size_t i = 0; i < w.size(); ++i) sum += static_cast<double>(w[i]) * (high.values[i] - low.values[i]);
  return sum / (2 * kStep);
}

/// Which elements of an input of n are moved alone: the fewer, the dearer the case is.
std::vector<size_t> sample(size_t n, double cost) {
  const auto most = static_cast<size_t>(std::clamp(100000 / cost, 4.0, 24.0));
  std::vector<size_t> picked;
  for (size_t i = 0; i < std::min(n, most); ++i) picked.push_back(n <= most ? i : i * (n - 1) / (most - 1));
  return picked;
}

/// A direction in which every element moves, by 1/2 to 3/2.
std::vector<std::vector<float>> direction_of(const OpCase& c) {
  std::vector<std::vector<float>> direction;
  for (const Input& input : c.inputs) {
    OpCase named;
    named.op = c.title() + " direction " + std::to_string(direction.size());
    direction.push_back(projection(named, static_cast<size_t>(reference::count(input.sizes))));
  }
  return direction;
}

struct Slopes {
  std::vector<std::vector<size_t>> picked;  // for each input, the elements moved alone
  std::vector<std::vector<double>> alone;
  std::vector<std::vector<float>> direction;
  double along = 0;
};

Slopes make_slopes(const OpCase& c) {
  const Arrays x = arrays_of(c, input_values(c));
  const Array y = c.reference(x);
  const std::vector<float> w = projection(c, y.values.size());
  double cost = y.size() * c.terms;
  for (const Array& a : x) cost += a.size();

  Slopes s;
  for (size_t k = 0; k < x.size(); ++k) {
    s.picked.push_back(sample(c.inputs[k].gradient ? x[k].values.size() : 0, cost));
    s.alone.emplace_back();
    for (const size_t i : s.picked[k])
      s.alone[k].push_back(slope(c, x, w, [&](Arrays& a, double step) { a[k].values[i] += step; }));
  }
  s.direction = direction_of(c);
  s.along = slope(c, x, w, [&](Arrays& a, double step) {
    for (size_t k = 0; k < a.size(); ++k)
      for (size_t i = 0; c.inputs[k].gradient && i < s.direction[k].size(); ++i)
        a[k].values[i] += step * static_cast<double>(s.direction[k][i]);
  });
  return s;
}

/// Every case's slopes are worked out once, whatever the number of devices.
const Slopes& slopes_of(const OpCase& c) {
  static std::map<std::string, Slopes> known;
  const auto found = known.find(c.title());
  return found != known.end() ? found->second : known.emplace(c.title(), make_slopes(c)).first->second;
}

}  // namespace

std::string gradient_difference(const OpCase& c, const Values& gradients) {
  const Slopes& s = slopes_of(c);
  double along = 0, squares = 0;
  for (size_t k = 0; k < gradients.size(); ++k) {
    std::vector<float> got;
    double largest = 1;
    for (const size_t i : s.picked[k]) got.push_back(gradients[k][i]);
    for (const double want : s.alone[k]) largest = std::max(largest, std::fabs(want));
    const std::string wrong = difference(got, s.alone[k], kRelative, largest * kAbsolute / kRelative);
    if (!wrong.empty()) return "input " + std::to_string(k) + ", sampled " + wrong;
    for (size_t i = 0; i < gradients[k].size(); ++i) {
      const double part = static_cast<double>(gradients[k][i]) * static_cast<double>(s.direction[k][i]);
      along += part;
      squares += part * part;
    }
  }
  if (std::fabs(along - s.along) <= 1e-4 * std::sqrt(squares) + kAbsolute) return "";
  return "along all inputs " + std::to_string(along) + ", not " + std::to_string(s.along);
}

}  // namespace sg::tests

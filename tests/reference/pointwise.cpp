// Elementwise ops by their definitions, and NumPy's broadcasting of two arrays. A NaN that goes in comes
// out, but for pow and comparisons.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <stdexcept>

#include "tests/reference/reference.h"

namespace sg::reference {
namespace {

using One = std::function<double(double x, double p)>;
using Two = std::function<double(double a, double b, double p)>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

/// The derivative of log gamma for x > 0: its asymptotic series far out, and the steps down from there.
double digamma(double x) {
  if (x < 0) return kNaN;
  double steps = 0;
  for (; x < 20; x += 1) steps += 1 / x;
  const double s = 1 / (x * x);
  return std::log(x) - 1 / (2 * x) - s * (1.0 / 12 - s * (1.0 / 120 - s * (1.0 / 252 - s / 240))) - steps;
}

const std::map<std::string, One>& unaries() {
  static const std::map<std::string, One> table{
      {"neg", [](double x, double) { return 0 - x; }},
      {"abs", [](double x, double) { return std::fabs(x); }},
      {"exp", [](double x, double) { return std::exp(x); }},
      {"log", [](double x, double) { return std::log(x); }},
      {"sqrt", [](double x, double) { return std::sqrt(x); }},
      {"square", [](double x, double) { return std::pow(x, 2); }},
      {"reciprocal", [](double x, double) { return std::pow(x, -1); }},
      {"tanh", [](double x, double) { return std::tanh(x); }},
      {"sigmoid", [](double x, double) { return (std::tanh(x / 2) + 1) / 2; }},
      {"relu", [](double x, double) { return x > 0 ? x : 0; }},
      {"leaky_relu", [](double x, double p) { return x > 0 ? x : x * p; }},
      {"add_scalar", [](double x, double p) { return x + p; }},
      {"mul_scalar", [](double x, double p) { return x * p; }},
      {"sign", [](double x, double) { return x > 0   ? 1.0
                                             : x < 0 ? -1.0
                                                     : 0.0; }},
      {"floor", [](double x, double) { return std::floor(x); }},
      {"round", [](double x, double) { return std::nearbyint(x); }},
      {"rsqrt", [](double x, double) { return 1 / std::sqrt(x); }},
      {"log1p", [](double x, double) { return std::log1p(x); }},
      {"expm1", [](double x, double) { return std::expm1(x); }},
      {"sin", [](double x, double) { return std::sin(x); }},
      {"cos", [](double x, double) { return std::cos(x); }},
      {"erf", [](double x, double) { return std::erf(x); }},
      {"lgamma", [](double x, double) { return x < 0 ? kNaN : std::lgamma(x); }},
      {"digamma", [](double x, double) { return digamma(x); }},
      {"clamp_min", [](double x, double p) { return x < p ? p : x; }},
      {"clamp_max", [](double x, double p) { return x > p ? p : x; }},
      {"hardtanh", [](double x, double) { return x < -1  ? -1
                                                 : x > 1 ? 1
                                                         : x; }},
      {"softplus", [](double x, double) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }},
      {"elu", [](double x, double p) { return x > 0 ? x : p * std::expm1(x); }},
      {"gelu", [](double x, double) { return x * std::erfc(-x / std::sqrt(2)) / 2; }},
      {"gelu_tanh", [](double x, double) { return x * logistic(std::sqrt(8 / M_PI) * (x + 0.044715 * x * x * x)); }},
      {"silu", [](double x, double) { return x * logistic(x); }},
      {"mish", [](double x, double) { return x * std::tanh(std::log1p(std::exp(x))); }},
  };
  return table;
}

double huber(double error, double delta) {
  const double size = std::fabs(error);
  return size <= delta ? error * error / 2 : delta * (size - delta / 2);
}

/// -log of the normal density.
double gaussian(double error, double variance) {
  return std::log(2 * std::acos(-1) * variance) / 2 + error / variance * error / 2;
}

double softplus(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }

const std::map<std::string, Two>& binaries() {
  static const std::map<std::string, Two> table{
      {"add", [](double a, double b, double) { return a + b; }},
      {"sub", [](double a, double b, double) { return a - b; }},
      {"mul", [](double a, double b, double) { return a * b; }},
      {"div", [](double a, double b, double) { return a / b; }},
      {"maximum", [](double a, double b, double) { return a > b ? a : b; }},
      {"minimum", [](double a, double b, double) { return a < b ? a : b; }},
      {"squared_error", [](double a, double b, double) { return std::pow(a - b, 2); }},
      {"absolute_error", [](double a, double b, double) { return std::fabs(a - b); }},
      {"huber_error", [](double a, double b, double p) { return huber(a - b, p); }},
      {"div_or_zero", [](double a, double b, double) { return b == 0 ? 0 * a : a / b; }},
      {"gaussian_error", [](double a, double b, double p) { return gaussian(a, b > p ? b : p); }},
      {"logistic_error", [](double a, double b, double p) { return (1 - b) * softplus(a) + p * b * softplus(-a); }},
  };
  return table;
}

/// These alone take NaN in a way of their own: IEEE's pow, and comparisons, of which only "not equal" holds.
const std::map<std::string, Two>& with_nan() {
  static const std::map<std::string, Two> table{
      {"pow", [](double a, double b, double) { return std::pow(a, b); }},
      {"pow_scalar", [](double x, double, double p) { return std::pow(x, p); }},
      {"eq", [](double a, double b, double) { return a == b ? 1.0 : 0.0; }},
      {"ne", [](double a, double b, double) { return a != b ? 1.0 : 0.0; }},
      {"lt", [](double a, double b, double) { return a < b ? 1.0 : 0.0; }},
      {"le", [](double a, double b, double) { return a <= b ? 1.0 : 0.0; }},
      {"gt", [](double a, double b, double) { return a > b ? 1.0 : 0.0; }},
      {"ge", [](double a, double b, double) { return a >= b ? 1.0 : 0.0; }},
  };
  return table;
}

/// The element of x that stands at `index` of the broadcast result.
double broadcast_at(const Array& x, const Index& index) {
  const size_t skip = index.size() - x.sizes.size();
  size_t at = 0;
  for (size_t i = 0; i < x.sizes.size(); ++i) {
    const int own = x.sizes[i] == 1 ? 0 : index[skip + i];
    at = at * static_cast<size_t>(x.sizes[i]) + static_cast<size_t>(own);
  }
  return x.values[at];
}

template <class Table>
const typename Table::mapped_type& definition(const Table& table, const std::string& name) {
  const auto found = table.find(name);
  if (found == table.end()) throw std::out_of_range("no definition of '" + name + "' in tests/reference/pointwise.cpp");
  return found->second;
}

}  // namespace

double unary(const std::string& name, double x, double p) {
  if (const auto found = with_nan().find(name); found != with_nan().end()) return found->second(x, 0, p);
  const One& f = definition(unaries(), name);
  return std::isnan(x) ? std::numeric_limits<double>::quiet_NaN() : f(x, p);
}

double binary(const std::string& name, double a, double b, double p) {
  if (const auto found = with_nan().find(name); found != with_nan().end()) return found->second(a, b, p);
  const Two& f = definition(binaries(), name);
  return std::isnan(a) || std::isnan(b) ? std::numeric_limits<double>::quiet_NaN() : f(a, b, p);
}

Array unary(const std::string& name, const Array& x, double p) {
  Array y(x.sizes);
  for (size_t i = 0; i < y.values.size(); ++i) y.values[i] = unary(name, x.values[i], p);
  return y;
}

Array binary(const std::string& name, const Array& a, const Array& b, double p) {
  const size_t rank = std::max(a.sizes.size(), b.sizes.size());
  Sizes sizes(rank, 1);
  for (const Array* x : {&a, &b}) {
    for (size_t i = 0; i < x->sizes.size(); ++i) {
      int& size = sizes[rank - x->sizes.size() + i];
      size = std::max(size, x->sizes[i]);
    }
  }
  Array c(sizes);
  each(sizes, [&](const Index& i) { c.at(i) = binary(name, broadcast_at(a, i), broadcast_at(b, i), p); });
  return c;
}

Array expand(const Array& x, const Sizes& sizes) {
  Array y(sizes);
  each(sizes, [&](const Index& i) { y.at(i) = broadcast_at(x, i); });
  return y;
}

}  // namespace sg::reference

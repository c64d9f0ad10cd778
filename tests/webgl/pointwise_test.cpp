// Elementwise kernels on the webgl device: each row of pointwise.def against the same text read as C++ doubles, and
// the values where GLSL's own functions leave the result open.
#include <catch2/catch.hpp>
#include <cstring>
#include <set>

#include "tests/webgl/kernel_runner.h"

using namespace sg;
using namespace sg::test;

namespace row {

double max(double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b); }
double min(double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b); }
double sign(double x) { return (x > 0) - (x < 0); }
double step(double edge, double x) { return x >= edge; }
double choose(double c, double a, double b) { return c != 0 ? a : b; }
double zeros(double) { return 0; }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double round(double x) { return std::nearbyint(x); }
double mish_gate(double x) { return std::tanh(std::log1p(std::exp(x))); }
double gelu_tanh_slope(double x) {
  const double v = std::sqrt(8 / M_PI) * (x + 0.044715 * x * x * x);
  return sigmoid(v) * (1 + x * std::sqrt(8 / M_PI) * (1 + 3 * 0.044715 * x * x) * sigmoid(-v));
}
/// The k-th derivative of digamma at x: its definition as a sum, the tail by an integral.
double polygamma(int k, double x) {
  const int n = 100000;
  double sum = k == 0 ? std::log(x + n - 0.5) : 1 / (x + n - 0.5);
  for (int i = n - 1; i >= 0; --i) sum += k == 0 ? -1 / (x + i) : 1 / ((x + i) * (x + i));
  return sum;
}
double digamma(double x) { return polygamma(0, x); }
double trigamma(double x) { return polygamma(1, x); }
using std::abs, std::exp, std::log, std::sqrt, std::tanh, std::floor, std::sin, std::cos, std::pow;
using std::erf, std::erfc, std::expm1, std::lgamma, std::log1p;

struct Unary {
  const char* name;
  double (*forward)(double x, double p);
  double (*backward)(double dy, double x, double y, double p);
};
struct Binary {
  const char* name;
  double (*forward)(double a, double b, double p);
  double (*backward_a)(double dc, double a, double b, double p);
  double (*backward_b)(double dc, double a, double b, double p);
};

#define IGNORE(...) ((void)std::initializer_list<double>{__VA_ARGS__})
const Unary kUnary[] = {
#define UNARY(name, f, b)                                             \
  {#name, [](double x, double p) { return IGNORE(x, p), double(f); }, \
   [](double dy, double x, double y, double p) { return IGNORE(dy, x, y, p), double(b); }},
#define BINARY(...)
#include "ops/pointwise.def"
#undef UNARY
#undef BINARY
};
const Binary kBinary[] = {
#define UNARY(...)
#define BINARY(name, f, da, db)                                                             \
  {#name, [](double a, double b, double p) { return IGNORE(a, b, p), double(f); },          \
   [](double dc, double a, double b, double p) { return IGNORE(dc, a, b, p), double(da); }, \
   [](double dc, double a, double b, double p) { return IGNORE(dc, a, b, p), double(db); }},
#include "ops/pointwise.def"
#undef UNARY
#undef BINARY
};

}  // namespace row

namespace {

const float kInf = INFINITY;

/// Values above 0 alone.
bool wants_positive(const std::string& name) {
  const std::set<std::string> names{"log", "sqrt", "rsqrt", "reciprocal", "lgamma", "digamma"};
  return names.count(name) == 1;
}

int unary_index(const std::string& name) {
  int index = 0;
  for (const row::Unary& op : row::kUnary) {
    if (name == op.name) return index;
    ++index;
  }
  FAIL("no row " << name);
  return -1;
}

Floats apply(const std::string& name, const Floats& x) {
  return run_kernel(params::unary{.op = unary_index(name), .p = 0}, {x}, x.size())[0];
}

Floats apply_binary(const std::string& name, const Floats& a, const Floats& b) {
  int index = 0;
  while (name != row::kBinary[index].name) ++index;
  params::binary p;
  p.op = index;
  p.same = 1;
  return run_kernel(p, {a, b}, a.size())[0];
}

}  // namespace

TEST_CASE("webgl computes every unary row and its derivative as C++ does", "[webgl]") {
  int index = 0;
  for (const row::Unary& op : row::kUnary) {
    for (const size_t size : kSizes) {
      const float p = 0.3f;
      const Floats x = wants_positive(op.name) ? numbers(size, 1, 0.2f, 4) : numbers(size, 1), dy = numbers(size, 2);
      std::vector<double> y(size), dx(size);
      Floats y_given(size);
      for (size_t i = 0; i < size; ++i) {
        y[i] = op.forward(x[i], p);
        y_given[i] = static_cast<float>(y[i]);
        dx[i] = op.backward(dy[i], x[i], y_given[i], p);
      }
      INFO(op.name << " of " << size);
      CHECK(worst(run_kernel(params::unary{.op = index, .p = p}, {x}, size)[0], y) < 1e-6);
      CHECK(worst(run_kernel(params::unary_backward{.op = index, .p = p}, {x, y_given, dy}, size)[0], dx) < 1e-6);
      if (size > 5 && size < 64) break;
    }
    ++index;
  }
}

TEST_CASE("webgl computes every binary row, in one layout and broadcast", "[webgl]") {
  const int index = GENERATE(range(0, static_cast<int>(std::size(row::kBinary))));
  const row::Binary& op = row::kBinary[index];
  // c[2, 3, n] from a[2, 3, n] and b[3, 1], then from a transposed a[n, 3] and b[n].
  const int n = GENERATE(1, 3, 4, 7, 12), layout = GENERATE(0, 1, 2);
  params::binary p;
  p.op = index, p.p = 0.7f, p.same = layout == 0;
  p.d0 = p.d1 = p.d2 = 1, p.d3 = 2, p.d4 = 3, p.d5 = n;
  p.a3 = layout == 2 ? 0 : 3 * n, p.a4 = layout == 2 ? 1 : n, p.a5 = layout == 2 ? 3 : 1;
  p.b3 = layout == 0 ? 3 * n : 0, p.b4 = layout == 0 ? n : layout == 1 ? 1 : 0, p.b5 = layout == 1 ? 0 : 1;
  const auto size = static_cast<size_t>(6 * n);
  const Floats a = numbers(size, 3), b = numbers(size, 4, 0.5f, 2), dc = numbers(size, 5);
  std::vector<double> c, da, db;
  for (int i = 0; i < 6 * n; ++i) {
    const int i5 = i % n, i4 = i / n % 3, i3 = i / n / 3;
    const double left = a[static_cast<size_t>(i3 * p.a3 + i4 * p.a4 + i5 * p.a5)];
    const double right = b[static_cast<size_t>(i3 * p.b3 + i4 * p.b4 + i5 * p.b5)];
    const double grad = dc[static_cast<size_t>(i)];
    c.push_back(op.forward(left, right, p.p));
    da.push_back(op.backward_a(grad, left, right, p.p));
    db.push_back(op.backward_b(grad, left, right, p.p));
  }
  INFO(op.name << " n=" << n << " layout " << layout);
  CHECK(worst(run_kernel(p, {a, b}, size)[0], c) < 1e-6);
  params::binary_backward q;
  static_assert(sizeof(p) == sizeof(q));
  memcpy(static_cast<void*>(&q), &p, sizeof(p));
  const auto grads = run_kernel(q, {a, b, dc}, size);
  CHECK(worst(grads[0], da) < 1e-6);
  CHECK(worst(grads[1], db) < 1e-6);
}

TEST_CASE("webgl lets no NaN hide behind a maximum", "[webgl]") {
  const Floats relu = apply("relu", {NAN, -kInf, kInf, -1, 2});
  CHECK(std::isnan(relu[0]));
  CHECK((relu[1] == 0 && relu[2] == kInf && relu[3] == 0 && relu[4] == 2));
  for (const char* op : {"maximum", "minimum"}) {
    const Floats result = apply_binary(op, {NAN, 1, 1, -kInf}, {1, NAN, 2, kInf});
    CHECK(std::isnan(result[0]));
    CHECK(std::isnan(result[1]));
    CHECK(result[2] == (op[2] == 'x' ? 2 : 1));
    CHECK(result[3] == (op[2] == 'x' ? kInf : -kInf));
  }
}

TEST_CASE("webgl's exp and tanh hold at the ends of the floats", "[webgl]") {
  const Floats exp = apply("exp", {-200, -80, 0, 80, 200, NAN, kInf, -kInf});
  CHECK(exp[0] == 0);
  CHECK(std::abs(exp[1] / std::exp(-80.0) - 1) < 1e-6);
  CHECK(exp[2] == 1);
  CHECK(std::abs(exp[3] / std::exp(80.0) - 1) < 1e-6);
  CHECK(exp[4] == kInf);
  CHECK(std::isnan(exp[5]));
  CHECK((exp[6] == kInf && exp[7] == 0));
  const Floats tanh = apply("tanh", {-200, 200, 1e-6f, NAN, -1e-6f, kInf});
  CHECK((tanh[0] == Approx(-1) && tanh[1] == Approx(1)));
  CHECK(std::abs(tanh[2] - 1e-6f) < 1e-12f);
  CHECK(std::isnan(tanh[3]));
  CHECK(std::abs(tanh[4] + 1e-6f) < 1e-12f);
  CHECK(tanh[5] == Approx(1));
  const Floats log = apply("log", {0, -1, 1, kInf, NAN, 1.0001f});
  CHECK((log[0] == -kInf && std::isnan(log[1]) && log[2] == 0 && log[3] == kInf && std::isnan(log[4])));
  CHECK(log[5] == Approx(std::log(double{1.0001f})));
  const Floats sigmoid = apply("sigmoid", {-200, 200, NAN, 0});
  CHECK((sigmoid[0] == 0 && sigmoid[1] == 1 && std::isnan(sigmoid[2]) && sigmoid[3] == 0.5f));
}

TEST_CASE("webgl's sign and step have the table's meaning at 0", "[webgl]") {
  params::unary_backward p{.op = unary_index("abs"), .p = 0};
  CHECK(run_kernel(p, {{-2, 0, 3}, {2, 0, 3}, {1, 1, 1}}, 3)[0] == Floats{-1, 0, 1});
  p.op = unary_index("relu");
  CHECK(run_kernel(p, {{-2, 0, 3}, {0, 0, 3}, {1, 1, 1}}, 3)[0] == Floats{0, 0, 1});
}

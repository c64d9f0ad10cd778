// Cases of the elementwise ops: one line a row of pointwise.def, times the shapes.
#include "tests/op_cases.h"

namespace sg::tests {
namespace {

struct Row {
  const char* op;
  Input a, b;  // their sizes come from the shapes
  double p = 0;
};

Input in(double low, double high, Draw draw = Draw::spread) { return {{}, low, high, draw}; }

/// Few numbers, so that many are equal: where they are, a comparison has no slope.
Input compared() { return {{}, -1, 1, Draw::grid, false}; }

const std::vector<Row>& unary_rows() {
  static const std::vector<Row> rows{
      {"neg", in(-2, 2), {}},
      {"abs", in(-2, 2, Draw::halfway), {}},
      {"exp", in(-4, 4), {}},
      {"log", in(0.1, 8), {}},
      {"sqrt", in(0.1, 8), {}},
      {"square", in(-3, 3), {}},
      {"reciprocal", in(-2, 2, Draw::halfway), {}},
      {"tanh", in(-4, 4), {}},
      {"sigmoid", in(-6, 6), {}},
      {"relu", in(-2, 2, Draw::halfway), {}},
      {"leaky_relu", in(-2, 2, Draw::halfway), {}, 0.125},
      {"add_scalar", in(-2, 2), {}, 0.75},
      {"mul_scalar", in(-2, 2), {}, -1.5},
      {"sign", in(-2, 2, Draw::halfway), {}},
      {"floor", in(-9, 9, Draw::halfway), {}},
      {"round", in(-9, 9, Draw::halfway), {}},
      {"rsqrt", in(0.1, 8), {}},
      {"log1p", in(-0.9, 3), {}},
      {"expm1", in(-3, 3), {}},
      {"sin", in(-40, 40), {}},
      {"cos", in(-40, 40), {}},
      {"erf", in(-4, 4), {}},
      {"lgamma", in(0.05, 6), {}},
      {"digamma", in(1.6, 8), {}},
      {"pow_scalar", in(0.1, 4), {}, 2.5},
      {"clamp_min", in(-2, 2, Draw::halfway), {}, 0.5},
      {"clamp_max", in(-2, 2, Draw::halfway), {}, 0.5},
      {"hardtanh", in(-2, 2, Draw::halfway), {}},
      {"softplus", in(-20, 20), {}},
      {"elu", in(-3, 3, Draw::halfway), {}, 0.75},
      {"gelu", in(-5, 5), {}},
      {"gelu_tanh", in(-5, 5), {}},
      {"silu", in(-8, 8), {}},
      {"mish", in(-8, 8), {}},
  };
  return rows;
}

const std::vector<Row>& binary_rows() {
  static const std::vector<Row> rows{
      {"add", in(-2, 2), in(-3, 3)},
      {"sub", in(-2, 2), in(-3, 3)},
      {"mul", in(-2, 2), in(-3, 3)},
      {"div", in(-2, 2), in(-2, 2, Draw::halfway)},
      {"maximum", in(-2, 2, Draw::grid), in(-2, 2, Draw::halfway)},
      {"minimum", in(-2, 2, Draw::grid), in(-2, 2, Draw::halfway)},
      {"squared_error", in(-2, 2), in(-2, 2)},
      {"absolute_error", in(-2, 2, Draw::grid), in(-2, 2, Draw::halfway)},
      {"huber_error", in(-2, 2, Draw::grid), in(-2, 2, Draw::halfway), 0.75},
      {"div_or_zero", in(-2, 2), in(-2, 2, Draw::halfway)},
      {"gaussian_error", in(-2, 2), in(0.25, 3), 0.125},
      {"logistic_error", in(-6, 6, Draw::halfway), in(0, 1), 1.5},
      {"pow", in(0.2, 3), in(-3, 3)},
      {"eq", compared(), compared()},
      {"ne", compared(), compared()},
      {"lt", compared(), compared()},
      {"le", compared(), compared()},
      {"gt", compared(), compared()},
      {"ge", compared(), compared()},
  };
  return rows;
}

/// Sizes below, at and above four lanes and powers of two, primes, every rank; one beyond a row of 2048 texels.
const std::vector<Sizes> kShapes{{},
                                 {1},
                                 {2},
                                 {3},
                                 {4},
                                 {5},
                                 {7},
                                 {8},
                                 {13},
                                 {16},
                                 {17},
                                 {31},
                                 {64},
                                 {65},
                                 {1, 1},
                                 {3, 5},
                                 {33, 4},
                                 {2, 3, 4},
                                 {5, 1, 7},
                                 {1, 129},
                                 {2, 3, 5, 7},
                                 {2, 1, 3, 1, 2},
                                 {2, 2, 2, 3, 1, 2},
                                 {8197}};

/// Same shapes, and each kind of stretching: of either side, of both, at the last axis, inside, and by missing axes.
const std::vector<std::pair<Sizes, Sizes>> kPairs{
    {{}, {}},
    {{1}, {1}},
    {{3}, {3}},
    {{4}, {4}},
    {{17}, {17}},
    {{5, 7}, {5, 7}},
    {{2, 3, 4}, {2, 3, 4}},
    {{2, 1, 3, 1, 2, 2}, {2, 1, 3, 1, 2, 2}},
    {{8197}, {8197}},
    {{}, {3, 4}},
    {{3, 4}, {}},
    {{1}, {17}},
    {{17}, {1}},
    {{5}, {3, 5}},
    {{3, 5}, {5}},
    {{8}, {2, 8}},
    {{3, 8}, {8}},
    {{3, 1}, {3, 5}},
    {{3, 8}, {3, 1}},
    {{3, 1}, {1, 5}},
    {{1, 4}, {7, 1}},
    {{2, 1, 4}, {3, 1}},
    {{1, 1, 1}, {2, 3, 4}},
    {{2, 3, 4, 5}, {4, 1}},
    {{5}, {2, 3, 4, 5}},
    {{7, 1, 5, 1}, {1, 3, 1, 2}},
    {{2, 3, 1, 2, 1, 2}, {3, 1, 2, 2, 1}},
    {{2, 4099}, {4099}},
};

}  // namespace

const CaseFile cases([](std::vector<OpCase>& table) {
  for (const Row& row : unary_rows()) {
    const std::string name = row.op;
    for (const Sizes& sizes : kShapes) {
      Input x = row.a;
      x.sizes = sizes;
      table.push_back({name,
                       text(sizes),
                       {x},
                       [name, p = row.p](Device&, const Tensors& t) {
                         return ops::unary(unary_named(name), t[0], static_cast<float>(p));
                       },
                       [name, p = row.p](const Arrays& t) { return reference::unary(name, t[0], p); }});
    }
  }
  for (const Row& row : binary_rows()) {
    const std::string name = row.op;
    for (const auto& [first, second] : kPairs) {
      Input a = row.a, b = row.b;
      a.sizes = first, b.sizes = second;
      table.push_back({name,
                       text(first) + " " + text(second),
                       {a, b},
                       [name, p = row.p](Device&, const Tensors& t) {
                         return ops::binary(binary_named(name), t[0], t[1], static_cast<float>(p));
                       },
                       [name, p = row.p](const Arrays& t) { return reference::binary(name, t[0], t[1], p); },
                       1,
                       row.a.gradient});
    }
  }
  table.push_back({"div_or_zero",
                   "[17] by zeros and ones",
                   {{{17}}, {{17}, 0, 2, Draw::whole, false}},
                   [](Device&, const Tensors& t) { return ops::div_or_zero(t[0], t[1]); },
                   [](const Arrays& t) { return reference::binary("div_or_zero", t[0], t[1], 0); }});
});

}  // namespace sg::tests

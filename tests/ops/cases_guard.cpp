// Cases of the kernels around the optimisers' own: the sum of squares, the guard, Muon's last step, the moving average
// of weights and the sum of two gradients.
#include "tests/op_cases.h"

namespace sg::tests {
namespace {

const std::vector<Sizes> kSizes{{1}, {3}, {4}, {5}, {17}, {3, 5}, {33, 4}, {8197}};

Input one(double value) { return {{1}, value, value + 1, Draw::whole}; }

/// Gradients of these sizes into `sums` partial sums, on top of earlier ones unless `first`.
void add_sum_squares(std::vector<OpCase>& table, const std::vector<int>& sizes, int sums, bool first) {
  OpCase c{"sum_squares", std::to_string(sums) + " sums of", {{{sums}, 0, 4}}, {}, {}, 1, false};
  int largest = 0;
  for (const int n : sizes) {
    c.detail += " " + std::to_string(n);
    c.inputs.push_back({{n}});
    largest = std::max(largest, n);
  }
  c.detail += first ? " first" : "";
  c.terms = static_cast<int>(sizes.size()) * ((largest + sums - 1) / sums);
  const auto size = [&](size_t i) { return i < sizes.size() ? sizes[i] : 0; };
  const params::sum_squares q{.first = first,
                              .n0 = size(0),
                              .n1 = size(1),
                              .n2 = size(2),
                              .n3 = size(3),
                              .n4 = size(4),
                              .n5 = size(5),
                              .n6 = size(6),
                              .n7 = size(7)};
  c.device = [=](Device&, const Tensors& t) {
    const auto x = [&](size_t i) { return i + 1 < t.size() ? t[i + 1] : t[1]; };
    return run(q, {t[0], x(0), x(1), x(2), x(3), x(4), x(5), x(6), x(7)}, Shape{sums});
  };
  c.reference = [=](const Arrays& t) {
    Array y = first ? Array({sums}) : t[0];
    for (size_t k = 1; k < t.size(); ++k)
      for (size_t i = 0; i < t[k].values.size(); ++i)
        y.values[i % static_cast<size_t>(sums)] += t[k].values[i] * t[k].values[i];
    return y;
  };
  table.push_back(std::move(c));
}

void add_guard(std::vector<OpCase>& table, int count, float scale, bool applied) {
  const params::guard q{.count = count, .scale = scale};
  table.push_back({"guard",
                   std::to_string(count) + " sums, scale " + std::to_string(scale) + (applied ? "" : " refused"),
                   {{{1}}, {{count}, 0, 4}, one(applied ? 1 : 0)},
                   [=](Device&, const Tensors& t) {
                     return ops::stack(run_all(q, {t[0], t[1], t[2]}, Shape{}), 0);
                   },
                   [=](const Arrays& t) {
                     double sum = 0;
                     for (const double v : t[1].values) sum += v;
                     return Array({2}, {sum * double{scale} * double{scale}, applied ? 1.0 : 0.0});
                   },
                   count,
                   false});
}

void add_muon_apply(std::vector<OpCase>& table, const Sizes& sizes, float weight_decay, float ratio, bool applied) {
  const params::muon_apply q{.weight_decay = weight_decay, .ratio = ratio};
  table.push_back({"muon_apply",
                   text(sizes) + " decay " + std::to_string(weight_decay) + " ratio " + std::to_string(ratio) +
                       (applied ? "" : " refused"),
                   {{sizes}, {sizes}, one(applied ? 1 : 0)},
                   [=](Device& d, const Tensors& t) {
                     return run(q, {t[0], t[1], t[2], step_tensor(d, {.learning_rate = 0.25f})}, shape_of(sizes));
                   },
                   [=](const Arrays& t) {
                     Array p = t[0];
                     for (size_t i = 0; applied && i < p.values.size(); ++i)
                       p.values[i] =
                           p.values[i] * (1 - 0.25 * double{weight_decay}) - 0.25 * double{ratio} * t[1].values[i];
                     return p;
                   },
                   1,
                   false});
}

void add_ema(std::vector<OpCase>& table, const Sizes& sizes, float decay, bool applied) {
  table.push_back(
      {"ema",
       text(sizes) + " decay " + std::to_string(decay) + (applied ? "" : " refused"),
       {{sizes}, {sizes}, one(applied ? 1 : 0)},
       [=](Device& d, const Tensors& t) {
         return run(params::ema{}, {t[0], t[1], t[2], step_tensor(d, {.ema_decay = decay})}, shape_of(sizes));
       },
       [=](const Arrays& t) {
         Array average = t[0];
         for (size_t i = 0; applied && i < average.values.size(); ++i)
           average.values[i] = double{decay} * average.values[i] + (1 - double{decay}) * t[1].values[i];
         return average;
       },
       1,
       false});
}

void add_combine(std::vector<OpCase>& table, const Sizes& sizes, float a, float b) {
  const params::combine q{.a = a, .b = b};
  table.push_back({"combine",
                   text(sizes) + " " + std::to_string(a) + " and " + std::to_string(b),
                   {{sizes}, {sizes}},
                   [=](Device&, const Tensors& t) {
                     return run(q, {t[0], t[1]}, shape_of(sizes));
                   },
                   [=](const Arrays& t) {
                     Array z = t[0];
                     for (size_t i = 0; i < z.values.size(); ++i)
                       z.values[i] = double{a} * t[0].values[i] + double{b} * t[1].values[i];
                     return z;
                   },
                   1,
                   false});
}

}  // namespace

const CaseFile cases_guard([](std::vector<OpCase>& table) {
  const std::vector<std::vector<int>> gradients{
      {1}, {3, 5}, {4}, {5}, {17, 1, 8}, {64, 63}, {65, 255, 256}, {1, 2, 3, 4, 5, 6, 7, 8197}};
  for (const auto& sizes : gradients) {
    add_sum_squares(table, sizes, 4, true);
    add_sum_squares(table, sizes, 64, false);
    add_sum_squares(table, sizes, 8200, true);
  }
  for (const int count : {1, 2, 3, 4, 5, 7, 16, 17, 256})
    for (const float scale : {1.0f, 0.25f})
      for (const bool applied : {true, false}) add_guard(table, count, scale, applied);
  for (const Sizes& sizes : kSizes) {
    add_muon_apply(table, sizes, 0, 1, true);
    add_muon_apply(table, sizes, 0.125f, 1.5f, true);
    add_muon_apply(table, sizes, 0.125f, 1.5f, false);
    add_ema(table, sizes, 0, true);
    add_ema(table, sizes, 0.875f, true);
    add_ema(table, sizes, 0.875f, false);
    add_combine(table, sizes, 1, 1);
    add_combine(table, sizes, -0.75f, 2.5f);
    add_combine(table, sizes, 0, 1);
  }
});

}  // namespace sg::tests

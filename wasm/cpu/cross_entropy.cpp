// Cross-entropy and its gradient, a row of logits each; the formulas stand in core/kernels.def.
#include <algorithm>

#include "cpu/ranges.h"

namespace sg::cpu {
namespace {

/// The inputs that both kernels share. A weight that is not given is null.
struct Rows {
  ptrdiff_t classes;
  int64_t count;
  const float *logits, *maximum, *sum, *target, *class_weight = nullptr, *sample_weight = nullptr;

  template <class P>
  Rows(const P& p, const Args& args)
      : classes(p.classes),
        count(args.count({p.rows, p.classes})),
        logits(args.in(0, count)),
        maximum(args.in(1, p.rows)),
        sum(args.in(2, p.rows)),
        target(args.in(3, p.rows)) {
    if (p.class_weighted) class_weight = args.in(4, p.classes);
    if (p.sample_weighted) sample_weight = args.in(5, p.rows);
  }

  float weight_of(ptrdiff_t row) const { return sample_weight ? sample_weight[row] : 1; }
  float weight_of_class(ptrdiff_t c) const { return class_weight ? class_weight[c] : 1; }
  /// The class of a row, -1 where it does not count.
  ptrdiff_t class_of(ptrdiff_t row, int ignored, const Args& args) const {
    const float wanted = target[row];
    if (wanted == static_cast<float>(ignored)) return -1;
    if (!(wanted >= 0 && wanted < static_cast<float>(classes)) ||
        static_cast<float>(static_cast<int>(wanted)) != wanted)
      args.fail("target " + std::to_string(wanted) + " at row " + std::to_string(row) +
                " is not a whole number from 0 to " + std::to_string(classes - 1));
    return static_cast<ptrdiff_t>(wanted);
  }
};

/// Σ over the classes of class_weight (log_sum - (logits - maximum)).
float sum_of_all(const Rows& in, ptrdiff_t row, float log_sum) {
  const float* const x = in.logits + row * in.classes;
  const vf maximum = splat(in.maximum[row]);
  const vi lanes{0, 1, 2, 3};
  std::array<vf, 2> sums{};
  for (ptrdiff_t c = 0; c < in.classes; c += 4) {
    vf each = log_sum - (load(x + c) - maximum);
    if (in.class_weight) each *= load(in.class_weight + c);
    const int32_t valid = static_cast<int32_t>(in.classes - c);
    sums[static_cast<size_t>(c / 4 % 2)] += select(lanes < vi{valid, valid, valid, valid}, each, splat(0));
  }
  return sum_lanes(sums[0] + sums[1]);
}

}  // namespace

namespace kernels {

void cross_entropy(const params::cross_entropy& p, const Args& args) {
  const Rows in(p, args);
  float *const loss = args.out(0, p.rows), *const weight = args.out(1, p.rows);
  for (ptrdiff_t row = 0; row < p.rows; ++row) {
    const ptrdiff_t wanted = in.class_of(row, p.ignored, args);
    loss[row] = weight[row] = 0;
    if (wanted < 0) continue;
    const float counts = in.weight_of(row), log_sum = log(in.sum[row]);
    weight[row] = counts * in.weight_of_class(wanted);
    loss[row] = weight[row] * (1 - p.smoothing) * (log_sum - (in.logits[row * in.classes + wanted] - in.maximum[row]));
    if (p.smoothing > 0)
      loss[row] += counts * p.smoothing / static_cast<float>(p.classes) * sum_of_all(in, row, log_sum);
  }
}

void cross_entropy_backward(const params::cross_entropy_backward& p, const Args& args) {
  const Rows in(p, args);
  const bool sum_given = p.class_weighted && p.smoothing > 0;
  const float class_sum = sum_given ? *args.in(6, 1) : static_cast<float>(p.classes);
  const float weight_sum = *args.in(7, 1), dy = *args.in(8, 1);
  float* const dlogits = args.out(0, in.count);
  const float smooth = p.smoothing / static_cast<float>(p.classes);
  const auto of_row = [&](ptrdiff_t row) {
    float* const to = dlogits + row * in.classes;
    const ptrdiff_t wanted = in.class_of(row, p.ignored, args);
    if (wanted < 0 || weight_sum == 0) {
      std::fill_n(to, in.classes, 0.0f);
      return;
    }
    const float scale = dy / weight_sum * in.weight_of(row);
    const float own = scale * (1 - p.smoothing) * in.weight_of_class(wanted), share = scale * smooth;
    const float* const x = in.logits + row * in.classes;
    const vf maximum = splat(in.maximum[row]);
    const float of_each = (own + share * class_sum) / in.sum[row];
    for (ptrdiff_t c = 0; c < in.classes; c += 4) {
      vf d = exp(load(x + c) - maximum) * of_each;
      if (p.smoothing > 0) d -= share * (in.class_weight ? load(in.class_weight + c) : splat(1));
      store(to + c, d);
    }
    to[wanted] -= own;
  };
  over_rows(p.rows, in.classes, kExponential, args.scratch(), [&](ptrdiff_t begin, ptrdiff_t end) {
    for (ptrdiff_t row = begin; row < end; ++row) of_row(row);
  });
}

}  // namespace kernels
}  // namespace sg::cpu

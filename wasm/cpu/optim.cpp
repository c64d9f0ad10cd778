// The optimisers' steps over one parameter each, with PyTorch's order of operations, and the guard before them.
// Averages that have decayed to almost nothing become zero before they turn subnormal.
#include <algorithm>

#include "core/step_values.h"
#include "cpu/ranges.h"

namespace sg::cpu {
namespace {

constexpr int64_t kPerWeight = 3 * kPlain;

/// How a kernel's gradients are scaled and clipped.
struct Clip {
  float factor, most;
  template <class P>
  Clip(const P& p, float squared_norm) : factor(p.scale), most(p.max_value > 0 ? p.max_value : __builtin_inff()) {
    if (!(p.max_norm > 0)) return;
    const float norm_factor = p.max_norm / (sqrt(squared_norm) + 1e-6f);
    factor *= norm_factor >= 1 ? 1 : norm_factor;  // NaN stays NaN
  }
  vf operator()(vf g) const { return max(min(g * factor, most), -most); }
};

/// f(what scales and clips): without the limits where there are none, since an optimiser's step is mostly arithmetic.
template <class F>
void with(const Clip& clip, F f) {
  if (clip.most < __builtin_inff())
    f(clip);
  else
    f([factor = clip.factor](vf g) { return g * factor; });
}

StepValues step_of(const Args& args, size_t input) { return StepValues::from(args.in(input, StepValues::kCount)); }

/// True where the step is to be applied; else the outputs are copies of the inputs before.
bool applies(const Args& args, size_t applied, std::initializer_list<std::pair<size_t, size_t>> kept) {
  if (*args.in(applied, 1) != 0) return true;
  const int64_t n = args.out_size(0);
  for (const auto& [in, out] : kept) std::copy_n(args.in(in, n), n, args.out(out, n));
  return false;
}

}  // namespace

namespace kernels {

void sum_squares(const params::sum_squares& p, const Args& args) {
  const int64_t size = args.out_size(0);
  if (size % 4 != 0) args.fail("its output has " + std::to_string(size) + " floats, which is no multiple of 4");
  float* y = args.out(0, size);
  if (p.first != 0)
    std::fill_n(y, size, 0.0f);
  else
    std::copy_n(args.in(0, size), size, y);
  size_t input = 1;
  for (const int n : {p.n0, p.n1, p.n2, p.n3, p.n4, p.n5, p.n6, p.n7}) {
    const float* x = args.in(input++, args.count({n}));
    int64_t i = 0;
    for (; i + size <= n; i += size) {
      each_four(static_cast<ptrdiff_t>(size), [=](ptrdiff_t j) {
        const vf v = load(x + i + j);
        store(y + j, load(y + j) + v * v);
      });
    }
    for (int64_t j = 0; i < n; ++i, ++j) y[j] += x[i] * x[i];
  }
}

void guard(const params::guard& p, const Args& args) {
  const int64_t n = args.count({p.count});
  const float* squares = args.in(1, n);
  vf sums{};
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) sums += load(squares + i);
  float sum = sum_lanes(sums);
  for (; i < n; ++i) sum += squares[i];
  const float norm2 = sum * p.scale * p.scale;
  const auto finite = [](float x) { return abs(x) < __builtin_inff(); };
  *args.out(0, 1) = norm2;
  *args.out(1, 1) = *args.in(2, 1) != 0 && finite(*args.in(0, 1)) && finite(norm2) ? 1 : 0;
}

void sgd(const params::sgd& p, const Args& args) {
  const int64_t n = args.out_size(0);
  const float *parameter = args.in(0, n), *gradient = args.in(1, n), *buffer = args.in(2, n);
  float *next = args.out(0, n), *buffer_next = args.out(1, n);
  const Clip clip(p, *args.in(3, 1));
  if (!applies(args, 4, {{0, 0}, {2, 1}})) return;
  const float learning_rate = step_of(args, 5).learning_rate;
  with(clip, [&](auto clipped) {
    each_four(n, kPerWeight, args.scratch(), [=](ptrdiff_t i) {
      const vf before = load(parameter + i);
      const vf g = clipped(load(gradient + i)) + before * p.weight_decay;
      const vf average = flush(p.momentum == 0 ? g : load(buffer + i) * p.momentum + g);
      store(buffer_next + i, average);
      store(next + i, before - (p.nesterov != 0 ? g + average * p.momentum : average) * learning_rate);
    });
  });
}

void adam(const params::adam& p, const Args& args) {
  const int64_t n = args.out_size(0);
  const float *parameter = args.in(0, n), *gradient = args.in(1, n), *average = args.in(2, n), *square = args.in(3, n);
  float *next = args.out(0, n), *average_next = args.out(1, n), *square_next = args.out(2, n);
  const Clip clip(p, *args.in(4, 1));
  if (!applies(args, 5, {{0, 0}, {2, 1}, {3, 2}})) return;
  const StepValues step = step_of(args, 6);
  const float learning_rate = step.learning_rate * p.rate;
  const float l2 = p.decoupled ? 0 : p.weight_decay, keep = p.decoupled ? 1 - learning_rate * p.weight_decay : 1;
  const float rate = learning_rate / step.correction1, per_root2 = 1 / sqrt(step.correction2);
  with(clip, [&](auto clipped) {
    each_four(n, kPerWeight, args.scratch(), [=](ptrdiff_t i) {
      const vf before = load(parameter + i);
      const vf g = clipped(load(gradient + i)) + before * l2;
      const vf m = flush(load(average + i) * p.beta1 + g * (1 - p.beta1));
      const vf v = flush(load(square + i) * p.beta2 + g * g * (1 - p.beta2));
      store(average_next + i, m);
      store(square_next + i, v);
      store(next + i, before * keep - rate * m / (sqrt(v) * per_root2 + p.eps));
    });
  });
}

void rmsprop(const params::rmsprop& p, const Args& args) {
  const int64_t n = args.out_size(0);
  const float *parameter = args.in(0, n), *gradient = args.in(1, n), *square = args.in(2, n), *buffer = args.in(3, n);
  float *next = args.out(0, n), *square_next = args.out(1, n), *buffer_next = args.out(2, n);
  const Clip clip(p, *args.in(4, 1));
  if (!applies(args, 5, {{0, 0}, {2, 1}, {3, 2}})) return;
  const float learning_rate = step_of(args, 6).learning_rate;
  each_four(n, kPerWeight, args.scratch(), [=](ptrdiff_t i) {
    const vf before = load(parameter + i);
    const vf g = clip(load(gradient + i)) + before * p.weight_decay;
    const vf v = flush(load(square + i) * p.alpha + g * g * (1 - p.alpha));
    const vf part = g / (sqrt(v) + p.eps);
    const vf step = flush(p.momentum == 0 ? part : load(buffer + i) * p.momentum + part);
    store(square_next + i, v);
    store(buffer_next + i, step);
    store(next + i, before - step * learning_rate);
  });
}

void adagrad(const params::adagrad& p, const Args& args) {
  const int64_t n = args.out_size(0);
  const float *parameter = args.in(0, n), *gradient = args.in(1, n), *sum = args.in(2, n);
  float *next = args.out(0, n), *sum_next = args.out(1, n);
  const Clip clip(p, *args.in(3, 1));
  if (!applies(args, 4, {{0, 0}, {2, 1}})) return;
  const float learning_rate = step_of(args, 5).learning_rate;
  each_four(n, kPerWeight, args.scratch(), [=](ptrdiff_t i) {
    const vf before = load(parameter + i);
    const vf g = clip(load(gradient + i)) + before * p.weight_decay;
    const vf s = load(sum + i) + g * g;
    store(sum_next + i, s);
    store(next + i, before - g * learning_rate / (sqrt(s) + p.eps));
  });
}

void lion(const params::lion& p, const Args& args) {
  const int64_t n = args.out_size(0);
  const float *parameter = args.in(0, n), *gradient = args.in(1, n), *average = args.in(2, n);
  float *next = args.out(0, n), *average_next = args.out(1, n);
  const Clip clip(p, *args.in(3, 1));
  if (!applies(args, 4, {{0, 0}, {2, 1}})) return;
  const float learning_rate = step_of(args, 5).learning_rate;
  const float keep = 1 - learning_rate * p.weight_decay;
  each_four(n, kPerWeight, args.scratch(), [=](ptrdiff_t i) {
    const vf g = clip(load(gradient + i)), m = load(average + i);
    store(next + i, load(parameter + i) * keep - sign(m * p.beta1 + g * (1 - p.beta1)) * learning_rate);
    store(average_next + i, flush(m * p.beta2 + g * (1 - p.beta2)));
  });
}

void muon_momentum(const params::muon_momentum& p, const Args& args) {
  const int64_t n = args.out_size(0);
  const float *gradient = args.in(0, n), *buffer = args.in(1, n);
  float *update = args.out(0, n), *buffer_next = args.out(1, n);
  const Clip clip(p, *args.in(2, 1));
  if (!applies(args, 3, {{1, 0}, {1, 1}})) return;
  each_four(n, kPerWeight, args.scratch(), [=](ptrdiff_t i) {
    const vf g = clip(load(gradient + i));
    const vf average = flush(load(buffer + i) * p.momentum + g * (1 - p.momentum));
    store(buffer_next + i, average);
    store(update + i, p.nesterov != 0 ? average * p.momentum + g * (1 - p.momentum) : average);
  });
}

void muon_apply(const params::muon_apply& p, const Args& args) {
  const int64_t n = args.out_size(0);
  const float *parameter = args.in(0, n), *update = args.in(1, n);
  float* next = args.out(0, n);
  if (!applies(args, 2, {{0, 0}})) return;
  const float learning_rate = step_of(args, 3).learning_rate;
  const float keep = 1 - learning_rate * p.weight_decay, rate = learning_rate * p.ratio;
  each_four(n, kPerWeight, args.scratch(),
            [=](ptrdiff_t i) { store(next + i, load(parameter + i) * keep - load(update + i) * rate); });
}

void combine(const params::combine& p, const Args& args) {
  const int64_t n = args.out_size(0);
  const float *x = args.in(0, n), *y = args.in(1, n);
  float* z = args.out(0, n);
  each_four(n, kPerWeight, args.scratch(), [=](ptrdiff_t i) { store(z + i, load(x + i) * p.a + load(y + i) * p.b); });
}

void ema(const params::ema&, const Args& args) {
  const int64_t n = args.out_size(0);
  const float *average = args.in(0, n), *parameter = args.in(1, n);
  float* next = args.out(0, n);
  if (!applies(args, 2, {{0, 0}})) return;
  const float decay = step_of(args, 3).ema_decay, rest = 1 - decay;
  each_four(n, kPerWeight, args.scratch(),
            [=](ptrdiff_t i) { store(next + i, load(average + i) * decay + load(parameter + i) * rest); });
}

}  // namespace kernels
}  // namespace sg::cpu

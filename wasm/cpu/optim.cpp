// The optimisers' steps over one parameter each, with PyTorch's order of operations. Averages that have decayed to
// almost nothing become zero before they turn subnormal.
#include "cpu/kernel.h"
#include "cpu/simd.h"

namespace sg::cpu {
namespace {

/// What gradients are scaled by so that the norm of all of them is at most max_norm. NaN stays NaN.
float clip_scale(float squared_norm, float max_norm) {
  if (!(max_norm > 0)) return 1;
  const float scale = max_norm / (sqrt(squared_norm) + 1e-6f);
  return scale >= 1 ? 1 : scale;
}

}  // namespace

namespace kernels {

void sgd(const params::sgd& p, const Args& args) {
  const int64_t n = args.out_size(0);
  const float *parameter = args.in(0, n), *gradient = args.in(1, n), *momentum = args.in(2, n);
  float *next = args.out(0, n), *momentum_next = args.out(1, n);
  const float clip = clip_scale(*args.in(3, 1), p.max_norm);
  const bool starts = p.first != 0 || p.momentum == 0;
  each_four(static_cast<ptrdiff_t>(n), [=](ptrdiff_t i) {
    const vf before = load(parameter + i);
    const vf g = load(gradient + i) * clip + before * p.weight_decay;
    const vf step = flush(starts ? g : load(momentum + i) * p.momentum + g);
    store(momentum_next + i, step);
    store(next + i, before - step * p.learning_rate);
  });
}

void adam(const params::adam& p, const Args& args) {
  const int64_t n = args.out_size(0);
  const float *parameter = args.in(0, n), *gradient = args.in(1, n), *average = args.in(2, n), *square = args.in(3, n);
  float *next = args.out(0, n), *average_next = args.out(1, n), *square_next = args.out(2, n);
  const float clip = clip_scale(*args.in(4, 1), p.max_norm);
  const float l2 = p.decoupled ? 0 : p.weight_decay, keep = p.decoupled ? 1 - p.learning_rate * p.weight_decay : 1;
  const float rate = p.learning_rate / p.correction1, per_root2 = 1 / sqrt(p.correction2);
  each_four(static_cast<ptrdiff_t>(n), [=](ptrdiff_t i) {
    const vf before = load(parameter + i);
    const vf g = load(gradient + i) * clip + before * l2;
    const vf m = flush(load(average + i) * p.beta1 + g * (1 - p.beta1));
    const vf v = flush(load(square + i) * p.beta2 + g * g * (1 - p.beta2));
    store(average_next + i, m);
    store(square_next + i, v);
    store(next + i, before * keep - rate * m / (sqrt(v) * per_root2 + p.eps));
  });
}

}  // namespace kernels
}  // namespace sg::cpu

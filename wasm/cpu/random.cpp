// Random numbers by position: four floats from each counter of core/random.h.
#include "core/random.h"

#include <algorithm>

#include "cpu/kernel.h"
#include "cpu/simd.h"

namespace sg::cpu {
namespace {

/// Calls f(i, the uniform numbers of i .. i + 3) for i = 0, 4, 8, ...
template <class P, class F>
void each_draw(const P& p, int64_t floats, F f) {
  const uint32_t low = static_cast<uint32_t>(p.seed_low), high = static_cast<uint32_t>(p.seed_high);
  const uint32_t stream = static_cast<uint32_t>(p.stream), draw = static_cast<uint32_t>(p.draw);
  const ptrdiff_t n = static_cast<ptrdiff_t>(floats);
  for (ptrdiff_t i = 0; i < n; i += 4) {
    const Philox r = philox({static_cast<uint32_t>(i / 4), stream, draw, 0}, low, high);
    f(i, vf{uniform01(r[0]), uniform01(r[1]), uniform01(r[2]), uniform01(r[3])});
  }
}

}  // namespace

namespace kernels {

void uniform(const params::uniform& p, const Args& args) {
  float* const y = args.out(0, 0);
  const vf low = splat(p.low), range = splat(p.high - p.low);
  each_draw(p, args.out_size(0), [=](ptrdiff_t i, vf u) { store(y + i, low + range * u); });
}

void dropout(const params::dropout& p, const Args& args) {
  const float* const x = args.in(0, args.out_size(0));
  float* const y = args.out(0, 0);
  const vf threshold = splat(p.p), scale = splat(1.0f / (1.0f - p.p));
  each_draw(p, args.out_size(0),
            [=](ptrdiff_t i, vf u) { store(y + i, select(u >= threshold, load(x + i) * scale, splat(0))); });
}

}  // namespace kernels
}  // namespace sg::cpu

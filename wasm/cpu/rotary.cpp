// Rotary positions: pairs of numbers half a head apart, turned by their position's angles.
#include <algorithm>

#include "cpu/kernel.h"
#include "cpu/simd.h"

namespace sg::cpu::kernels {

void rotary(const params::rotary& p, const Args& args) {
  if (p.width % 2) args.fail("its width is odd");
  const int64_t n = args.count({p.batch, p.positions, p.heads, p.width});
  const float *x = args.in(0, n), *const angles = args.in(1, args.count({p.positions, p.width}));
  float* y = args.out(0, n);
  const ptrdiff_t width = p.width, half = width / 2;
  const float direction = p.backward ? -1.0f : 1.0f;
  for (ptrdiff_t row = 0; row < ptrdiff_t{p.batch} * p.positions; ++row) {
    const float *const cosine = angles + row % p.positions * width, *const sine = cosine + half;
    for (ptrdiff_t head = 0; head < p.heads; ++head, x += width, y += width) {
      if (head >= p.rotated) {
        std::copy_n(x, width, y);
        continue;
      }
      // Front to back: whole vectors of the first half run into the second, which is written after it.
      for (ptrdiff_t i = 0; i < half; i += 4)
        store(y + i, load(x + i) * load(cosine + i) - load(x + half + i) * load(sine + i) * direction);
      for (ptrdiff_t i = 0; i < half; i += 4)
        store(y + half + i, load(x + half + i) * load(cosine + i) + load(x + i) * load(sine + i) * direction);
    }
  }
}

}  // namespace sg::cpu::kernels

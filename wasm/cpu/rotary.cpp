// Rotary positions: pairs of numbers half a head apart, turned by their position's angles.
#include "cpu/ranges.h"

namespace sg::cpu::kernels {

void rotary(const params::rotary& p, const Args& args) {
  if (p.width % 2) args.fail("its width is odd");
  const int64_t n = args.count({p.batch, p.positions, p.heads, p.width});
  const float *const x = args.in(0, n), *const angles = args.in(1, args.count({p.positions, p.width}));
  float* const y = args.out(0, n);
  const ptrdiff_t width = p.width, half = width / 2;
  const float direction = p.backward ? -1.0f : 1.0f;
  const auto turn_row = [&](ptrdiff_t row) {
    const float *const cosine = angles + row % p.positions * width, *const sine = cosine + half;
    for (ptrdiff_t head = 0; head < p.heads; ++head) {
      const float* const from = x + (row * p.heads + head) * width;
      float* const to = y + (row * p.heads + head) * width;
      if (head >= p.rotated) {
        copy(to, from, width);
        continue;
      }
      // Front to back: whole vectors of the first half run into the second, which is written after it.
      for (ptrdiff_t i = 0; i < half; i += 4)
        store(to + i, load(from + i) * load(cosine + i) - load(from + half + i) * load(sine + i) * direction);
      for (ptrdiff_t i = 0; i < half; i += 4)
        store(to + half + i, load(from + half + i) * load(cosine + i) + load(from + i) * load(sine + i) * direction);
    }
  };
  // Within a head that is not whole vectors long, the last one of a half runs into the next half or head.
  const bool whole = half % 4 == 0;
  over_rows(ptrdiff_t{p.batch} * p.positions, whole ? p.heads * width : 1, kPlain, args.scratch(),
            [&](ptrdiff_t begin, ptrdiff_t end) {
              for (ptrdiff_t row = begin; row < end; ++row) turn_row(row);
            });
}

}  // namespace sg::cpu::kernels

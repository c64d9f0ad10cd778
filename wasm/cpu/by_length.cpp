// Sequences of different lengths in one tensor: each step of the result is a step of x, or 0.
#include <algorithm>

#include "cpu/kernel.h"
#include "cpu/simd.h"

namespace sg::cpu {
namespace {

enum Mode { kReverse, kMask, kLast, kLastBackward };

/// The length of one sequence, checked.
ptrdiff_t length_of(const float* lengths, int sequence, int steps, const Args& args) {
  const float length = lengths[sequence];
  if (!(length >= 1 && length <= static_cast<float>(steps)) || static_cast<float>(static_cast<int>(length)) != length)
    args.fail("the length " + std::to_string(length) + " of sequence " + std::to_string(sequence) +
              " is not a whole number from 1 to " + std::to_string(steps));
  return static_cast<ptrdiff_t>(length);
}

/// The step of x that step t of y is, -1 for none.
ptrdiff_t source(int mode, ptrdiff_t t, ptrdiff_t length) {
  switch (mode) {
    case kReverse:
      return t < length ? length - 1 - t : t;
    case kMask:
      return t < length ? t : -1;
    case kLast:
      return length - 1;
    default:
      return t == length - 1 ? 0 : -1;
  }
}

}  // namespace

namespace kernels {

void by_length(const params::by_length& p, const Args& args) {
  if (p.mode < kReverse || p.mode > kLastBackward) args.fail("there is no mode " + std::to_string(p.mode));
  const int from = p.mode == kLastBackward ? 1 : p.steps, to = p.mode == kLast ? 1 : p.steps;
  const float* x = args.in(0, args.count({p.batch, from, p.features}));
  const float* const lengths = args.in(1, args.count({p.batch}));
  float* y = args.out(0, args.count({p.batch, to, p.features}));
  const ptrdiff_t features = p.features;
  for (int sequence = 0; sequence < p.batch; ++sequence, x += from * features) {
    const ptrdiff_t length = length_of(lengths, sequence, p.steps, args);
    for (ptrdiff_t t = 0; t < to; ++t, y += features) {
      const ptrdiff_t step = source(p.mode, t, length);
      if (step < 0)
        std::fill_n(y, features, 0.0f);
      else
        copy(y, x + step * features, features);
    }
  }
}

}  // namespace kernels
}  // namespace sg::cpu

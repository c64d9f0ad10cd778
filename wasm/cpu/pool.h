// Work on several threads at once. What a kernel computes never depends on how many there are: it cuts its results into
// ranges, never its sums.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>

#include "cpu/kernel.h"

namespace sg::cpu {

inline constexpr int kMostThreads = 8;

/// How many threads work on a kernel, the calling one among them: 1 until somebody asks for more.
int threads();
/// Asks for 1 .. kMostThreads of them, and says how many there are: fewer where no more can be started. Not to be
/// called while a kernel runs.
int set_threads(int count);

/// Whether this build's kernels round once in a * b + c: the one for relaxed SIMD, as far as the processor can.
bool has_fused_multiply_add();

namespace pool {

/// Whether ranges started here would run at once: there are other threads, and this one is not at a range already.
bool is_ready();

/// A function of ranges without its type.
struct Task {
  void (*call)(void* function, ptrdiff_t begin, ptrdiff_t end, Scratch& scratch);
  void* function;
  ptrdiff_t count, length;  // of all, and of each range but the last
};
/// Runs all ranges of the task and returns, or throws what the first of them threw, once none is running any more.
void run(const Task& task, Scratch& scratch);

/// Multiply-adds that take some 10 us: a range of fewer is not worth a thread's waking. Tests lower it, to have small
/// work on several threads.
inline int64_t least_work = int64_t{1} << 17;

/// How long ranges are, such that every thread finds two of them where each is worth it: a thread that comes late,
/// since it had to wake or the system let another program run, then leaves more of them to the others.
ptrdiff_t length_of(ptrdiff_t count, ptrdiff_t unit, int64_t work);

}  // namespace pool

/// Calls f(begin, end, scratch) for ranges that together are 0 .. count, all but the last of them multiples of `unit`
/// long. Where `work`, the multiply-adds of the whole or what takes as long (adding two floats in memory is worth 3, an
/// exponential 16), is worth more than waking threads, the ranges are run at once, each with a scratch of its thread;
/// else there is one range, with `scratch`. What a range took of a scratch is free again after it. What f throws comes
/// out of here. Within a range, everything is one range.
/// No range may write behind its end, as a loop over whole vectors would where `unit` is no multiple of one: the floats
/// there may be another thread's already.
/// In a module with threads f may hold no `catch` but `catch (...)`: see bindings/unwind_with_threads.cpp.
template <class F>
void parallel(ptrdiff_t count, ptrdiff_t unit, int64_t work, Scratch& scratch, F&& f) {
  if (count <= 0) return;
  const ptrdiff_t length =
      work >= 2 * pool::least_work && pool::is_ready() ? pool::length_of(count, unit, work) : count;
  if (length >= count) {
    const size_t taken = scratch.taken();
    f(ptrdiff_t{0}, count, scratch);
    scratch.return_to(taken);
    return;
  }
  using Function = std::remove_reference_t<F>;
  const auto call = [](void* function, ptrdiff_t begin, ptrdiff_t end, Scratch& own) {
    (*static_cast<Function*>(function))(begin, end, own);
  };
  pool::run({call, const_cast<void*>(static_cast<const void*>(std::addressof(f))), count, length}, scratch);
}

}  // namespace sg::cpu

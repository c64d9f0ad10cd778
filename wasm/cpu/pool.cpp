// The threads beside the calling one. A task is opened, its ranges are taken one by one by whoever comes, and it is
// closed when none is left; then the caller waits for those who are still inside. A thread that has just worked looks
// for the next task for some tens of microseconds, as long as the gap between two kernels of a step, and sleeps then.
#include "cpu/pool.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace sg::cpu {
namespace {

constexpr std::chrono::microseconds kPatience{50};

thread_local bool is_in_range = false;

void relax() {
#if defined(__SSE2__)
  __builtin_ia32_pause();
#endif
}

/// Looks at a condition for a while; whether it became true.
template <class Condition>
bool spin_until(Condition condition) {
  if (condition()) return true;
  const auto end = std::chrono::steady_clock::now() + kPatience;
  do {
    for (int i = 0; i < 100; ++i) {
      if (condition()) return true;
      relax();
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

class Pool {
 public:
  ~Pool() { stop(); }
  int threads() const { return wanted_; }
  int set_threads(int count);
  void run(const pool::Task& task, Scratch& scratch);

 private:
  void serve();
  void stop();
  void wake(int most);
  void open(const pool::Task& task);
  void work(Scratch& scratch);
  uint32_t wait_for_task(uint32_t seen);
  void wait_for_others();

  std::vector<std::thread> others_;
  int wanted_ = 1;
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;

  // Odd while a task is open. Who comes to help counts himself in and only then looks whether it still is; the caller
  // closes it and only then looks whether anyone is in: one of the two sees the other.
  std::atomic<uint32_t> turn_{0};
  std::atomic<int> inside_{0};
  // Written while no task is open and nobody inside.
  pool::Task task_{};
  ptrdiff_t ranges_ = 0;
  int seats_ = 0;
  std::atomic<ptrdiff_t> next_{0};  // the next range
  std::exception_ptr error_;        // the first, under mutex_

  std::mutex mutex_;
  std::condition_variable opened_, emptied_;
  std::atomic<int> sleeping_{0};
  std::atomic<bool> caller_sleeps_{false}, stopping_{false};
};

int Pool::set_threads(int count) {
  const size_t others = static_cast<size_t>(std::clamp(count, 1, kMostThreads)) - 1;
  try {
    while (others_.size() < others) others_.emplace_back([this] { serve(); });
  } catch (const std::system_error&) {
    // No more are to be had: the number that is returned says so.
  }
  // Threads beyond those wanted stay, asleep: in a browser one that has ended cannot be started again at once.
  wanted_ = static_cast<int>(std::min(others, others_.size())) + 1;
  return wanted_;
}

void Pool::stop() {
  stopping_ = true;
  wake(kMostThreads);
  for (std::thread& other : others_) other.join();
}

void Pool::wake(int most) {
  const int woken = std::min(most, sleeping_.load());
  if (woken <= 0) return;
  { const std::lock_guard lock(mutex_); }  // who has counted himself asleep waits by now
  for (int i = 0; i < woken; ++i) opened_.notify_one();
}

void Pool::open(const pool::Task& task) {
  task_ = task;
  ranges_ = (task.count + task.length - 1) / task.length;
  seats_ = static_cast<int>(std::min<ptrdiff_t>(wanted_, ranges_)) - 1;
  next_ = 0;
  ++turn_;
  wake(seats_);
}

/// Runs ranges until none is left. Where one throws, no further one is begun.
void Pool::work(Scratch& scratch) {
  for (ptrdiff_t i; (i = next_.fetch_add(1)) < ranges_;) {
    const size_t taken = scratch.taken();
    const ptrdiff_t begin = i * task_.length;
    try {
      task_.call(task_.function, begin, std::min(begin + task_.length, task_.count), scratch);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      next_ = ranges_;
    }
    scratch.return_to(taken);
  }
}

void Pool::run(const pool::Task& task, Scratch& scratch) {
  if (busy_.test_and_set())
    return task.call(task.function, 0, task.count, scratch);  // another thread's task is at work
  open(task);
  is_in_range = true;
  work(scratch);
  is_in_range = false;
  ++turn_;
  wait_for_others();
  const std::exception_ptr error = std::exchange(error_, nullptr);
  busy_.clear();
  if (error) std::rethrow_exception(error);
}

void Pool::wait_for_others() {
  const auto is_empty = [this] { return inside_.load() == 0; };
  if (spin_until(is_empty)) return;
  std::unique_lock lock(mutex_);
  caller_sleeps_ = true;
  emptied_.wait(lock, is_empty);
  caller_sleeps_ = false;
}

void Pool::serve() {
  is_in_range = true;
  Scratch scratch;
  for (uint32_t turn = 0; (turn = wait_for_task(turn)) != 0;) {
    const int others = inside_.fetch_add(1);
    if (turn_.load() == turn && others < seats_) work(scratch);
    if (inside_.fetch_sub(1) == 1 && caller_sleeps_.load()) {
      { const std::lock_guard lock(mutex_); }
      emptied_.notify_one();
    }
  }
}

/// The turn of a task that is open and not `seen`, or 0 when the pool ends.
uint32_t Pool::wait_for_task(uint32_t seen) {
  uint32_t turn = 0;
  const auto is_there = [&] {
    turn = turn_.load();
    return (turn % 2 == 1 && turn != seen) || stopping_.load();
  };
  if (!spin_until(is_there)) {
    std::unique_lock lock(mutex_);
    ++sleeping_;
    opened_.wait(lock, is_there);
    --sleeping_;
  }
  return stopping_ ? 0 : turn;
}

Pool& the_pool() {
  static Pool pool;
  return pool;
}

}  // namespace

int threads() { return the_pool().threads(); }
int set_threads(int count) { return the_pool().set_threads(count); }

bool has_fused_multiply_add() {
#if defined(__wasm_relaxed_simd__)
  return true;
#else
  return false;
#endif
}

namespace pool {

bool is_ready() { return !is_in_range && threads() > 1; }

void run(const Task& task, Scratch& scratch) { the_pool().run(task, scratch); }

ptrdiff_t length_of(ptrdiff_t count, ptrdiff_t unit, int64_t work) {
  const ptrdiff_t units = (count + unit - 1) / unit;
  const ptrdiff_t ranges =
      std::clamp<ptrdiff_t>(static_cast<ptrdiff_t>(std::min(work / least_work, int64_t{2} * threads())), 1, units);
  return (units + ranges - 1) / ranges * unit;
}

}  // namespace pool
}  // namespace sg::cpu

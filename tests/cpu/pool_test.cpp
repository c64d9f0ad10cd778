// The threads beside the calling one: that they work, cover everything once, hand on what is thrown, and rest.
#include "cpu/pool.h"

#include <time.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/cpu/several_threads.h"

namespace sg::cpu_test {
namespace {

using cpu::parallel;
using cpu::Scratch;
using Ranges = std::vector<std::pair<ptrdiff_t, ptrdiff_t>>;

constexpr int64_t kMuch = int64_t{1} << 40;

/// The ranges in which work is handed out, in order.
Ranges ranges_of(ptrdiff_t count, ptrdiff_t unit, int64_t work) {
  std::mutex mutex;
  Ranges ranges;
  Scratch scratch;
  parallel(count, unit, work, scratch, [&](ptrdiff_t begin, ptrdiff_t end, Scratch&) {
    const std::lock_guard lock(mutex);
    ranges.emplace_back(begin, end);
  });
  std::sort(ranges.begin(), ranges.end());
  return ranges;
}

/// Waits until several threads are in it at once, which they are not where all ranges run on one.
class Meeting {
 public:
  explicit Meeting(int threads) : missing_(threads) {}
  void come() {
    --missing_;
    for (int i = 0; missing_ > 0 && i < 20'000; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  bool took_place() const { return missing_ <= 0; }

 private:
  std::atomic<int> missing_;
};

double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

TEST_CASE("ranges cover everything once and begin at whole units", "[pool]") {
  for (const int threads : {1, 2, 3, 4}) {
    const SeveralThreads several(threads);
    for (const ptrdiff_t count : {1, 2, 7, 64, 1000, 1001}) {
      for (const ptrdiff_t unit : {1, 4, 6, 2000}) {
        const Ranges ranges = ranges_of(count, unit, kMuch);
        CAPTURE(threads, count, unit);
        ptrdiff_t end = 0;
        bool whole = true;
        for (const auto& [from, to] : ranges) {
          whole = whole && from == end && from % unit == 0 && to > from;
          end = to;
        }
        CHECK(whole);
        CHECK(end == count);
        CHECK(ranges.size() <= static_cast<size_t>(threads == 1 ? 1 : 2 * threads));
        if (threads > 1 && count >= 2 * unit) CHECK(ranges.size() > 1);
      }
    }
  }
  CHECK(ranges_of(0, 4, kMuch).empty());
}

TEST_CASE("little work stays on one thread", "[pool]") {
  cpu::set_threads(4);
  CHECK(ranges_of(1000, 1, 2 * cpu::pool::least_work - 1).size() == 1);
  CHECK(ranges_of(1000, 1, 2 * cpu::pool::least_work).size() == 2);
  cpu::set_threads(1);
  CHECK(ranges_of(1000, 1, kMuch).size() == 1);
}

TEST_CASE("as many threads as were asked for work at once, and no more", "[pool]") {
  CHECK(cpu::threads() == 1);
  for (const int threads : {4, 2, 3}) {  // the fourth stays, and must not help two
    const SeveralThreads several(threads);
    CHECK(cpu::threads() == threads);
    Scratch scratch;
    Meeting meeting(threads);
    std::mutex mutex;
    std::vector<std::thread::id> ids;
    parallel(100, 1, kMuch, scratch, [&](ptrdiff_t, ptrdiff_t, Scratch&) {
      {
        const std::lock_guard lock(mutex);
        const std::thread::id id = std::this_thread::get_id();
        if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
      }
      meeting.come();
    });
    CHECK(meeting.took_place());
    CHECK(ids.size() == static_cast<size_t>(threads));
  }
}

TEST_CASE("what a range throws on any thread comes to the caller, and the pool goes on", "[pool]") {
  const SeveralThreads several(3);
  for (int round = 0; round < 200; ++round) {
    Scratch scratch;
    const ptrdiff_t bad = round % 6;
    std::string said;
    try {
      parallel(6, 1, kMuch, scratch, [&](ptrdiff_t begin, ptrdiff_t end, Scratch&) {
        if (begin <= bad && bad < end) throw Error("device.arguments", "range " + std::to_string(bad));
      });
    } catch (const Error& e) {
      said = e.what();
    }
    if (said != "range " + std::to_string(bad)) FAIL_CHECK("round " << round << " said '" << said << "'");
    if (ranges_of(6, 1, kMuch).size() != 6) FAIL_CHECK("round " << round << " broke the pool");
  }
}

TEST_CASE("of several exceptions one comes to the caller", "[pool]") {
  const SeveralThreads several(4);
  for (int round = 0; round < 200; ++round) {
    Scratch scratch;
    CHECK_THROWS_AS(
        parallel(8, 1, kMuch, scratch,
                 [](ptrdiff_t begin, ptrdiff_t, Scratch&) { throw std::range_error(std::to_string(begin)); }),
        std::range_error);
  }
}

TEST_CASE("within a range everything is one range", "[pool]") {
  const SeveralThreads several(3);
  std::atomic<int> wrong{0}, calls{0};
  Scratch scratch;
  parallel(6, 1, kMuch, scratch, [&](ptrdiff_t, ptrdiff_t, Scratch& own) {
    parallel(100, 1, kMuch, own, [&](ptrdiff_t begin, ptrdiff_t end, Scratch& inner) {
      ++calls;
      if (begin != 0 || end != 100 || &inner != &own) ++wrong;
    });
  });
  CHECK(calls == 6);
  CHECK(wrong == 0);
}

TEST_CASE("each thread has a scratch of its own, which is free again after a range", "[pool]") {
  const SeveralThreads several(3);
  Scratch scratch;
  float* const before = scratch.take(10);
  before[0] = 7;
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> wrong{0};
    parallel(600, 1, kMuch, scratch, [&](ptrdiff_t begin, ptrdiff_t end, Scratch& own) {
      float *const a = own.take(64), *const b = own.take(64);
      for (ptrdiff_t i = 0; i < 64; ++i) a[i] = static_cast<float>(begin), b[i] = static_cast<float>(end);
      for (ptrdiff_t i = 0; i < 64; ++i)
        if (a[i] != static_cast<float>(begin) || b[i] != static_cast<float>(end)) ++wrong;
    });
    if (wrong != 0 || before[0] != 7 || scratch.taken() != 1) FAIL_CHECK("round " << round);
  }
}

TEST_CASE("two callers at once both get all of their work done", "[pool]") {
  const SeveralThreads several(3);
  std::atomic<int> wrong{0};
  const auto caller = [&] {
    Scratch scratch;
    for (int round = 0; round < 500; ++round) {
      std::vector<int> done(600);
      parallel(600, 1, kMuch, scratch, [&](ptrdiff_t begin, ptrdiff_t end, Scratch&) {
        for (ptrdiff_t i = begin; i < end; ++i) ++done[static_cast<size_t>(i)];
      });
      if (done != std::vector<int>(600, 1)) ++wrong;
    }
  };
  std::thread other(caller);
  caller();
  other.join();
  CHECK(wrong == 0);
}

TEST_CASE("threads without work take no processor time", "[pool]") {
  const SeveralThreads several(4);
  for (int round = 0; round < 3; ++round) {
    CHECK(ranges_of(100, 1, kMuch).size() > 1);
    const double before = cpu_seconds();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    CHECK(cpu_seconds() - before < 0.03);  // of 0.9 that three threads could take
  }
}

}  // namespace
}  // namespace sg::cpu_test

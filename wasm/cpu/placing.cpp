// Places of values in one block of memory, in the order of the calls: each takes the smallest gap that holds it, and
// leaves its own when it has been read for the last time.
#include <map>

#include "cpu/replay.h"

namespace sg::cpu {
namespace {

/// The gaps of a block that grows at its end.
class Gaps {
 public:
  int64_t take(int64_t floats) {
    auto best = gaps_.end();
    for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap) {
      if (gap->second >= floats && (best == gaps_.end() || gap->second < best->second)) best = gap;
    }
    if (best == gaps_.end()) return grow(floats);
    const auto [at, size] = *best;
    gaps_.erase(best);
    if (size > floats) gaps_[at + floats] = size - floats;
    return at;
  }
  void give_back(int64_t at, int64_t floats) {
    auto next = gaps_.lower_bound(at);
    if (next != gaps_.end() && at + floats == next->first) {
      floats += next->second;
      next = gaps_.erase(next);
    }
    if (next != gaps_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == at) {
        before->second += floats;
        return;
      }
    }
    gaps_[at] = floats;
  }
  int64_t size() const { return size_; }

 private:
  /// A gap at the end becomes part of what is taken.
  int64_t grow(int64_t floats) {
    int64_t at = size_;
    if (!gaps_.empty()) {
      const auto last = std::prev(gaps_.end());
      if (last->first + last->second == size_) {
        at = last->first;
        gaps_.erase(last);
      }
    }
    size_ = at + floats;
    return at;
  }

  std::map<int64_t, int64_t> gaps_;  // from where, how long
  int64_t size_ = 0;
};

}  // namespace

std::pair<std::vector<int64_t>, int64_t> place_values(const Schedule& schedule) {
  std::vector<std::vector<Value>> ending(schedule.calls.size());
  for (Value v = 0; v < schedule.values.size(); ++v) {
    const Schedule::Info& info = schedule.values[v];
    if (info.floats > 0 && !info.bound[0]) ending[info.last].push_back(v);
  }
  std::vector<int64_t> places(schedule.values.size());
  Gaps gaps;
  for (size_t c = 0; c < schedule.calls.size(); ++c) {
    for (const Value v : schedule.calls[c].outputs) {
      if (!schedule.values[v].bound[0]) places[v] = gaps.take(padded(schedule.values[v].floats));
    }
    for (const Value v : ending[c]) gaps.give_back(places[v], padded(schedule.values[v].floats));
  }
  return {std::move(places), gaps.size()};
}

}  // namespace sg::cpu

// What a device needs to run a recorded step: calls over values, which of the values have buffers from outside, and
// from when to when each of the others is needed.
#pragma once
#include <array>
#include <memory>

#include "core/trace.h"

namespace sg {

/// How often a step's carried tensors are found in other buffers: they go back and forth between two.
inline constexpr size_t kVariants = 2;

struct Schedule {
  struct Info {
    int64_t floats = 0;
    /// The calls that write it and that read it last; both 0 where it has a buffer from outside.
    uint32_t first = 0, last = 0;
    /// The buffer from outside, for each variant; 0: the device provides one for the calls from first to last.
    std::array<Buffer, kVariants> bound{};
  };
  std::vector<Info> values;  // those of no call have 0 floats
  std::vector<TracedCall> calls;
};

/// Calls that are not needed for `wanted` fall away.
void drop_unused(Trace& trace, std::span<const Value> wanted);

/// Moves the calls whose inputs are all constants, or that have none, out of the trace: they are the same at every
/// step. Equal ones become one, and `wanted` follows. Their outputs are constants without numbers, which whoever runs
/// them once binds. Those larger than `most` floats stay, since a constant takes memory all the time.
std::vector<TracedCall> take_constant_calls(Trace& trace, int64_t most, std::span<Value> wanted);

/// The calls in their order with the values' lifetimes. `bound` has an entry for each value.
Schedule schedule_of(Trace trace, std::vector<std::array<Buffer, kVariants>> bound);

struct Progress {
  int done = 0, total = 0;
};

/// A schedule made ready on a device. It holds the memory of the values that are not bound.
class Replay {
 public:
  virtual ~Replay() = default;
  /// Goes on with what must be made before the first run (programs), without waiting for it; nothing is left where done
  /// is total. A run before that waits.
  virtual Progress prepare() { return {}; }
  virtual void run(size_t variant) = 0;
  /// Memory that it holds and no replay before it.
  virtual uint64_t bytes() const = 0;
};

/// A replay on any device, one call after the other; values that are never needed at once share a buffer.
std::unique_ptr<Replay> replay_calls(Device& device, const Schedule& schedule);

}  // namespace sg

// A recorded step on the cpu device: a flat list of functions with the places of their buffers. All values that are
// made on the way lie in one block of memory, those that are never needed at once in the same place.
#pragma once
#include <functional>
#include <memory>

#include "core/schedule.h"
#include "cpu/kernel.h"

namespace sg::cpu {

using Function = void (*)(std::span<const std::byte> parameters, const Args& args);
/// The kernel's function of this device.
Function function_of(Kernel kernel);

/// Memory of values, shared by the replays of a device: nothing in it outlives a run, and one runs at a time.
struct ValueMemory {
  Memory memory;
  int64_t floats = 0;
};

/// `floats` gives a buffer's place. The replay takes `memory` where it is there and large enough, else it makes another
/// one and leaves it there. Throws device.memory.
std::unique_ptr<Replay> make_replay(const Schedule& schedule, const std::function<Args::Floats(Buffer)>& floats,
                                    std::weak_ptr<ValueMemory>& memory, Scratch& scratch, Counters& counters);

/// Offsets in floats of the schedule's values that are not bound, in one block: each is `padded`, those needed at the
/// same time lie apart. The second number is the block's size.
std::pair<std::vector<int64_t>, int64_t> place_values(const Schedule& schedule);

}  // namespace sg::cpu

// Buffers are slots that own memory. Releasing one keeps its memory with others of the same padded size, and allocating
// takes the slot up again under a new generation, which is part of the handle: an old handle is recognised.
#include "cpu/cpu_device.h"

#include <algorithm>
#include <unordered_map>

#include "cpu/kernel.h"
#include "cpu/replay.h"

namespace sg {
namespace cpu {
namespace {

constexpr uint32_t kIndexBits = 20, kIndexMask = (1u << kIndexBits) - 1, kGenerations = 1u << (32 - kIndexBits);

struct Slot {
  Memory memory;
  int64_t floats = 0;    // as asked for
  int64_t capacity = 0;  // as held
  uint32_t generation = 0;
  bool live = false;
};

struct Reading {
  std::vector<float> values;
  bool pending = false;
};

class CpuDevice final : public Device {
 public:
  std::string name() const override { return "cpu"; }
  Buffer allocate(int64_t floats) override;
  void release(Buffer buffer) override;
  int64_t size(Buffer buffer) const override { return slot(buffer).floats; }
  void upload(Buffer buffer, std::span<const float> values) override;
  void download(Buffer buffer, std::span<float> values) override;
  void run(const Call& call) override;
  uint32_t begin_read(Buffer buffer, int64_t floats) override;
  bool finish_read(uint32_t reading, std::span<float> values) override;
  std::unique_ptr<Replay> prepare(const Schedule& schedule) override {
    const auto place = [this](Buffer b) { return floats(b); };
    return make_replay(schedule, place, value_memory_, scratch_, counters_);
  }

 private:
  uint32_t index_of(Buffer buffer) const;
  const Slot& slot(Buffer buffer) const { return slots_[index_of(buffer)]; }
  uint32_t new_slot(int64_t capacity);
  void drop_released();
  Args::Floats floats(Buffer buffer) const {
    const Slot& s = slot(buffer);
    return {s.memory.get(), s.floats};
  }

  std::vector<Slot> slots_;
  std::unordered_map<int64_t, std::vector<uint32_t>> released_;  // by capacity
  std::vector<uint32_t> empty_;                                  // slots without memory
  std::vector<Reading> readings_;
  std::weak_ptr<ValueMemory> value_memory_;
  Scratch scratch_;
};

uint32_t CpuDevice::index_of(Buffer buffer) const {
  const uint32_t index = buffer & kIndexMask, generation = buffer >> kIndexBits;
  if (index >= slots_.size() || slots_[index].generation != generation) {
    throw Error("device.handle", "buffer " + std::to_string(buffer) + " does not exist on this device, or no longer");
  }
  if (!slots_[index].live) {
    throw Error("device.handle", "buffer " + std::to_string(buffer) + " was used after its release");
  }
  return index;
}

Buffer CpuDevice::allocate(int64_t floats) {
  if (floats < 1 || floats > INT32_MAX) {
    throw Error("device.size", "a buffer holds 1 to 2^31 - 1 floats, not " + std::to_string(floats));
  }
  const int64_t capacity = padded(floats);
  std::vector<uint32_t>& released = released_[capacity];
  uint32_t index;
  if (released.empty()) {
    index = new_slot(capacity);
  } else {
    index = released.back();
    released.pop_back();
  }
  Slot& s = slots_[index];
  s.floats = floats;
  s.live = true;
  s.generation = s.generation % (kGenerations - 1) + 1;  // 1 .. kGenerations - 1: no handle is 0
  ++counters_.live_buffers;
  counters_.live_bytes += static_cast<uint64_t>(capacity) * sizeof(float);
  return s.generation << kIndexBits | index;
}

uint32_t CpuDevice::new_slot(int64_t capacity) {
  Memory memory = make_memory(capacity);
  if (!memory) {
    drop_released();
    memory = make_memory(capacity);
  }
  if (!memory) {
    throw Error("device.memory", "no memory for a buffer of " + std::to_string(capacity * 4) + " bytes beside the " +
                                     std::to_string(counters_.live_bytes) +
                                     " bytes in use; make the model or the batch smaller");
  }
  uint32_t index;
  if (empty_.empty()) {
    if (slots_.size() > kIndexMask) throw Error("device.memory", "more than 2^20 buffers are in use");
    index = static_cast<uint32_t>(slots_.size());
    slots_.emplace_back();
  } else {
    index = empty_.back();
    empty_.pop_back();
  }
  slots_[index].memory = std::move(memory);
  slots_[index].capacity = capacity;
  ++counters_.allocations;
  return index;
}

void CpuDevice::drop_released() {
  for (auto& [capacity, indices] : released_) {
    for (const uint32_t index : indices) {
      slots_[index].memory.reset();
      empty_.push_back(index);
    }
    indices.clear();
  }
}

void CpuDevice::release(Buffer buffer) {
  const uint32_t index = index_of(buffer);
  Slot& s = slots_[index];
  released_[s.capacity].push_back(index);
  s.live = false;
  --counters_.live_buffers;
  counters_.live_bytes -= static_cast<uint64_t>(s.capacity) * sizeof(float);
}

void CpuDevice::upload(Buffer buffer, std::span<const float> values) {
  const Args::Floats to = floats(buffer);
  if (static_cast<int64_t>(values.size()) > to.size) {
    throw Error("device.size", std::to_string(values.size()) + " values for a buffer of " + std::to_string(to.size));
  }
  std::copy(values.begin(), values.end(), to.data);
}

void CpuDevice::download(Buffer buffer, std::span<float> values) {
  const Args::Floats from = floats(buffer);
  if (static_cast<int64_t>(values.size()) > from.size) {
    throw Error("device.size", std::to_string(values.size()) + " values from a buffer of " + std::to_string(from.size));
  }
  std::copy_n(from.data, values.size(), values.begin());
}

void CpuDevice::run(const Call& call) {
  check(*this, call);
  Args args(info(call.kernel), scratch_);
  for (const Buffer buffer : call.inputs) args.add_input(floats(buffer));
  for (const Buffer buffer : call.outputs) args.add_output(floats(buffer));
  scratch_.reset();
  function_of(call.kernel)(call.parameters, args);
  ++counters_.kernels;
}

uint32_t CpuDevice::begin_read(Buffer buffer, int64_t floats) {
  const Slot& s = slot(buffer);
  if (floats < 0 || floats > s.floats) {
    throw Error("device.size",
                "a reading of " + std::to_string(floats) + " floats from a buffer of " + std::to_string(s.floats));
  }
  auto found = std::find_if(readings_.begin(), readings_.end(), [](const Reading& r) { return !r.pending; });
  if (found == readings_.end()) found = readings_.emplace(found);
  found->values.assign(s.memory.get(), s.memory.get() + floats);
  found->pending = true;
  return static_cast<uint32_t>(found - readings_.begin());
}

bool CpuDevice::finish_read(uint32_t reading, std::span<float> values) {
  if (reading >= readings_.size() || !readings_[reading].pending) {
    throw Error("device.handle", "reading " + std::to_string(reading) + " was not begun, or is finished");
  }
  Reading& r = readings_[reading];
  if (values.size() != r.values.size()) {
    throw Error("device.size",
                std::to_string(values.size()) + " values for a reading of " + std::to_string(r.values.size()));
  }
  std::copy(r.values.begin(), r.values.end(), values.begin());
  r.pending = false;
  return true;
}

}  // namespace
}  // namespace cpu

std::unique_ptr<Device> make_cpu_device() { return std::make_unique<cpu::CpuDevice>(); }

}  // namespace sg

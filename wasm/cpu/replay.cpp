#include "cpu/replay.h"

#include <cstring>

namespace sg::cpu {
namespace {

template <class P, void (*kernel)(const P&, const Args&)>
void call(std::span<const std::byte> parameters, const Args& args) {
  P p;
  if constexpr (!std::is_empty_v<P>) std::memcpy(&p, parameters.data(), sizeof p);
  kernel(p, args);
}

constexpr Function kFunctions[] = {
#define KERNEL(name, inputs, outputs, ...) &call<params::name, &kernels::name>,
#include "core/kernels.def"
#undef KERNEL
};

std::shared_ptr<ValueMemory> make_value_memory(int64_t floats) {
  auto made = std::make_shared<ValueMemory>(ValueMemory{make_memory(floats), floats});
  if (floats && !made->memory)
    throw Error("device.memory", "no memory for the " + std::to_string(floats * 4) +
                                     " bytes that a training step needs; make the model or the batch smaller");
  return made;
}

class CpuReplay final : public Replay {
 public:
  CpuReplay(const Schedule& schedule, const std::function<Args::Floats(Buffer)>& floats,
            std::weak_ptr<ValueMemory>& memory, Scratch& scratch, Counters& counters)
      : scratch_(scratch), counters_(counters) {
    const auto [places, size] = place_values(schedule);
    memory_ = memory.lock();
    if (!memory_ || memory_->floats < size) memory = memory_ = make_value_memory(made_ = size);
    for (const TracedCall& c : schedule.calls) parameters_.push_back(c.parameters);
    for (size_t variant = 0; variant < kVariants; ++variant) {
      const auto place = [&, &at = places](Value v) -> Args::Floats {
        const Schedule::Info& info = schedule.values[v];
        return info.bound[variant] ? floats(info.bound[variant])
                                   : Args::Floats{memory_->memory.get() + at[v], info.floats};
      };
      for (size_t c = 0; c < schedule.calls.size(); ++c) {
        const TracedCall& traced = schedule.calls[c];
        Entry entry{function_of(traced.kernel), parameters_[c], Args(info(traced.kernel), scratch)};
        for (const Value v : traced.inputs) entry.args.add_input(place(v));
        for (const Value v : traced.outputs) entry.args.add_output(place(v));
        entries_[variant].push_back(entry);
      }
    }
  }

  void run(size_t variant) override {
    for (const Entry& entry : entries_[variant]) {
      scratch_.reset();
      entry.function(entry.parameters, entry.args);
    }
    counters_.kernels += entries_[variant].size();
  }
  uint64_t bytes() const override { return static_cast<uint64_t>(made_) * sizeof(float); }

 private:
  struct Entry {
    Function function;
    std::span<const std::byte> parameters;
    Args args;
  };
  Scratch& scratch_;
  Counters& counters_;
  int64_t made_ = 0;  // floats that no replay before it has counted
  std::shared_ptr<ValueMemory> memory_;
  std::vector<std::vector<std::byte>> parameters_;
  std::array<std::vector<Entry>, kVariants> entries_;
};

}  // namespace

Function function_of(Kernel kernel) { return kFunctions[static_cast<size_t>(kernel)]; }

std::unique_ptr<Replay> make_replay(const Schedule& schedule, const std::function<Args::Floats(Buffer)>& floats,
                                    std::weak_ptr<ValueMemory>& memory, Scratch& scratch, Counters& counters) {
  return std::make_unique<CpuReplay>(schedule, floats, memory, scratch, counters);
}

}  // namespace sg::cpu

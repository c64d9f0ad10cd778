// A device on which nothing is computed: it writes down what a step asks for. Ops, layers and optimisers run on it as
// on any other, over values that have a size and no numbers, and what is left is the step itself, to be planned and
// replayed.
#pragma once
#include <string>
#include <vector>

#include "core/device.h"

namespace sg {

/// A number of floats that a step reads or makes; its index in Trace::values.
using Value = uint32_t;

/// One kernel on values.
struct TracedCall {
  Kernel kernel;
  std::vector<Value> inputs, outputs;
  std::vector<std::byte> parameters;
};

struct Trace {
  enum class Source : uint8_t {
    given,     // there before the step
    constant,  // the same numbers at every step
    computed,  // by a call
    nothing,   // allocated, and never written
  };
  struct Info {
    int64_t floats = 0;
    Source source = Source::nothing;
    std::vector<float> numbers;  // a constant's
  };
  std::vector<Info> values;
  std::vector<TracedCall> calls;
};

/// A buffer of this device is a value, and 1 more than its index. Numbers cannot be had: download and begin_read throw
/// plan.values. Upload makes a constant, whatever the numbers depend on: those that change must be given.
class Tracer final : public Device {
 public:
  std::string name() const override { return "trace"; }
  Buffer allocate(int64_t floats) override;
  /// The value stays in the trace.
  void release(Buffer) override { --counters_.live_buffers; }
  int64_t size(Buffer buffer) const override { return trace_.values[value(buffer)].floats; }
  void upload(Buffer buffer, std::span<const float> values) override;
  void download(Buffer buffer, std::span<float> values) override;
  void run(const Call& call) override;
  uint32_t begin_read(Buffer buffer, int64_t floats) override;
  bool finish_read(uint32_t reading, std::span<float> values) override;

  /// Declares that the buffer's numbers are there before the step.
  void give(Buffer buffer) { trace_.values[value(buffer)].source = Trace::Source::given; }
  Value value(Buffer buffer) const;
  /// What was written down since the last time.
  Trace take();

 private:
  Trace trace_;
};

}  // namespace sg

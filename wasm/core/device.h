// A device holds flat arrays of floats and runs kernels on them. It knows nothing of shapes, tensors or gradients: five
// ideas (allocate, release, upload, download, run), so that another one (WebGPU) fits without touching an op.
//
// A buffer's floats are undefined after allocate. Released buffers are kept and handed out again: a training step
// allocates the same sizes as the one before it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/kernels.h"

namespace sg {

using Buffer = uint32_t;

/// Numbers since the device was made.
struct Counters {
  uint64_t kernels = 0;      // kernels run
  uint64_t draws = 0;        // draw calls issued; 0 on a device that draws nothing
  uint64_t programs = 0;     // programs compiled in the device's context; 0 on a device that compiles nothing
  uint64_t allocations = 0;  // buffers that had to be made anew, not taken from those released before
  uint64_t live_buffers = 0;
  uint64_t live_bytes = 0;
};

/// One kernel on its buffers; plain data, so that a step can be recorded and replayed.
struct Call {
  Kernel kernel;
  std::span<const Buffer> inputs;
  std::span<const Buffer> outputs;
  std::span<const std::byte> parameters;
};

class Device;
class Replay;
struct Schedule;

/// What every device asks of a call: throws device.arguments, naming the kernel, for other numbers of inputs, outputs
/// or parameter bytes than its row has, outputs of different sizes, or a buffer that is written and used as another as
/// well.
void check(const Device& device, const Call& call);

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string name() const = 0;
  /// Whether it may be taken away at any time: then every call but size and release throws webgl.context_lost.
  virtual bool can_be_lost() const { return false; }

  virtual Buffer allocate(int64_t floats) = 0;
  virtual void release(Buffer buffer) = 0;
  virtual int64_t size(Buffer buffer) const = 0;
  virtual void upload(Buffer buffer, std::span<const float> values) = 0;
  /// Waits for the device; for tests, checkpoints and predictions, never inside a step.
  virtual void download(Buffer buffer, std::span<float> values) = 0;
  virtual void run(const Call& call) = 0;

  /// Starts to bring the first `floats` values of a buffer back without waiting. The buffer may be released at once.
  virtual uint32_t begin_read(Buffer buffer, int64_t floats) = 0;
  /// True, once, when the values of that reading have arrived; on a GPU never within the task that began it.
  virtual bool finish_read(uint32_t reading, std::span<float> values) = 0;

  /// Makes a recorded step ready to be run many times; see core/schedule.h. The device outlives it.
  virtual std::unique_ptr<Replay> prepare(const Schedule& schedule);

  const Counters& counters() const { return counters_; }

 protected:
  Counters counters_;
};

}  // namespace sg

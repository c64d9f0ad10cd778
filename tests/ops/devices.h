// The devices under test, each made once and wrapped so that a test can ask which kernels ran.
#pragma once
#include <memory>
#include <set>
#include <string>

#include "core/device.h"

namespace sg::tests {

/// Forwards everything to another device and notes the kernels.
class RecordingDevice : public Device {
 public:
  explicit RecordingDevice(std::unique_ptr<Device> inner) : inner_(std::move(inner)) { counters_ = inner_->counters(); }

  std::string name() const override { return inner_->name(); }
  Buffer allocate(int64_t floats) override;
  void release(Buffer buffer) override;
  int64_t size(Buffer buffer) const override { return inner_->size(buffer); }
  void upload(Buffer buffer, std::span<const float> values) override;
  void download(Buffer buffer, std::span<float> values) override;
  void run(const Call& call) override;
  uint32_t begin_read(Buffer buffer, int64_t floats) override;
  bool finish_read(uint32_t reading, std::span<float> values) override;
  std::unique_ptr<Replay> prepare(const Schedule& schedule) override;

  const std::set<Kernel>& kernels() const { return kernels_; }
  void forget() { kernels_.clear(); }
  /// The most live bytes at any time since the last forget_peak.
  uint64_t peak_bytes() const { return peak_bytes_; }
  void forget_peak() { peak_bytes_ = counters_.live_bytes; }

 private:
  std::unique_ptr<Device> inner_;
  std::set<Kernel> kernels_;
  uint64_t peak_bytes_ = 0;
};

/// "cpu" or "webgl"; a new one where a test lost its context.
RecordingDevice& device(const std::string& name);

}  // namespace sg::tests

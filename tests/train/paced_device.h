// Devices whose kernels take as long as a test says, on a clock that only they move: a cpu computes in the call, a
// graphics card works off a queue meanwhile and is seen to be done when the clock has come that far.
#pragma once
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "core/schedule.h"
#include "cpu/cpu_device.h"
#include "io/error.h"
#include "train/race.h"

namespace sg::test {

struct Pace {
  double a_float = 0;       // seconds for each float that a kernel writes
  double a_kernel = 0;      // and for each kernel
  double compiling = 0;     // until its programs are there; nobody has to wait for them
  double preparing = 0;     // once, in the first kernel's call
  int64_t dies_after = -1;  // kernels; below 0: never
};

struct Clock {
  double now = 0;
  double wait = 1e-4;  // between two turns
};

/// Is ready when the clock says so.
class PacedReplay final : public Replay {
 public:
  PacedReplay(std::unique_ptr<Replay> inner, double ready, const Clock& clock)
      : inner_(std::move(inner)), ready_(ready), clock_(clock) {}
  Progress prepare() override { return {clock_.now < ready_ ? 4 : 10, 10}; }
  void run(size_t variant) override {
    if (clock_.now < ready_) throw Error("test", "run before it was ready");
    inner_->run(variant);
  }
  uint64_t bytes() const override { return inner_->bytes(); }

 private:
  std::unique_ptr<Replay> inner_;
  double ready_;
  const Clock& clock_;
};

class PacedDevice final : public Device {
 public:
  PacedDevice(std::string name, const Pace& pace, Clock& clock)
      : name_(std::move(name)), pace_(pace), clock_(clock), inner_(make_cpu_device()) {}

  std::string name() const override { return name_; }
  Buffer allocate(int64_t floats) override { return inner_->allocate(floats); }
  void release(Buffer buffer) override { inner_->release(buffer); }
  int64_t size(Buffer buffer) const override { return inner_->size(buffer); }
  void upload(Buffer buffer, std::span<const float> values) override { inner_->upload(buffer, values); }
  void download(Buffer buffer, std::span<float> values) override { inner_->download(buffer, values); }
  void run(const Call& call) override {
    if (pace_.dies_after >= 0 && kernels_ >= pace_.dies_after)
      throw Error("webgl.context_lost", "the context was lost");
    if (kernels_++ == 0) clock_.now += pace_.preparing;
    inner_->run(call);
    const double cost = pace_.a_kernel + pace_.a_float * static_cast<double>(size(call.outputs[0]));
    if (name_ == "cpu")
      clock_.now += cost;
    else
      queue_ends_ = std::max(queue_ends_, clock_.now) + cost;
  }
  std::unique_ptr<Replay> prepare(const Schedule& schedule) override {
    return std::make_unique<PacedReplay>(Device::prepare(schedule), clock_.now + pace_.compiling, clock_);
  }
  uint32_t begin_read(Buffer buffer, int64_t floats) override {
    const uint32_t reading = inner_->begin_read(buffer, floats);
    ready_[reading] = queue_ends_;
    return reading;
  }
  bool finish_read(uint32_t reading, std::span<float> values) override {
    if (name_ != "cpu" && clock_.now < ready_.at(reading)) return false;
    return inner_->finish_read(reading, values);
  }

 private:
  std::string name_;
  Pace pace_;
  Clock& clock_;
  std::unique_ptr<Device> inner_;
  int64_t kernels_ = 0;
  double queue_ends_ = 0;
  std::map<uint32_t, double> ready_;
};

}  // namespace sg::test

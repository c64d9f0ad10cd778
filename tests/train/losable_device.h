// A device that dies after so many calls, as a lost WebGL context does, and whose readings take a while, as a GPU's do;
// the numbers are the cpu's.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <string>

#include "cpu/cpu_device.h"
#include "io/error.h"
#include "train/devices.h"

namespace sg::test {

class LosableDevice final : public Device {
 public:
  /// Dies in call number `life`, counted from 0; never where it is below 0. A reading arrives when it has been asked
  /// for `lag` times. There is room for so many allocations; for all where it is below 0.
  LosableDevice(int64_t life, int lag, int64_t* calls, int64_t room = -1)
      : inner_(make_cpu_device()), life_(life), room_(room), lag_(lag), calls_(calls) {}

  std::string name() const override { return "webgl"; }
  bool can_be_lost() const override { return true; }
  Buffer allocate(int64_t floats) override {
    call();
    if (room_ >= 0 && room_-- == 0) {
      room_ = 0;
      throw Error("webgl.out_of_memory", "the graphics memory has no room");
    }
    return inner_->allocate(floats);
  }
  void release(Buffer buffer) override { inner_->release(buffer); }
  int64_t size(Buffer buffer) const override { return inner_->size(buffer); }
  void upload(Buffer buffer, std::span<const float> values) override { call(), inner_->upload(buffer, values); }
  void download(Buffer buffer, std::span<float> values) override { call(), inner_->download(buffer, values); }
  void run(const Call& what) override { call(), inner_->run(what); }
  uint32_t begin_read(Buffer buffer, int64_t floats) override { return call(), inner_->begin_read(buffer, floats); }
  bool finish_read(uint32_t reading, std::span<float> values) override {
    call();
    if (++asked_[reading] <= lag_) return false;
    asked_.erase(reading);
    return inner_->finish_read(reading, values);
  }

 private:
  void call() {
    ++*calls_;
    if (life_ >= 0 && made_++ >= life_) throw Error("webgl.context_lost", "the context was lost");
  }
  std::unique_ptr<Device> inner_;
  int64_t life_, room_, made_ = 0;
  int lag_;
  int64_t* calls_;
  std::map<uint32_t, int> asked_;
};

/// Makes devices whose lives are told in advance; when no life is left, they are endless.
struct Farm {
  std::deque<int64_t> lives = {};
  int lag = 3;
  int gpus = 0, cpus = 0;
  int64_t calls = 0;      // of all GPUs so far
  bool available = true;  // whether another GPU can be had
  int64_t room = -1;      // allocations of another GPU
  bool has_cpu = true;    // whether there is memory for a cpu device

  train::Devices devices() {
    return {[this](const std::string& name) -> std::unique_ptr<Device> {
              if (name == "cpu" && !has_cpu) throw Error("device.memory", "there is no memory");
              if (name == "cpu") return ++cpus, make_cpu_device();
              if (!available && gpus > 0) throw Error("webgl.unavailable", "WebGL2 is blocked after a crash");
              ++gpus;
              int64_t life = -1;
              if (!lives.empty()) life = lives.front(), lives.pop_front();
              return std::make_unique<LosableDevice>(life, lag, &calls, gpus > 1 ? room : -1);
            },
            [] {
              return train::Gpu{true, false, "A losable card", ""};
            }};
  }
};

}  // namespace sg::test

// Runs one kernel on a cpu device and brings its outputs back. Every buffer that a kernel gets held NaN before, so that
// what lies behind an input's end, or was not written in an output, is seen.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "core/device.h"
#include "core/step_values.h"
#include "cpu/cpu_device.h"

namespace sg::cpu_test {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

/// A kernel's input `step`.
inline Floats step_floats(const StepValues& values) {
  const auto floats = values.floats();
  return {floats.begin(), floats.end()};
}

class Runner {
 public:
  Device& device() { return *device_; }

  /// A buffer whose whole memory held NaN before `values` were put in.
  Buffer buffer(const Floats& values) {
    const Buffer b = poisoned(values.size());
    device_->upload(b, values);
    return b;
  }

  template <class P>
  std::vector<Floats> run(const P& p, const std::vector<Floats>& inputs, size_t floats) {
    std::vector<Buffer> in, out;
    for (const Floats& values : inputs) in.push_back(buffer(values));
    for (size_t i = 0; i < info(P::kernel).outputs.size(); ++i) out.push_back(poisoned(floats));
    device_->run({P::kernel, in, out, bytes(p)});
    std::vector<Floats> results;
    for (const Buffer b : out) {
      results.emplace_back(floats);
      device_->download(b, results.back());
    }
    for (const Buffer b : in) device_->release(b);
    for (const Buffer b : out) device_->release(b);
    return results;
  }

 private:
  Buffer poisoned(size_t floats) {
    // Buffers of one size class share their memory: filling one up to its last float leaves NaN behind a shorter one.
    const int64_t n = static_cast<int64_t>(floats), most = (n + 3 + 15) / 16 * 16 - 3;
    const Buffer dirty = device_->allocate(most);
    device_->upload(dirty, Floats(static_cast<size_t>(most), NAN));
    device_->release(dirty);
    return device_->allocate(n);
  }

  std::unique_ptr<Device> device_ = make_cpu_device();
};

inline Floats numbers(size_t count, uint32_t seed, float low = -1, float high = 1) {
  std::mt19937 engine(seed);
  Floats values(count);
  for (float& value : values) value = low + (high - low) * (static_cast<float>(engine() >> 8) * 0x1p-24f);
  return values;
}

/// The largest |got - want|; infinite where only one is NaN or the lengths differ.
inline double worst(const Floats& got, const Doubles& want) {
  if (got.size() != want.size()) return INFINITY;
  double error = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(got[i]) && std::isnan(want[i])) continue;
    if (static_cast<double>(got[i]) == want[i]) continue;
    const double difference = std::abs(got[i] - want[i]);
    error = std::isnan(difference) ? INFINITY : std::max(error, difference);
  }
  return error;
}

inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace sg::cpu_test

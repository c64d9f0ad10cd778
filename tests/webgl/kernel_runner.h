// Runs one kernel on a webgl device and brings its outputs back; GL errors throw. Values come from a fixed sequence, so
// that a failure can be repeated.
#pragma once
#include <cmath>
#include <random>
#include <vector>

#include "core/step_values.h"
#include "io/error.h"
#include "webgl/webgl_device.h"

namespace sg::test {

using Floats = std::vector<float>;

/// A kernel's input `step`.
inline Floats step_floats(const StepValues& values) {
  const auto floats = values.floats();
  return {floats.begin(), floats.end()};
}

/// Whether the device's context is gone.
inline bool is_lost(Device& device) {
  try {
    device.release(device.allocate(1));
  } catch (const Error& error) {
    return error.code() == "webgl.context_lost";
  }
  return false;
}

/// The device that the kernel tests share: programs are compiled once. A new one after a test that lost its context.
inline Device& webgl() {
  static std::unique_ptr<Device> device;
  if (!device || is_lost(*device)) device = make_webgl_device({.check_errors = true});
  return *device;
}

/// The outputs of one kernel; the inputs' last texels are filled up with NaN, which must not get through.
template <class Params>
std::vector<Floats> run_kernel(const Params& p, const std::vector<Floats>& inputs, size_t floats,
                               Device& device = webgl()) {
  std::vector<Buffer> in, out;
  for (const Floats& values : inputs) {
    // A buffer of whole texels with NaN at its end goes back to the pool, and the input takes its texture.
    Floats poison((values.size() + 3) / 4 * 4, NAN);
    const Buffer dirty = device.allocate(static_cast<int64_t>(poison.size()));
    device.upload(dirty, poison);
    device.release(dirty);
    in.push_back(device.allocate(static_cast<int64_t>(values.size())));
    device.upload(in.back(), values);
  }
  for (size_t i = 0; i < info(Params::kernel).outputs.size(); ++i) {
    out.push_back(device.allocate(static_cast<int64_t>(floats)));
  }
  device.run({Params::kernel, in, out, bytes(p)});
  std::vector<Floats> results;
  for (const Buffer buffer : out) {
    results.emplace_back(floats);
    device.download(buffer, results.back());
  }
  for (const Buffer buffer : in) device.release(buffer);
  for (const Buffer buffer : out) device.release(buffer);
  return results;
}

/// `count` values in [low, high), without any that are too near 0 to be told from their neighbours.
inline Floats numbers(size_t count, uint32_t seed, float low = -2, float high = 2) {
  std::mt19937 engine(seed);
  Floats values(count);
  for (float& value : values) value = low + (high - low) * (static_cast<float>(engine() >> 8) * 0x1p-24f);
  return values;
}

/// The largest |actual - expected| / (1 + |expected|); infinite where one of the two is NaN, or they are different
/// infinities.
inline double worst(const Floats& actual, const std::vector<double>& expected) {
  if (actual.size() != expected.size()) return INFINITY;
  double error = 0;
  for (size_t i = 0; i < actual.size(); ++i) {
    const double a = actual[i], e = expected[i];
    if (std::isnan(a) && std::isnan(e)) continue;
    if (a == e) continue;
    const double difference = std::abs(a - e) / (1 + std::abs(e));
    error = std::isnan(difference) ? INFINITY : std::max(error, difference);
  }
  return error;
}

/// Sizes around the edges of texels and of texture rows.
inline const std::vector<size_t> kSizes{1, 3, 4, 5, 7, 64, 2049 * 4 + 3};

}  // namespace sg::test

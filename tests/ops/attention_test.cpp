// What attention promises beside its values: memory that grows with the length, not with its square; no influence of
// keys that are not seen; and rotary positions that both devices agree on.
#include <catch2/catch.hpp>
#include <cmath>

#include "cpu/cpu_device.h"
#include "tests/ops/compare.h"
#include "tests/ops/devices.h"
#include "webgl/webgl_device.h"

namespace sg::tests {
namespace {

std::unique_ptr<RecordingDevice> fresh(const std::string& name) {
  return std::make_unique<RecordingDevice>(name == "webgl" ? make_webgl_device({.check_errors = true})
                                                           : make_cpu_device());
}

/// The most bytes alive at once during attention of one sample forward and backward, q, k and v included, over the
/// bytes of q, k and v. The cpu kernels' own memory, blocks of 64 by 64 and copies of one head's rows a thread, grows
/// with the length as the inputs do; webgl's are at most as many textures of q's size as a kernel's draws have outputs.
double peak_over_inputs(RecordingDevice& d, int heads, int time, int width, bool causal) {
  const uint64_t before = d.counters().live_bytes;
  d.forget_peak();
  Tensors inputs;
  for (uint32_t i = 0; i < 3; ++i) {
    inputs.push_back(ops::uniform(d, Shape{1, heads, time, width}, -1, 1, Generator{4, 0}, Stream::weights, i));
    inputs.back().set_requires_grad();
  }
  const auto given = static_cast<double>(d.counters().live_bytes - before);
  ops::sum(ops::scaled_dot_product_attention(inputs[0], inputs[1], inputs[2], causal)).backward();
  for (const Tensor& x : inputs) {
    float largest = 0;
    for (const float g : x.grad().values()) largest = std::max(largest, std::abs(g));
    CHECK(largest > 0);
  }
  return static_cast<double>(d.peak_bytes() - before) / given;
}

/// Values at hidden keys must not matter: NaN there, and the visible ones unchanged to the bit.
void check_hidden(const std::string& name) {
  INFO(name);
  Device& d = device(name);
  const int keys = 70, width = 4;
  const auto numbers = [&](int rows, uint32_t draw) {
    return ops::uniform(d, Shape{1, 1, rows, width}, -1, 1, Generator{5, 0}, Stream::weights, draw);
  };
  const Tensor q = numbers(keys, 1), k = numbers(keys, 2), v = numbers(keys, 3);
  std::vector<float> mask(keys, 0.0f), bad_k = k.values(), bad_v = v.values();
  for (int s = 0; s < keys; ++s) {
    if (s % 3 != 1 && s < 68) continue;
    mask[static_cast<size_t>(s)] = s < 68;  // the last two are hidden by causality from the queries before them
    for (int i = s * width; i < (s + 1) * width; ++i)
      bad_k[static_cast<size_t>(i)] = bad_v[static_cast<size_t>(i)] = std::nanf("");
  }
  const Tensor padding = Tensor::from(d, {1, keys}, mask);
  const auto clean = ops::scaled_dot_product_attention(q, k, v, true, padding).values();
  const auto dirty = ops::scaled_dot_product_attention(q, Tensor::from(d, k.shape(), bad_k),
                                                       Tensor::from(d, v.shape(), bad_v), true, padding)
                         .values();
  const auto seen = static_cast<std::ptrdiff_t>(68 * width);
  CHECK(std::vector<float>(clean.begin(), clean.begin() + seen) ==
        std::vector<float>(dirty.begin(), dirty.begin() + seen));
  CHECK(std::isnan(dirty.back()));
  CHECK_FALSE(std::isnan(clean.back()));
}

/// A value that is not a number reaches all queries that see it and no other, up to the last one.
void check_hidden_values(const std::string& name) {
  INFO(name);
  Device& d = device(name);
  const int length = 70, width = 4;
  const auto numbers = [&](uint32_t draw) {
    return ops::uniform(d, Shape{1, 1, length, width}, -1, 1, Generator{9, 0}, Stream::weights, draw);
  };
  const auto attended = [&](const Tensor& v) {
    return ops::scaled_dot_product_attention(numbers(1), numbers(2), v, true).values();
  };
  const auto clean = attended(numbers(3));
  for (const int bad : {30, 63, 69}) {
    INFO(bad);
    std::vector<float> bad_v = numbers(3).values();
    for (int i = bad * width; i < (bad + 1) * width; ++i) bad_v[static_cast<size_t>(i)] = std::nanf("");
    const auto dirty = attended(Tensor::from(d, {1, 1, length, width}, bad_v));
    for (size_t i = 0; i < clean.size(); ++i) {
      INFO(i);
      if (i < static_cast<size_t>(bad * width))
        CHECK(clean[i] == dirty[i]);
      else
        CHECK(std::isnan(dirty[i]));
    }
  }
}

/// A query that is not a number must not matter to the keys that it does not see: their gradients are the same to the
/// bit, those of the keys that it sees NaN.
void check_hidden_gradients(const std::string& name) {
  INFO(name);
  Device& d = device(name);
  const int length = 70, width = 4, bad = 20;
  const auto numbers = [&](uint32_t draw) {
    return ops::uniform(d, Shape{1, 1, length, width}, -1, 1, Generator{7, 0}, Stream::weights, draw);
  };
  const auto key_gradient = [&](const Tensor& q) {
    Tensor k = numbers(2);
    k.set_requires_grad();
    ops::sum(ops::mul(ops::scaled_dot_product_attention(q, k, numbers(3), true), numbers(4))).backward();
    return k.grad().values();
  };
  std::vector<float> bad_q = numbers(1).values();
  for (int i = bad * width; i < (bad + 1) * width; ++i) bad_q[static_cast<size_t>(i)] = std::nanf("");
  const auto clean = key_gradient(numbers(1)), dirty = key_gradient(Tensor::from(d, {1, 1, length, width}, bad_q));
  for (size_t i = 0; i < clean.size(); ++i) {
    INFO(i);
    CHECK_FALSE(std::isnan(clean[i]));
    if (i < static_cast<size_t>((bad + 1) * width))
      CHECK(std::isnan(dirty[i]));
    else
      CHECK(clean[i] == dirty[i]);
  }
}

TEST_CASE("attention over 2,048 keys takes at most four times the memory of its inputs on cpu", "[ops]") {
  for (const bool causal : {false, true}) CHECK(peak_over_inputs(*fresh("cpu"), 4, 2048, 32, causal) < 4);
}
TEST_CASE("attention takes at most four times the memory of its inputs on webgl", "[ops][webgl]") {
  CHECK(peak_over_inputs(*fresh("webgl"), 2, 256, 32, false) < 4);
}
TEST_CASE("keys that are not seen may hold anything on cpu", "[ops]") { check_hidden("cpu"); }
TEST_CASE("keys that are not seen may hold anything on webgl", "[ops][webgl]") { check_hidden("webgl"); }

TEST_CASE("a value that is not a number reaches the queries that see it and no other on cpu", "[ops]") {
  check_hidden_values("cpu");
}
TEST_CASE("a value that is not a number reaches the queries that see it and no other on webgl", "[ops][webgl]") {
  check_hidden_values("webgl");
}

TEST_CASE("queries that do not see a key may hold anything for its gradient on cpu", "[ops]") {
  check_hidden_gradients("cpu");
}

TEST_CASE("rotary positions agree on cpu and webgl to 1e-6, at far positions too", "[ops][webgl]") {
  for (const int first : {0, 4000, 1000000}) {
    std::vector<std::vector<float>> results;
    for (const std::string name : {"cpu", "webgl"}) {
      Device& d = device(name);
      const Tensor x = ops::uniform(d, Shape{2, 2, 9, 18}, -1, 1, Generator{6, 0}, Stream::weights, 1);
      results.push_back(ops::rotary(x, first).values());
    }
    for (size_t i = 0; i < results[0].size(); ++i) REQUIRE(std::abs(results[0][i] - results[1][i]) <= 1e-6f);
  }
}

}  // namespace
}  // namespace sg::tests

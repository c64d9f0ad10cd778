// The webgl device itself: buffers, readings, groups of outputs, errors, several devices in one process.
#include <catch2/catch.hpp>

#include "io/error.h"
#include "tests/webgl/kernel_runner.h"

using namespace sg;
using namespace sg::test;

namespace {

template <class Action>
std::string error_code(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.code();
  }
  return "";
}

Buffer filled(Device& device, int64_t floats, float value) {
  const Buffer buffer = device.allocate(floats);
  const params::fill p{.value = value};
  device.run({Kernel::fill, {}, {&buffer, 1}, std::as_bytes(std::span(&p, 1))});
  return buffer;
}

Floats values_of(Device& device, Buffer buffer) {
  Floats values(static_cast<size_t>(device.size(buffer)));
  device.download(buffer, values);
  return values;
}

}  // namespace

TEST_CASE("outputs drawn in groups equal those drawn at once", "[webgl]") {
  const params::lstm_step p{.batch = 3, .steps = 2, .t = 1, .hidden = 5};
  const std::vector<Floats> inputs{numbers(120, 1), numbers(15, 2), numbers(15, 3), numbers(100, 4)};
  const auto expected = run_kernel(p, inputs, 15);
  for (const auto& [limit, draws] : {std::pair{4, 2u}, {2, 3u}, {1, 6u}, {0, 6u}}) {
    const auto device = make_webgl_device({.max_outputs = limit, .check_errors = true});
    CHECK(run_kernel(p, inputs, 15, *device) == expected);
    CHECK(device->counters().draws == draws);
    CHECK(device->counters().kernels == 1);
  }
}

TEST_CASE("a long axis takes a second draw where outputs are few", "[webgl]") {
  const auto draws_of = [](const params::sum& p, size_t floats) {
    const uint64_t before = webgl().counters().draws;
    run_kernel(p, {Floats(static_cast<size_t>(p.outer * p.reduce * p.inner), 1)}, floats);
    return webgl().counters().draws - before;
  };
  CHECK(draws_of({1, 100, 1, 1}, 1) == 1);
  CHECK(draws_of({1, 5000, 1, 1}, 1) == 2);
}

TEST_CASE("released buffers are handed out again", "[webgl]") {
  const auto device = make_webgl_device();
  const Buffer first = device->allocate(100);
  CHECK(device->counters().live_buffers == 1);
  CHECK(device->counters().live_bytes == 400);
  device->release(first);
  CHECK(device->counters().live_buffers == 0);
  CHECK(device->counters().live_bytes == 0);
  for (int i = 0; i < 50; ++i) {
    const Buffer again = device->allocate(99);
    CHECK(again != first);
    device->release(again);
  }
  CHECK(device->counters().allocations == 1);
  device->allocate(101);
  CHECK(device->counters().allocations == 2);
}

TEST_CASE("a released buffer cannot be used", "[webgl]") {
  Device& device = webgl();
  const Buffer old = device.allocate(8);
  device.release(old);
  const Buffer next = device.allocate(8);
  CHECK(error_code([&] { device.size(old); }) == "device.handle");
  CHECK(error_code([&] { device.release(old); }) == "device.handle");
  CHECK(error_code([&] { device.upload(old, Floats(8)); }) == "device.handle");
  CHECK(error_code([&] { device.size(0); }) == "device.handle");
  CHECK(device.size(next) == 8);
  device.release(next);
}

TEST_CASE("a buffer larger than a texture is refused with its size", "[webgl]") {
  const int64_t floats = int64_t{1} << 40;
  CHECK(error_code([&] { webgl().allocate(floats); }) == "webgl.too_large");
  CHECK_THROWS_WITH(webgl().allocate(floats), Catch::Contains("1099511627776 floats"));
  CHECK(error_code([&] { webgl().allocate(-1); }) == "device.size");
  CHECK(error_code([&] { webgl().allocate(0); }) == "device.size");
}

TEST_CASE("calls that do not fit their kernel are refused", "[webgl]") {
  Device& device = webgl();
  const Buffer x = filled(device, 4, 1), y = filled(device, 4, 2), z = filled(device, 5, 3);
  const params::unary p{.op = 0, .p = 0}, no_op{.op = 99, .p = 0};
  const auto bytes = [](const params::unary& row) { return std::as_bytes(std::span(&row, 1)); };
  const auto call = [&](std::vector<Buffer> in, std::vector<Buffer> out, std::span<const std::byte> parameters) {
    return error_code([&] { device.run({Kernel::unary, in, out, parameters}); });
  };
  CHECK(call({x}, {y}, bytes(p)) == "");
  CHECK(call({x}, {x}, bytes(p)) == "device.arguments");
  CHECK(call({x, x}, {y}, bytes(p)) == "device.arguments");
  CHECK(call({x}, {}, bytes(p)) == "device.arguments");
  CHECK(call({x}, {y}, bytes(p).first(4)) == "device.arguments");
  CHECK(call({x}, {y}, bytes(no_op)) == "device.arguments");
  CHECK(error_code([&] { device.upload(x, Floats(5)); }) == "device.size");
  CHECK(error_code([&] {
          Floats two(2);
          device.download(x, two);
        }) == "device.size");
  CHECK(error_code([&] { device.begin_read(x, 5); }) == "device.size");
  for (const Buffer buffer : {x, y, z}) device.release(buffer);
}

#ifndef __EMSCRIPTEN__
TEST_CASE("readings arrive in any order, though their buffers were released", "[webgl]") {
  Device& device = webgl();
  std::vector<uint32_t> readings;
  for (int i = 0; i < 4; ++i) {
    const Buffer buffer = filled(device, 9000, static_cast<float>(i));
    readings.push_back(device.begin_read(buffer, i == 3 ? 9000 : 1));
    device.release(buffer);
  }
  for (const size_t i : {2u, 0u, 3u, 1u}) {
    Floats values(i == 3 ? 9000 : 1);
    int polls = 0;
    while (!device.finish_read(readings[i], values) && ++polls < 100000000) {
    }
    CHECK(values == Floats(values.size(), static_cast<float>(i)));
    CHECK(error_code([&] { device.finish_read(readings[i], values); }) == "device.handle");
  }
}

TEST_CASE("a reading of another size is refused and stays", "[webgl]") {
  Device& device = webgl();
  const Buffer buffer = filled(device, 6, 5);
  const uint32_t reading = device.begin_read(buffer, 6);
  Floats values(5);
  CHECK(error_code([&] { device.finish_read(reading, values); }) == "device.size");
  values.resize(6);
  while (!device.finish_read(reading, values)) {
  }
  CHECK(values == Floats(6, 5));
  device.release(buffer);
}
#endif

TEST_CASE("an upload after a draw goes where it should", "[webgl]") {
  Device& device = webgl();
  const Buffer a = filled(device, 4, 1), b = filled(device, 8, 2), c = device.allocate(4);
  params::binary p;
  p.same = 1;
  for (int round = 0; round < 2; ++round) {
    const Buffer inputs[] = {a, b};
    device.run({Kernel::binary, inputs, {&c, 1}, std::as_bytes(std::span(&p, 1))});
    const Floats values(4, static_cast<float>(round + 5));
    device.upload(a, values);
    CHECK(values_of(device, a) == values);
    CHECK(values_of(device, b) == Floats(8, 2));
  }
  for (const Buffer buffer : {a, b, c}) device.release(buffer);
}

TEST_CASE("several devices keep their buffers apart", "[webgl]") {
  std::vector<std::unique_ptr<Device>> devices;
  std::vector<Buffer> buffers;
  for (int i = 0; i < 5; ++i) {
    devices.push_back(make_webgl_device({.check_errors = true}));
    buffers.push_back(filled(*devices.back(), 10, static_cast<float>(i)));
  }
  devices[1].reset();
  for (const size_t i : {4u, 0u, 2u, 3u})
    CHECK(values_of(*devices[i], buffers[i]) == Floats(10, static_cast<float>(i)));
  CHECK(devices[0]->counters().live_buffers == 1);
}

TEST_CASE("many different parameters keep their values apart", "[webgl]") {
  // More than the uniform buffer has slots, twice over.
  Device& device = webgl();
  std::vector<Buffer> buffers;
  for (int i = 0; i < 5000; ++i) buffers.push_back(filled(device, 1, static_cast<float>(i % 2500)));
  bool right = true;
  for (size_t i = 0; i < buffers.size(); i += 7)
    right &= values_of(device, buffers[i])[0] == static_cast<float>(i % 2500);
  CHECK(right);
  for (const Buffer buffer : buffers) device.release(buffer);
}

TEST_CASE("renderers that draw on a CPU are told by name", "[webgl]") {
  CHECK(is_software_renderer(
      "ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero) (0x0000C0DE)), SwiftShader driver)"));
  CHECK(is_software_renderer("llvmpipe (LLVM 15.0.6, 256 bits)"));
  CHECK(is_software_renderer("llvmpipe, or similar"));
  CHECK(is_software_renderer("ANGLE (Microsoft, Microsoft Basic Render Driver Direct3D11 vs_5_0 ps_5_0)"));
  // Firefox says this of real GPUs.
  CHECK_FALSE(is_software_renderer("ANGLE (NVIDIA, NVIDIA GeForce GTX 980 Direct3D11 vs_5_0 ps_5_0), or similar"));
  CHECK_FALSE(is_software_renderer("Apple M1, or similar"));
  CHECK_FALSE(webgl_info().renderer.empty());
  CHECK(webgl_info().software == is_software_renderer(webgl_info().renderer));
}

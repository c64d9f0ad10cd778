// The device's buffers: reuse, handles that are no longer valid, readings, and calls that do not fit their kernel.
#include <catch2/catch.hpp>

#include "io/error.h"
#include "tests/cpu/runner.h"

namespace sg::cpu_test {
namespace {

template <class F>
std::string code_of(F f) {
  try {
    f();
  } catch (const Error& e) {
    return e.code();
  }
  return "no error";
}

template <class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

template <class P>
void call(Device& device, const P& p, const std::vector<Buffer>& in, const std::vector<Buffer>& out) {
  device.run({P::kernel, in, out, std::as_bytes(std::span(&p, 1))});
}

TEST_CASE("a second identical round of work allocates nothing new", "[cpu]") {
  const auto device = make_cpu_device();
  const auto round = [&] {
    std::vector<Buffer> buffers;
    for (const int64_t floats : {1, 5, 64, 64, 1000, 4096, 1000}) buffers.push_back(device->allocate(floats));
    const Buffer a = buffers[2], b = buffers[3];
    const Buffer c = device->allocate(64);
    call(*device, params::fill{.value = 2}, {}, {a});
    call(*device, params::fill{.value = 3}, {}, {b});
    call(*device, params::matmul{.m = 8, .n = 8, .k = 8, .trans_b = 1}, {a, b}, {c});
    Floats values(64);
    device->download(c, values);
    for (const Buffer buffer : buffers) device->release(buffer);
    device->release(c);
    return values;
  };
  const Floats first = round();
  CHECK(first == Floats(64, 48.0f));
  const uint64_t allocations = device->counters().allocations;
  CHECK(allocations == 8);
  CHECK(round() == first);
  CHECK(device->counters().allocations == allocations);
  CHECK(device->counters().kernels == 6);
  CHECK(device->counters().live_buffers == 0);
  CHECK(device->counters().live_bytes == 0);
  CHECK(device->counters().draws == 0);
}

TEST_CASE("live buffers and bytes are counted", "[cpu]") {
  const auto device = make_cpu_device();
  const Buffer a = device->allocate(100);
  device->allocate(1);
  CHECK(device->size(a) == 100);
  CHECK(device->counters().live_buffers == 2);
  CHECK(device->counters().live_bytes >= 404);
  const uint64_t bytes = device->counters().live_bytes;
  device->release(a);
  CHECK(device->counters().live_buffers == 1);
  CHECK(device->counters().live_bytes <= bytes - 400);
}

TEST_CASE("a released handle is recognised, even when its memory lives on", "[cpu]") {
  const auto device = make_cpu_device();
  Floats values(4);
  const Buffer old = device->allocate(4);
  device->release(old);
  CHECK(code_of([&] { device->release(old); }) == "device.handle");
  CHECK(code_of([&] { device->download(old, values); }) == "device.handle");
  const Buffer next = device->allocate(4);
  CHECK(next != old);
  CHECK(device->counters().allocations == 1);
  CHECK(code_of([&] { device->upload(old, values); }) == "device.handle");
  CHECK(code_of([&] { device->size(old); }) == "device.handle");
  CHECK(code_of([&] { call(*device, params::fill{}, {}, {old}); }) == "device.handle");
  CHECK(code_of([&] { device->release(old); }) == "device.handle");
  CHECK(code_of([&] { device->release(0); }) == "device.handle");
  CHECK(code_of([&] { device->release(0xffffffffu); }) == "device.handle");
  device->release(next);
}

TEST_CASE("sizes that do not fit are errors", "[cpu]") {
  const auto device = make_cpu_device();
  const Buffer four = device->allocate(4);
  Floats five(5);
  CHECK(code_of([&] { device->allocate(0); }) == "device.size");
  CHECK(code_of([&] { device->allocate(-3); }) == "device.size");
  CHECK(code_of([&] { device->allocate(int64_t{1} << 31); }) == "device.size");
  CHECK(code_of([&] { device->upload(four, five); }) == "device.size");
  CHECK(code_of([&] { device->download(four, five); }) == "device.size");
  CHECK(code_of([&] { device->begin_read(four, 5); }) == "device.size");
}

TEST_CASE("a call that does not fit its kernel says which kernel and why", "[cpu]") {
  const auto device = make_cpu_device();
  const Buffer a = device->allocate(6), b = device->allocate(6), c = device->allocate(6);
  const params::matmul p{.m = 2, .n = 2, .k = 3};
  CHECK_NOTHROW(call(*device, p, {a, b}, {c}));
  CHECK(message_of([&] { call(*device, p, {a}, {c}); }) == "kernel matmul: takes 2 inputs and 1 outputs, not 1 and 1");
  CHECK(message_of([&] {
          device->run({Kernel::matmul, std::vector{a, b}, std::vector{c}, {}});
        }) == "kernel matmul: takes " + std::to_string(sizeof(p)) + " bytes of parameters, not 0");
  CHECK(message_of([&] {
          call(*device, params::matmul{.m = 3, .n = 2, .k = 3}, {a, b}, {c});
        }) == "kernel matmul: buffer a holds 6 floats where 9 are needed");
  CHECK(message_of([&] {
          call(*device, params::matmul{.m = 3, .n = 3, .k = 2}, {a, b}, {c});
        }) == "kernel matmul: buffer c holds 6 floats where 9 are needed");
  CHECK(code_of([&] { call(*device, params::matmul{.m = -1, .n = 3, .k = 2}, {a, b}, {c}); }) == "device.arguments");
  CHECK(code_of([&] { call(*device, params::unary{.op = 1000}, {a}, {b}); }) == "device.arguments");
  CHECK(code_of([&] { call(*device, params::unary{}, {a}, {a}); }) == "device.arguments");
  CHECK(code_of([&] {
          call(*device, params::strided_copy{1, -1, 1, 1, 1, 1, 1, 6, 0, 0, 0, 0, 0, 1}, {a}, {b});
        }) == "device.arguments");
  CHECK(code_of([&] {
          call(*device, params::strided_copy{1, 1, 1, 1, 1, 1, 1, 6, 0, 0, 0, 0, 0, 1}, {a}, {b});
        }) == "device.arguments");
  CHECK(code_of([&] { device->run({Kernel::count, {}, {}, {}}); }) == "device.arguments");
}

TEST_CASE("a reading keeps the values of the moment it began, and is taken once", "[cpu]") {
  const auto device = make_cpu_device();
  const Buffer a = device->allocate(3);
  device->upload(a, Floats{1, 2, 3});
  const uint32_t first = device->begin_read(a, 2);
  device->upload(a, Floats{4, 5, 6});
  const uint32_t second = device->begin_read(a, 3);
  device->release(a);
  Floats two(2), three(3);
  CHECK(device->finish_read(second, three));
  CHECK(three == Floats{4, 5, 6});
  CHECK(device->finish_read(first, two));
  CHECK(two == Floats{1, 2});
  CHECK(code_of([&] { device->finish_read(first, two); }) == "device.handle");
  CHECK(code_of([&] { device->finish_read(77, two); }) == "device.handle");
}

}  // namespace
}  // namespace sg::cpu_test

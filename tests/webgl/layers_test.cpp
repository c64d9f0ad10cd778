// Buffers that need several layers of a texture, made at small sizes by forcing the texture limit: kernels of every
// kind at the ends of texels, rows and layers, against the cpu device.
#include <catch2/catch.hpp>
#include <functional>

#include "cpu/cpu_device.h"
#include "io/error.h"
#include "ops/ops.h"
#include "tests/webgl/kernel_runner.h"

using namespace sg;
using namespace sg::test;

namespace {

Device& cpu() {
  static const std::unique_ptr<Device> device = make_cpu_device();
  return *device;
}

std::unique_ptr<Device> limited(int limit) {
  return make_webgl_device({.max_texture_size = limit, .check_errors = true});
}

/// Runs a kernel whose outputs, or whose longest input, have about n floats.
struct Kind {
  const char* name;
  std::function<std::vector<Floats>(Device&, int n)> run;
};

params::binary times(int rows, int columns, int a4, int a5, int b4, int b5) {
  params::binary p{.op = static_cast<int>(ops::Binary::mul)};
  p.d0 = p.d1 = p.d2 = p.d3 = 1;
  p.d4 = rows, p.d5 = columns, p.a4 = a4, p.a5 = a5, p.b4 = b4, p.b5 = b5;
  return p;
}

params::strided_copy copy(int offset, int rows, int columns, int s4, int s5) {
  params::strided_copy p{.scale = 2, .offset = offset};
  p.d0 = p.d1 = p.d2 = p.d3 = 1;
  p.d4 = rows, p.d5 = columns, p.s4 = s4, p.s5 = s5;
  return p;
}

Floats x_of(int n, uint32_t seed = 1) { return numbers(static_cast<size_t>(n), seed); }
Floats positive(int n, uint32_t seed) { return numbers(static_cast<size_t>(n), seed, 0.5f, 2); }
size_t size(int n) { return static_cast<size_t>(n); }

/// Whole numbers, few and often equal.
Floats steps_of(int n) {
  Floats x = x_of(n);
  for (float& value : x) value = std::round(value * 8);
  return x;
}

const int kOdd = 17;

/// Cheap enough to run at 2^24 floats.
const Kind kPlainKinds[] = {
    {"unary",
     [](Device& d, int n) {
       return run_kernel(params::unary{.op = static_cast<int>(ops::Unary::tanh), .p = 0}, {x_of(n)}, size(n), d);
     }},
    {"binary with a scalar",
     [](Device& d, int n) {
       return run_kernel(times(1, n, 0, 1, 0, 0), {x_of(n), {1.5f}}, size(n), d);
     }},
    {"strided_copy from an offset",
     [](Device& d, int n) { return run_kernel(copy(3, 1, n, 0, 1), {x_of(n + 3)}, size(n), d); }},
    {"concat",
     [](Device& d, int n) {
       const int second = std::min(5, n - 1);
       return run_kernel(params::concat{.outer = 1, .w0 = n - second, .w1 = second},
                         {x_of(n - second), x_of(second, 2), {0}, {0}, {0}, {0}, {0}, {0}}, size(n), d);
     }},
    {"sum of one long axis",
     [](Device& d, int n) {
       return run_kernel(params::sum{1, n, 1, 1}, {positive(n, 1)}, 1, d);
     }},
    {"matmul over a long inner axis",
     [](Device& d, int n) {
       return run_kernel(params::matmul{.m = 1, .n = 1, .k = n}, {positive(n, 1), positive(n, 2)}, 1, d);
     }},
    {"uniform",
     [](Device& d, int n) {
       return run_kernel(params::uniform{1, 2, 3, 4, -1, 1}, {}, size(n), d);
     }},
};

const Kind kOtherKinds[] = {
    {"binary over rows",
     [](Device& d, int n) {
       const int rows = n / kOdd + 1;
       return run_kernel(times(rows, kOdd, 1, rows, 0, 1), {x_of(rows * kOdd), x_of(kOdd, 2)}, size(rows * kOdd), d);
     }},
    {"strided_copy transposed",
     [](Device& d, int n) {
       const int rows = n / kOdd + 1;
       return run_kernel(copy(0, rows, kOdd, 1, rows), {x_of(rows * kOdd)}, size(rows * kOdd), d);
     }},
    {"pad",
     [](Device& d, int n) {
       return run_kernel(params::pad{.outer = 1, .size = n, .inner = 1, .start = n / 3, .length = n - n / 3, .step = 1},
                         {x_of(n - n / 3)}, size(n), d);
     }},
    {"sum of short axes",
     [](Device& d, int n) {
       return run_kernel(params::sum{n, 2, 1, 1}, {x_of(2 * n)}, size(n), d);
     }},
    {"sum of an outer axis",
     [](Device& d, int n) {
       return run_kernel(params::sum{1, 3, n, 0.5f}, {x_of(3 * n)}, size(n), d);
     }},
    {"max",
     [](Device& d, int n) {
       return run_kernel(params::max{1, n, 1}, {x_of(n)}, 1, d);
     }},
    {"max_backward of a long axis",
     [](Device& d, int n) {
       const Floats x = steps_of(n);
       return run_kernel(params::max_backward{1, n, 1}, {x, {*std::max_element(x.begin(), x.end())}, {2}}, size(n), d);
     }},
    {"matmul of tall matrices",
     [](Device& d, int n) {
       return run_kernel(params::matmul{.m = n, .n = 1, .k = 3}, {x_of(3 * n), x_of(3, 2)}, size(n), d);
     }},
    {"matmul of wide matrices",
     [](Device& d, int n) {
       return run_kernel(params::matmul{.m = 3, .n = n, .k = 4}, {x_of(12), x_of(4 * n, 2)}, size(3 * n), d);
     }},
    {"lstm_step, six outputs",
     [](Device& d, int n) {
       return run_kernel(params::lstm_step{.batch = n, .steps = 1, .t = 0, .hidden = 1},
                         {x_of(4 * n), x_of(n, 2), x_of(n, 3), x_of(4, 4)}, size(n), d);
     }},
    {"lstm_step of four units",
     [](Device& d, int n) {
       const int batch = n / 4 + 1;
       return run_kernel(params::lstm_step{.batch = batch, .steps = 2, .t = 1, .hidden = 4},
                         {x_of(32 * batch), x_of(4 * batch, 2), x_of(4 * batch, 3), x_of(64, 4)}, size(4 * batch), d);
     }},
    {"binary_backward, two outputs",
     [](Device& d, int n) {
       params::binary_backward p{.op = static_cast<int>(ops::Binary::mul)};
       p.same = 1, p.d0 = p.d1 = p.d2 = p.d3 = p.d4 = 1, p.d5 = n;
       return run_kernel(p, {x_of(n), x_of(n, 2), x_of(n, 3)}, size(n), d);
     }},
    {"dropout",
     [](Device& d, int n) {
       return run_kernel(params::dropout{5, 6, 3, 9, 0.25f}, {x_of(n), step_floats({})}, size(n), d);
     }},
};

/// Where and how two results differ first, or "".
std::string difference(const std::vector<Floats>& got, const std::vector<Floats>& want, float tolerance) {
  for (size_t output = 0; output < want.size(); ++output) {
    for (size_t i = 0; i < want[output].size(); ++i) {
      const float a = got[output][i], b = want[output][i];
      if (std::abs(a - b) <= tolerance * (1 + std::abs(b))) continue;
      return "output " + std::to_string(output) + "[" + std::to_string(i) + "] is " + std::to_string(a) + ", not " +
             std::to_string(b);
    }
  }
  return "";
}

template <class Kinds>
void compare(Device& device, const Kinds& kinds, const std::vector<int>& sizes) {
  for (const Kind& kind : kinds) {
    for (const int n : sizes) {
      INFO(kind.name << " of " << n);
      // The cpu device's own sums of so many floats are no better.
      const float tolerance = n > 1 << 20 ? 2e-5f : 2e-6f;
      CHECK(difference(kind.run(device, n), kind.run(cpu(), n), tolerance) == "");
    }
  }
}

}  // namespace

TEST_CASE("kernels of every kind are right at the ends of texels, rows and layers", "[webgl]") {
  SECTION("textures of 256 x 256") {
    const auto device = limited(256);
    const int row = 4 * 256, layer = row * 256;
    const std::vector<int> sizes{3,         4,     5,         row - 1,       row,       row + 1,
                                 layer - 1, layer, layer + 1, 2 * layer - 1, 2 * layer, 2 * layer + 1};
    compare(*device, kPlainKinds, sizes);
    compare(*device, kOtherKinds, sizes);
  }
  SECTION("textures of 2048 rows") {
    const auto device = limited(2048);
    const int row = 4 * 256, layer = row * 2048;
    compare(*device, kPlainKinds, {3, 4, 5, row - 1, row, row + 1, layer + 1});
    compare(*device, kOtherKinds, {3, 4, 5, row - 1, row, row + 1});
    const Kind unary[] = {kPlainKinds[0]}, uniform[] = {kPlainKinds[std::size(kPlainKinds) - 1]};
    compare(*device, unary, {layer - 1, layer});
    compare(*device, uniform, {layer - 1, layer, 2 * layer - 1, 2 * layer, 2 * layer + 1});
  }
}

TEST_CASE("kernels are right over many small layers", "[webgl]") {
  const auto device = limited(8);
  compare(*device, kPlainKinds, {31, 32, 33, 255, 256, 257, 1025, 3000});
  compare(*device, kOtherKinds, {31, 32, 33, 255, 256, 257, 1025, 3000});
}

TEST_CASE("elementwise kernels and sums are right at every power of two", "[webgl]") {
  const Kind kinds[] = {kPlainKinds[0], kPlainKinds[4]};
  for (int k = 0; k <= 20; ++k) {
    for (const int n : {(1 << k) - 1, 1 << k, (1 << k) + 1}) {
      if (n > 0) compare(webgl(), kinds, {n});
    }
  }
}

TEST_CASE("no fragment walks an axis of any length: even a large product's inner axis is cut", "[webgl]") {
  const params::matmul p{.m = 129, .n = 129, .k = 16389};
  const Floats a = positive(p.m * p.k, 1), b = positive(p.k * p.n, 2);
  const uint64_t before = webgl().counters().draws;
  CHECK(difference(run_kernel(p, {a, b}, 129 * 129), run_kernel(p, {a, b}, 129 * 129, cpu()), 1e-5f) == "");
  CHECK(webgl().counters().draws - before >= 2);
}

TEST_CASE("outputs drawn in groups are right in every layer", "[webgl]") {
  const auto device = make_webgl_device({.max_outputs = 4, .max_texture_size = 8, .check_errors = true});
  compare(*device, kOtherKinds, {255, 257, 1000});
}

TEST_CASE("a kernel takes a draw for each layer of its outputs", "[webgl]") {
  const auto device = limited(256);
  for (const auto& [floats, draws] : {std::pair{1 << 18, 1u}, {(1 << 18) + 1, 2u}, {3 << 18, 3u}}) {
    const uint64_t before = device->counters().draws;
    run_kernel(params::fill{.value = 1}, {}, size(floats), *device);
    CHECK(device->counters().draws - before == draws);
  }
}

#ifndef __EMSCRIPTEN__
TEST_CASE("uploads, downloads and readings go through every layer", "[webgl]") {
  const auto [limit, layer] = GENERATE(std::pair{8, 256}, std::pair{256, 1 << 18}, std::pair{2048, 1 << 21});
  const auto device = limited(limit);
  for (const int n : {5, layer - 1, layer, layer + 1, 2 * layer + 3}) {
    const Buffer buffer = device->allocate(n);
    const Floats values = x_of(n);
    device->upload(buffer, values);
    Floats back(size(n));
    device->download(buffer, back);
    INFO(n << " floats in textures of " << limit);
    CHECK((back == values));
    for (const int part : {n, std::min(n, layer + 2), 1}) {
      Floats read(size(part));
      const uint32_t reading = device->begin_read(buffer, part);
      while (!device->finish_read(reading, read)) {
      }
      CHECK(std::equal(read.begin(), read.end(), values.begin()));
    }
    device->release(buffer);
  }
}
#endif

TEST_CASE("a buffer beyond the layers that a texture may have is refused with both sizes", "[webgl]") {
  const auto refusal = [](Device& device, int64_t floats) -> std::string {
    try {
      device.allocate(floats);
    } catch (const Error& error) {
      return error.code() + ": " + error.message();
    }
    return "";
  };
  const std::string tiny = refusal(*limited(2), int64_t{1} << 24);
  CHECK_THAT(tiny, Catch::StartsWith("webgl.too_large: a buffer of 16777216 floats"));
  CHECK_THAT(tiny, Catch::Contains("layers of 2 x 2 texels"));
  CHECK_THAT(refusal(webgl(), int64_t{1} << 31), Catch::Contains("2147483647"));
}

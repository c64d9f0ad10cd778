// Kernels that webgl makes in tiles where they are large enough: sizes at the ends of tiles and pieces, against the cpu
// device, and how many draws they take.
#include <catch2/catch.hpp>
#include <cstring>

#include "cpu/cpu_device.h"
#include "tests/webgl/kernel_runner.h"

using namespace sg;
using namespace sg::test;

namespace {

Device& cpu() {
  static const std::unique_ptr<Device> device = make_cpu_device();
  return *device;
}

size_t size(int64_t n) { return static_cast<size_t>(n); }

/// The largest error of webgl's outputs, and the draws that they took there.
template <class Params>
std::pair<double, uint64_t> compare(const Params& p, const std::vector<Floats>& inputs, int64_t floats,
                                    Device& device = webgl()) {
  const uint64_t before = device.counters().draws;
  const auto actual = run_kernel(p, inputs, size(floats), device);
  const uint64_t draws = device.counters().draws - before;
  const auto expected = run_kernel(p, inputs, size(floats), cpu());
  double error = 0;
  for (size_t i = 0; i < actual.size(); ++i)
    error = std::max(error, worst(actual[i], {expected[i].begin(), expected[i].end()}));
  return {error, draws};
}

Floats small(int64_t n, uint32_t seed) { return numbers(size(n), seed, -0.5f, 0.5f); }

std::pair<double, uint64_t> product(const params::matmul& p, Device& device = webgl()) {
  const int64_t products = p.batched ? int64_t{p.d0} * p.d1 * p.d2 * p.d3 : 1;
  return compare(p, {small(products * p.m * p.k, 1), small(products * p.k * p.n, 2)}, products * p.m * p.n, device);
}

}  // namespace

TEST_CASE("large products are made in tiles, whatever is transposed and wherever the tiles end", "[webgl][tiles]") {
  const auto [ta, tb] = GENERATE(std::pair{0, 0}, std::pair{0, 1}, std::pair{1, 0}, std::pair{1, 1});
  // m ends within a tile where A is not transposed, n where B is.
  const int m = ta ? 132 : GENERATE(132, 130, 129), n = tb ? GENERATE(128, 131, 126) : 128;
  const auto [error, draws] = product({.m = m, .n = n, .k = 148, .trans_a = ta, .trans_b = tb});
  CAPTURE(ta, tb, m, n);
  CHECK(error < 1e-5);
  CHECK(draws == 2);
}

TEST_CASE("long sums of few outputs are cut into pieces of tiles", "[webgl][tiles]") {
  const auto [error, draws] = product({.m = 16, .n = 24, .k = 5004, .trans_a = 1});
  CHECK(error < 1e-5);
  CHECK(draws == 2);
}

TEST_CASE("products over leading axes are made in tiles", "[webgl][tiles]") {
  params::matmul p{.m = 64, .n = 36, .k = 32, .batched = 1, .d0 = 2, .d1 = 1, .d2 = 3, .d3 = 5};
  p.a0 = 15 * 64 * 32, p.a2 = 5 * 64 * 32, p.a3 = 64 * 32;
  p.b0 = 15 * 36 * 32, p.b2 = 5 * 36 * 32, p.b3 = 36 * 32;
  const auto [error, draws] = product(p);
  CHECK(error < 1e-5);
  CHECK(draws == 2);
}

TEST_CASE("a product whose rows do not begin with a texel is made without tiles", "[webgl][tiles]") {
  const auto [error, draws] = product({.m = 130, .n = 127, .k = 128});
  CHECK(error < 1e-5);
  CHECK(draws == 1);
}

TEST_CASE("tiles keep to textures of several layers, and are not made where a draw writes fewer than four outputs",
          "[webgl][tiles]") {
  const params::matmul p{.m = 160, .n = 128, .k = 96};
  const auto layered = make_webgl_device({.max_texture_size = 16, .check_errors = true});
  const auto [layered_error, layered_draws] = product(p, *layered);
  CHECK(layered_error < 1e-5);
  CHECK(layered_draws > 2);
  const auto narrow = make_webgl_device({.max_outputs = 3, .check_errors = true});
  const auto [narrow_error, narrow_draws] = product(p, *narrow);
  CHECK(narrow_error < 1e-5);
  CHECK(narrow_draws == 1);
}

TEST_CASE("a large recurrent step makes its products in a draw of their own", "[webgl][tiles]") {
  const int batch = GENERATE(32, 33), hidden = 96, steps = 3, t = 1;
  const int64_t n = int64_t{batch} * hidden, weights = int64_t{hidden} * hidden;
  SECTION("LSTM") {
    const auto [error, draws] = compare(params::lstm_step{batch, steps, t, hidden},
                                        {small(steps * 4 * n, 1), small(n, 2), small(n, 3), small(4 * weights, 4)}, n);
    CHECK(error < 1e-5);
    CHECK(draws == 2);
  }
  SECTION("its gradient") {
    std::vector<Floats> inputs{small(steps * n, 1)};
    for (uint32_t i = 0; i < 7; ++i) inputs.push_back(small(n, 2 + i));
    inputs.push_back(small(4 * weights, 10));
    for (uint32_t i = 0; i < 4; ++i) inputs.push_back(small(n, 11 + i));
    const auto [error, draws] = compare(params::lstm_step_backward{batch, steps, t, hidden}, inputs, n);
    CHECK(error < 1e-5);
    CHECK(draws == 2);
  }
  SECTION("GRU") {
    const auto [error, draws] =
        compare(params::gru_step{batch, steps, t, hidden},
                {small(steps * 3 * n, 1), small(n, 2), small(3 * weights, 3), small(3 * hidden, 4)}, n);
    CHECK(error < 1e-5);
    CHECK(draws == 2);
  }
  SECTION("its gradient, GRU") {
    std::vector<Floats> inputs{small(steps * n, 1)};
    for (uint32_t i = 0; i < 6; ++i) inputs.push_back(small(n, 2 + i));
    inputs.push_back(small(3 * weights, 10));
    for (uint32_t i = 0; i < 3; ++i) inputs.push_back(small(n, 11 + i));
    const auto [error, draws] = compare(params::gru_step_backward{batch, steps, t, hidden}, inputs, n);
    CHECK(error < 1e-5);
    CHECK(draws == 2);
  }
}

TEST_CASE("convolutions with many channels are products of columns", "[webgl][tiles]") {
  struct Window {
    int height, width, kernel, stride, pad, dilation, groups;
  };
  const Window w = GENERATE(Window{14, 14, 3, 1, 1, 1, 1}, Window{12, 13, 3, 2, 1, 1, 2}, Window{18, 14, 3, 1, 1, 2, 2},
                            Window{15, 17, 2, 1, 0, 1, 1});
  const int batch = 6, channels = 16, out_channels = 32, reach = w.dilation * (w.kernel - 1) + 1;
  params::conv2d p{
      .batch = batch, .channels = channels, .height = w.height, .width = w.width, .out_channels = out_channels};
  p.out_height = (w.height + 2 * w.pad - reach) / w.stride + 1,
  p.out_width = (w.width + 2 * w.pad - reach) / w.stride + 1;
  p.kernel_h = p.kernel_w = w.kernel, p.stride_h = p.stride_w = w.stride, p.pad_h = p.pad_w = w.pad;
  p.dilation_h = p.dilation_w = w.dilation, p.groups = w.groups, p.has_bias = 1;
  const int64_t x = int64_t{batch} * channels * w.height * w.width,
                y = int64_t{batch} * out_channels * p.out_height * p.out_width;
  const int64_t weights = int64_t{out_channels} * (channels / w.groups) * w.kernel * w.kernel;
  CAPTURE(w.stride, w.dilation, w.groups);
  const bool whole = p.out_height * p.out_width % 4 == 0;
  SECTION("forward") {
    const auto [error, draws] = compare(p, {small(x, 1), small(weights, 2), small(out_channels, 3)}, y);
    CHECK(error < 1e-5);
    CHECK(draws == (whole ? 3 : 1));
    p.has_bias = 0;
    CHECK(compare(p, {small(x, 1), small(weights, 2), {0}}, y).first < 1e-5);
  }
  SECTION("to x") {
    params::conv2d_backward_input q;
    memcpy(static_cast<void*>(&q), &p, sizeof(q));
    const auto [error, draws] = compare(q, {small(y, 1), small(weights, 2)}, x);
    CHECK(error < 1e-5);
    CHECK(draws == (whole ? 3 : 1));
  }
  SECTION("to the weights") {
    params::conv2d_backward_weight q;
    memcpy(static_cast<void*>(&q), &p, sizeof(q));
    const auto [error, draws] = compare(q, {small(x, 1), small(y, 2)}, weights);
    CHECK(error < 1e-5);
    CHECK(draws == (whole ? 3 : 1));
  }
}

TEST_CASE("attention makes its scores once, and beyond what memory holds walks the keys", "[webgl][tiles]") {
  const auto [queries, keys, causal, draws] =
      GENERATE(std::tuple{37, 37, 1, 2}, std::tuple{20, 33, 0, 2}, std::tuple{1200, 3600, 0, 0});
  const int heads = 2, width = 8, batch = keys > 100 ? 1 : 2;
  const int64_t rows = int64_t{batch} * queries * heads, q = rows * width, k = int64_t{batch} * keys * heads * width;
  params::attention_statistics s{.batch = batch,
                                 .heads = heads,
                                 .share = 1,
                                 .queries = queries,
                                 .keys = keys,
                                 .width = width,
                                 .q_row = heads * width,
                                 .kv_row = heads * width};
  s.causal = causal, s.padded = 1, s.scale = 0.3f;
  Floats padding(size(int64_t{batch} * keys), 0);
  padding[3] = padding[size(keys - 2)] = 1;
  const Floats xq = numbers(size(q), 1), xk = numbers(size(k), 2), xv = numbers(size(k), 3);
  const auto [error, statistics_draws] = compare(s, {xq, xk, padding}, rows);
  CHECK(error < 2e-5);
  const auto statistics = run_kernel(s, {xq, xk, padding}, size(rows), cpu());
  params::attention p;
  memcpy(static_cast<void*>(&p), &s, sizeof(p));
  const auto [mixed, mixed_draws] = compare(p, {xq, xk, xv, padding, statistics[0], statistics[1], xq}, q);
  CHECK(mixed < 2e-5);
  if (draws) {
    CHECK(statistics_draws == 2);
    CHECK(mixed_draws == 2);
  }
  if (keys > 100) return;
  params::attention_backward b;
  memcpy(static_cast<void*>(&b), &s, sizeof(b));
  const int64_t longest = int64_t{batch} * std::max(queries, keys) * heads * width;
  const Floats before(size(longest), 0);
  const auto [back, back_draws] = compare(b,
                                          {xq, xk, xv, numbers(size(q), 4), padding, statistics[0], statistics[1],
                                           numbers(size(rows), 5), before, before, before},
                                          longest);
  CHECK(back < 5e-5);
  CHECK(back_draws == 3);
}

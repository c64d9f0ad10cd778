// The fused kernels of a training step on the webgl device: LSTM steps, random numbers and optimisers.
#include <catch2/catch.hpp>

#include "core/random.h"
#include "tests/webgl/kernel_runner.h"

using namespace sg;
using namespace sg::test;

namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

struct Lstm {
  int batch, steps, t, hidden;
  size_t state() const { return static_cast<size_t>(batch * hidden); }
};
const Lstm kLstm[] = {{1, 1, 0, 1},  {2, 3, 1, 3},  {3, 4, 3, 4},   {5, 2, 0, 7},
                      {32, 5, 2, 8}, {4, 3, 1, 20}, {129, 2, 1, 64}};

}  // namespace

TEST_CASE("webgl makes an LSTM step as PyTorch does", "[webgl]") {
  for (const auto& [batch, steps, t, hidden] : kLstm) {
    const size_t state = static_cast<size_t>(batch * hidden), unit_count = static_cast<size_t>(hidden);
    const Floats z = numbers(state * 4 * static_cast<size_t>(steps), 20), h = numbers(state, 21, -1, 1),
                 c = numbers(state, 22);
    const Floats w = numbers(4 * unit_count * unit_count, 23, -0.5f, 0.5f);
    std::vector<std::vector<double>> expected(6, std::vector<double>(state));
    for (int row = 0; row < batch; ++row) {
      for (int unit = 0; unit < hidden; ++unit) {
        const auto index = static_cast<size_t>(row * hidden + unit);
        double gate[4];
        for (int g = 0; g < 4; ++g) {
          gate[g] = z[static_cast<size_t>((row * steps + t) * 4 * hidden + g * hidden + unit)];
          for (int s = 0; s < hidden; ++s) {
            gate[g] += double{h[static_cast<size_t>(row * hidden + s)]} *
                       w[static_cast<size_t>((g * hidden + unit) * hidden + s)];
          }
          gate[g] = g == 2 ? std::tanh(gate[g]) : sigmoid(gate[g]);
          expected[2 + static_cast<size_t>(g)][index] = gate[g];
        }
        expected[1][index] = gate[1] * c[index] + gate[0] * gate[2];
        expected[0][index] = gate[3] * std::tanh(expected[1][index]);
      }
    }
    const auto results = run_kernel(params::lstm_step{batch, steps, t, hidden}, {z, h, c, w}, state);
    for (size_t i = 0; i < 6; ++i) {
      INFO(info(Kernel::lstm_step).outputs[i] << " of batch " << batch << " hidden " << hidden);
      CHECK(worst(results[i], expected[i]) < 2e-6);
    }
  }
}

TEST_CASE("webgl's LSTM gradient follows the chain rule", "[webgl]") {
  for (const auto& [batch, steps, t, hidden] : kLstm) {
    const size_t state = static_cast<size_t>(batch * hidden), unit_count = static_cast<size_t>(hidden);
    std::vector<Floats> in{numbers(state * static_cast<size_t>(steps), 30)};
    for (uint32_t i = 1; i < 8; ++i) in.push_back(numbers(state, 30 + i, i < 6 && i != 4 ? 0.0f : -1.0f, 1));
    in.push_back(numbers(4 * unit_count * unit_count, 38, -0.5f, 0.5f));
    for (uint32_t i = 9; i < 13; ++i) in.push_back(numbers(state, 30 + i));
    const Floats &dy = in[0], &w = in[8];
    std::vector<std::vector<double>> expected(5, std::vector<double>(state));
    for (int row = 0; row < batch; ++row) {
      for (int unit = 0; unit < hidden; ++unit) {
        const auto x = static_cast<size_t>(row * hidden + unit);
        double dh = dy[static_cast<size_t>((row * steps + t) * hidden + unit)];
        for (int g = 0; g < 4; ++g) {
          for (int s = 0; s < hidden; ++s) {
            dh += double{in[static_cast<size_t>(9 + g)][static_cast<size_t>(row * hidden + s)]} *
                  w[static_cast<size_t>((g * hidden + s) * hidden + unit)];
          }
        }
        const double dc = in[1][x], i = in[2][x], f = in[3][x], g = in[4][x], o = in[5][x], c = in[6][x],
                     before = in[7][x];
        const double squashed = std::tanh(c), dct = dc + dh * o * (1 - squashed * squashed);
        expected[0][x] = dct * g * i * (1 - i);
        expected[1][x] = dct * before * f * (1 - f);
        expected[2][x] = dct * i * (1 - g * g);
        expected[3][x] = dh * squashed * o * (1 - o);
        expected[4][x] = dct * f;
      }
    }
    const auto results = run_kernel(params::lstm_step_backward{batch, steps, t, hidden}, in, state);
    for (size_t i = 0; i < 5; ++i) {
      INFO(info(Kernel::lstm_step_backward).outputs[i] << " of batch " << batch << " hidden " << hidden);
      CHECK(worst(results[i], expected[i]) < 3e-6);
    }
  }
}

TEST_CASE("webgl draws the random numbers of core/random.h, bit for bit", "[webgl]") {
  const uint32_t low = GENERATE(0u, 0xFFFFFFFFu, 0x9E3779B9u), high = GENERATE(0u, 0x80000001u),
                 draw = GENERATE(0u, 77u, 0xFFFFFFFFu);
  for (const size_t size : kSizes) {
    Floats expected(size);
    for (size_t i = 0; i < size; ++i) {
      const uint32_t stream = static_cast<uint32_t>(Stream::weights);
      expected[i] = uniform01(philox({static_cast<uint32_t>(i / 4), stream, draw, 0}, low, high)[i % 4]);
    }
    params::uniform p{static_cast<int32_t>(low),
                      static_cast<int32_t>(high),
                      static_cast<int32_t>(Stream::weights),
                      static_cast<int32_t>(draw),
                      0,
                      1};
    CHECK(run_kernel(p, {}, size)[0] == expected);
    p.low = -3;
    const Floats wide = run_kernel(p, {}, size)[0];
    CHECK(worst(wide, [&] {
            std::vector<double> values;
            for (const float u : expected) values.push_back(-3 + 4 * double{u});
            return values;
          }()) < 1e-6);
  }
}

TEST_CASE("webgl's dropout keeps exactly the elements that the random numbers say", "[webgl]") {
  const size_t size = 8199;
  const Floats x = numbers(size, 40, 1, 2);
  const params::dropout p{.seed_low = 5, .seed_high = 6, .stream = 3, .draw = 9, .p = 0.25f};
  std::vector<double> expected;
  for (size_t i = 0; i < size; ++i) {
    const float u = uniform01(philox({static_cast<uint32_t>(i / 4), 3, 9, 0}, 5, 6)[i % 4]);
    expected.push_back(u >= 0.25f ? x[i] / 0.75 : 0);
  }
  CHECK(worst(run_kernel(p, {x, step_floats({})}, size)[0], expected) < 1e-6);
}

TEST_CASE("webgl's dropout turns even NaN and infinity into 0 where it drops", "[webgl]") {
  const params::dropout p{.seed_low = 5, .seed_high = 6, .stream = 3, .draw = 9, .p = 0.9999f};
  CHECK(run_kernel(p, {{NAN, INFINITY, NAN, 1}, step_floats({})}, 4)[0] == Floats(4, 0));
}

TEST_CASE("webgl steps SGD as torch does", "[webgl]") {
  const float momentum = GENERATE(0.0f, 0.9f), max_norm = GENERATE(0.0f, 0.5f, 100.0f);
  const size_t size = 37;
  const Floats value = numbers(size, 50), grad = numbers(size, 51);
  const Floats buffer = momentum == 0 ? Floats(size, NAN) : numbers(size, 52);
  const double norm = 2, scale = max_norm > 0 ? std::min(1.0, max_norm / (norm + 1e-6)) : 1;
  std::vector<double> next, buffer_next;
  for (size_t i = 0; i < size; ++i) {
    const double g = grad[i] * scale + 0.01 * value[i];
    buffer_next.push_back(momentum == 0 ? g : momentum * buffer[i] + g);
    next.push_back(value[i] - 0.1 * buffer_next[i]);
  }
  const params::sgd p{.scale = 1, .max_norm = max_norm, .weight_decay = 0.01f, .momentum = momentum};
  const auto results = run_kernel(p, {value, grad, buffer, {4}, {1}, step_floats({.learning_rate = 0.1f})}, size);
  CHECK(worst(results[0], next) < 1e-6);
  CHECK(worst(results[1], buffer_next) < 1e-6);
}

TEST_CASE("webgl steps Adam and AdamW as torch does", "[webgl]") {
  const int decoupled = GENERATE(0, 1), t = GENERATE(1, 10);
  const size_t size = 8199;
  const Floats value = numbers(size, 60), grad = numbers(size, 61), m = numbers(size, 62), v = numbers(size, 63, 0, 1);
  const double c1 = 1 - std::pow(0.9, t), c2 = 1 - std::pow(0.999, t), scale = 0.5 / (3 + 1e-6);
  std::vector<double> next, m_next, v_next;
  for (size_t i = 0; i < size; ++i) {
    double x = value[i], g = grad[i] * scale;
    decoupled ? x *= 1 - 0.01 * 0.1 : g += 0.1 * x;
    m_next.push_back(0.9 * m[i] + 0.1 * g);
    v_next.push_back(0.999 * v[i] + 0.001 * g * g);
    next.push_back(x - 0.01 / c1 * m_next[i] / (std::sqrt(v_next[i]) / std::sqrt(c2) + 1e-8));
  }
  const params::adam p{.scale = 1,
                       .max_norm = 0.5f,
                       .rate = 0.5f,
                       .weight_decay = 0.1f,
                       .beta1 = 0.9f,
                       .beta2 = 0.999f,
                       .eps = 1e-8f,
                       .decoupled = decoupled};
  const StepValues values{
      .learning_rate = 0.02f, .correction1 = static_cast<float>(c1), .correction2 = static_cast<float>(c2)};
  const auto results = run_kernel(p, {value, grad, m, v, {9}, {1}, step_floats(values)}, size);
  // v is small where the step is largest: the quotient magnifies the rounding of both.
  CHECK(worst(results[0], next) < 2e-5);
  CHECK(worst(results[1], m_next) < 1e-6);
  CHECK(worst(results[2], v_next) < 1e-6);
}

TEST_CASE("webgl sums squares and looks for what is not finite within a gradient's end, and not beyond", "[webgl]") {
  // run_kernel fills the inputs' last texels up with NaN.
  for (const int n : {1, 2, 3, 5, 9, 63, 8195}) {
    const Floats x = numbers(static_cast<size_t>(n), 70);
    const Floats none(4, NAN);
    const params::sum_squares p{.first = 1, .n0 = n, .n1 = 1};
    std::vector<double> expected(4);
    for (size_t i = 0; i < x.size(); ++i) expected[i % 4] += double{x[i]} * x[i];
    expected[0] += 9;
    const auto sums = run_kernel(p, {none, x, {3}, x, x, x, x, x, x}, 4)[0];
    CHECK(worst(sums, expected) < 1e-6 * std::sqrt(n));
  }
  for (const int count : {1, 2, 3, 5}) {
    const auto out = run_kernel(params::guard{.count = count, .scale = 0.5f}, {{2}, Floats(5, 4), {1}}, 1);
    CHECK(out[0] == Floats{static_cast<float>(count)});
    CHECK(out[1] == Floats{1});
  }
}

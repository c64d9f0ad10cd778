// The fused kernels of training, LSTM steps and optimisers, against their definitions in double loops.
#include <catch2/catch.hpp>

#include "tests/cpu/runner.h"

namespace sg::cpu_test {
namespace {

size_t size(int a, int b = 1, int c = 1) {
  return static_cast<size_t>(a) * static_cast<size_t>(b) * static_cast<size_t>(c);
}

struct Sizes {
  int batch, steps, t, hidden;
};
const std::vector<Sizes> kSizes{{1, 1, 0, 1}, {2, 3, 1, 3}, {5, 2, 1, 8}, {32, 5, 4, 8}, {7, 4, 2, 13}, {3, 2, 0, 70}};

TEST_CASE("an LSTM step is its definition", "[cpu]") {
  Runner runner;
  for (const auto [batch, steps, t, hidden] : kSizes) {
    const Floats z = numbers(size(batch, steps, 4 * hidden), 1, -2, 2), h = numbers(size(batch, hidden), 2);
    const Floats c = numbers(size(batch, hidden), 3, -2, 2), w = numbers(size(4, hidden, hidden), 4);
    std::array<Doubles, 6> want;
    for (int b = 0; b < batch; ++b) {
      for (int j = 0; j < hidden; ++j) {
        std::array<double, 4> gate;
        for (int k = 0; k < 4; ++k) {
          double sum = z[size(b * steps + t, 4 * hidden) + size(k, hidden) + size(j)];
          for (int q = 0; q < hidden; ++q)
            sum += double{h[size(b, hidden) + size(q)]} * w[size(k * hidden + j, hidden) + size(q)];
          gate[static_cast<size_t>(k)] = k == 2 ? std::tanh(sum) : sigmoid(sum);
        }
        const auto [i, f, g, o] = gate;
        const double next = f * c[size(b, hidden) + size(j)] + i * g;
        const std::array<double, 6> all{o * std::tanh(next), next, i, f, g, o};
        for (size_t n = 0; n < 6; ++n) want[n].push_back(all[n]);
      }
    }
    const auto got = runner.run(params::lstm_step{batch, steps, t, hidden}, {z, h, c, w}, size(batch, hidden));
    for (size_t n = 0; n < 6; ++n) {
      INFO("output " << n << " of batch " << batch << ", hidden " << hidden);
      CHECK(worst(got[n], want[n]) < 2e-6 * std::sqrt(hidden) + 1e-6);
    }
  }
}

TEST_CASE("the gradient of an LSTM step is its definition", "[cpu]") {
  Runner runner;
  for (const auto [batch, steps, t, hidden] : kSizes) {
    const size_t state = size(batch, hidden);
    const Floats dy = numbers(size(batch, steps, hidden), 1), dc = numbers(state, 2),
                 w = numbers(size(4, hidden, hidden), 3);
    const Floats i = numbers(state, 4, 0, 1), f = numbers(state, 5, 0, 1), g = numbers(state, 6),
                 o = numbers(state, 7, 0, 1);
    const Floats c = numbers(state, 8, -2, 2), c_prev = numbers(state, 9, -2, 2);
    const std::array<Floats, 4> d_next{numbers(state, 10), numbers(state, 11), numbers(state, 12), numbers(state, 13)};
    std::array<Doubles, 5> want;
    for (int b = 0; b < batch; ++b) {
      for (int j = 0; j < hidden; ++j) {
        const size_t n = size(b, hidden) + size(j);
        double dh = dy[size(b * steps + t, hidden) + size(j)];
        for (int k = 0; k < 4; ++k) {
          for (int q = 0; q < hidden; ++q) {
            dh += double{d_next[static_cast<size_t>(k)][size(b, hidden) + size(q)]} *
                  w[size(k * hidden + q, hidden) + size(j)];
          }
        }
        const double tanh_c = std::tanh(double{c[n]}), all = dc[n] + dh * o[n] * (1 - tanh_c * tanh_c);
        want[0].push_back(all * g[n] * i[n] * (1 - double{i[n]}));
        want[1].push_back(all * c_prev[n] * f[n] * (1 - double{f[n]}));
        want[2].push_back(all * i[n] * (1 - double{g[n]} * g[n]));
        want[3].push_back(dh * tanh_c * o[n] * (1 - double{o[n]}));
        want[4].push_back(all * f[n]);
      }
    }
    const auto got = runner.run(params::lstm_step_backward{batch, steps, t, hidden},
                                {dy, dc, i, f, g, o, c, c_prev, w, d_next[0], d_next[1], d_next[2], d_next[3]}, state);
    for (size_t n = 0; n < 5; ++n) {
      INFO("output " << n << " of batch " << batch << ", hidden " << hidden);
      CHECK(worst(got[n], want[n]) < 5e-6 * std::sqrt(hidden) + 1e-6);
    }
  }
}

TEST_CASE("fading LSTM gradients become zero, never subnormal", "[cpu]") {
  Runner runner;
  const Floats half(4, 0.5f), none(4, 0), tiny(4, 1.5e-30f), w(64, 0);
  const auto got = runner.run(params::lstm_step_backward{1, 1, 0, 4},
                              {none, tiny, half, half, half, half, half, half, w, none, none, none, none}, 4);
  for (const Floats& gradient : got) CHECK(gradient == none);
}

/// torch.optim.SGD on one number.
struct NaiveSgd {
  double p, momentum_buffer = 0;
  void step(double g, const params::sgd& s, double learning_rate, double clip) {
    g = g * clip + s.weight_decay * p;
    momentum_buffer = s.momentum * momentum_buffer + g;
    p -= learning_rate * momentum_buffer;
  }
};

double clip_of(double squared_norm, double max_norm) {
  return max_norm > 0 ? std::min(1.0, max_norm / (std::sqrt(squared_norm) + 1e-6)) : 1.0;
}

TEST_CASE("SGD follows torch.optim.SGD with momentum, weight decay and clipping", "[cpu]") {
  Runner runner;
  const size_t n = 19;
  for (const float momentum : {0.0f, 0.9f}) {
    for (const float max_norm : {0.0f, 0.5f, 100.0f}) {
      Floats p = numbers(n, 1), buffer(n, momentum == 0 ? NAN : 0);
      std::vector<NaiveSgd> naive;
      for (const float x : p) naive.push_back({x});
      for (int step = 0; step < 5; ++step) {
        const Floats g = numbers(n, static_cast<uint32_t>(20 + step));
        float squared = 0;
        for (const float x : g) squared += x * x;
        const params::sgd s{.scale = 1, .max_norm = max_norm, .weight_decay = 0.01f, .momentum = momentum};
        const auto out = runner.run(s, {p, g, buffer, {squared}, {1}, step_floats({.learning_rate = 0.1f})}, n);
        p = out[0], buffer = out[1];
        Doubles want_p, want_buffer;
        for (size_t i = 0; i < n; ++i) {
          naive[i].step(g[i], s, 0.1, clip_of(squared, max_norm));
          want_p.push_back(naive[i].p), want_buffer.push_back(naive[i].momentum_buffer);
        }
        INFO("momentum " << momentum << ", max_norm " << max_norm << ", step " << step);
        CHECK(worst(p, want_p) < 2e-6);
        CHECK(worst(buffer, want_buffer) < 2e-6);
      }
    }
  }
}

/// torch.optim.Adam (AdamW where decoupled) on one number.
struct NaiveAdam {
  double p, m = 0, v = 0;
  void step(double g, const params::adam& s, double learning_rate, int t, double clip) {
    g *= clip;
    if (s.decoupled)
      p *= 1 - learning_rate * s.weight_decay;
    else
      g += s.weight_decay * p;
    m = s.beta1 * m + (1 - double{s.beta1}) * g;
    v = s.beta2 * v + (1 - double{s.beta2}) * g * g;
    const double c1 = 1 - std::pow(double{s.beta1}, t), c2 = 1 - std::pow(double{s.beta2}, t);
    p -= learning_rate / c1 * m / (std::sqrt(v) / std::sqrt(c2) + s.eps);
  }
};

TEST_CASE("Adam and AdamW follow torch.optim", "[cpu]") {
  Runner runner;
  const size_t n = 23;
  for (const int decoupled : {0, 1}) {
    for (const float max_norm : {0.0f, 0.5f}) {
      Floats p = numbers(n, 1), m(n, 0), v(n, 0);
      std::vector<NaiveAdam> naive;
      for (const float x : p) naive.push_back({x});
      for (int t = 1; t <= 6; ++t) {
        const Floats g = numbers(n, static_cast<uint32_t>(30 + t));
        float squared = 0;
        for (const float x : g) squared += x * x;
        params::adam s{.scale = 1,
                       .rate = 0.5f,
                       .weight_decay = 0.1f,
                       .beta1 = 0.9f,
                       .beta2 = 0.99f,
                       .eps = 1e-8f,
                       .decoupled = decoupled};
        const StepValues values{.learning_rate = 0.02f,
                                .correction1 = static_cast<float>(1 - std::pow(double{s.beta1}, t)),
                                .correction2 = static_cast<float>(1 - std::pow(double{s.beta2}, t))};
        s.max_norm = max_norm;
        const auto out = runner.run(s, {p, g, m, v, {squared}, {1}, step_floats(values)}, n);
        p = out[0], m = out[1], v = out[2];
        Doubles want_p, want_m, want_v;
        for (size_t i = 0; i < n; ++i) {
          naive[i].step(g[i], s, 0.01, t, clip_of(squared, max_norm));
          want_p.push_back(naive[i].p), want_m.push_back(naive[i].m), want_v.push_back(naive[i].v);
        }
        INFO((decoupled ? "AdamW" : "Adam") << ", max_norm " << max_norm << ", step " << t);
        CHECK(worst(p, want_p) < 2e-6);
        CHECK(worst(m, want_m) < 1e-6);
        CHECK(worst(v, want_v) < 1e-6);
      }
    }
  }
}

TEST_CASE("moments that have decayed become zero", "[cpu]") {
  Runner runner;
  const params::adam s{.scale = 1, .rate = 1, .beta1 = 0.5f, .beta2 = 0.5f, .eps = 1e-8f};
  const Floats step = step_floats({.learning_rate = 0.01f});
  const auto out = runner.run(s, {{1}, {0}, {1.5e-30f}, {1.5e-30f}, {0}, {1}, step}, 1);
  CHECK(out[0] == Floats{1});
  CHECK(out[1] == Floats{0});
  CHECK(out[2] == Floats{0});
}

}  // namespace
}  // namespace sg::cpu_test

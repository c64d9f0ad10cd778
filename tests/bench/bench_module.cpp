// The core as a peer in a benchmark: an LSTM with given weights on given batches, so that its losses can be compared with
// another library's step by step. Not part of the extension. Weights come in Keras's layout: per layer kernel[F, 4H],
// recurrent[H, 4H], bias[4H] (gates i, f, c, o), then the head's kernel[H, 1] and bias[1].
#include <array>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "bindings/devices.h"
#include "ops/ops.h"
#include "optim/optimizer.h"

#ifdef __EMSCRIPTEN__
#include <emscripten/emscripten.h>
#define BENCH_EXPORT extern "C" EMSCRIPTEN_KEEPALIVE
#else
#define BENCH_EXPORT extern "C"
#endif

namespace {

using namespace sg;

struct Bench {
  std::unique_ptr<Device> device;
  int batch, time, features;
  std::vector<Tensor> kernels, recurrents, biases;
  Tensor head, head_bias;
  std::unique_ptr<optim::Optimizer> optimizer;
  float learning_rate = 0;
  std::deque<uint32_t> readings;

  Tensor forward(Tensor x) const {
    for (size_t l = 0; l < kernels.size(); ++l) x = ops::lstm(ops::linear(x, kernels[l], biases[l]), recurrents[l]);
    return ops::linear(ops::select(x, 1, -1), head, head_bias);
  }
};

std::unique_ptr<Bench> bench;
std::string message;

/// The transpose of the next [rows, columns] floats: PyTorch keeps [out, in] where Keras keeps [in, out].
Tensor take(Device& device, const float*& from, int rows, int columns) {
  const Tensor t = Tensor::from(device, {rows, columns}, {from, static_cast<size_t>(rows * columns)});
  from += rows * columns;
  return ops::transpose(t, 0, 1).set_requires_grad();
}

Tensor take(Device& device, const float*& from, int n) {
  Tensor t = Tensor::from(device, {n}, {from, static_cast<size_t>(n)});
  from += n;
  return t.set_requires_grad();
}

}  // namespace

BENCH_EXPORT void* bench_alloc(uint32_t bytes) { return std::malloc(bytes); }
BENCH_EXPORT const char* bench_message() { return message.c_str(); }
BENCH_EXPORT double bench_kernels() { return static_cast<double>(bench->device->counters().kernels); }
BENCH_EXPORT double bench_draws() { return static_cast<double>(bench->device->counters().draws); }
BENCH_EXPORT double bench_live_buffers() { return static_cast<double>(bench->device->counters().live_buffers); }

/// webgl: 0 cpu, 1 webgl. units[layers] hidden sizes. 1 on success, else 0 and bench_message() says why.
BENCH_EXPORT int bench_create(int webgl, int batch, int time, int features, const int* units, int layers, const float* weights,
                              float learning_rate, float beta1, float beta2, float eps) {
  try {
    auto b = std::make_unique<Bench>();
    b->device = bindings::devices().make(webgl ? "webgl" : "cpu");
    b->batch = batch, b->time = time, b->features = features, b->learning_rate = learning_rate;
    std::vector<Parameter> parameters;
    int in = features;
    for (int l = 0; l < layers; ++l) {
      const int h = units[l];
      b->kernels.push_back(take(*b->device, weights, in, 4 * h));
      b->recurrents.push_back(take(*b->device, weights, h, 4 * h));
      b->biases.push_back(take(*b->device, weights, 4 * h));
      for (const Tensor& t : {b->kernels.back(), b->recurrents.back(), b->biases.back()}) parameters.push_back({"", t});
      in = h;
    }
    b->head = take(*b->device, weights, in, 1);
    b->head_bias = take(*b->device, weights, 1);
    parameters.push_back({"", b->head});
    parameters.push_back({"", b->head_bias});
    optim::Config config;
    config.beta1 = beta1, config.beta2 = beta2, config.eps = eps;
    b->optimizer = std::make_unique<optim::Optimizer>(parameters, config);
    bench = std::move(b);
    return 1;
  } catch (const std::exception& e) {
    message = e.what();
    return 0;
  }
}

/// One training step on x[batch, time, features], y[batch]. The loss is fetched by bench_loss.
BENCH_EXPORT int bench_step(const float* x, const float* y) {
  try {
    Bench& b = *bench;
    const size_t n = static_cast<size_t>(b.batch * b.time * b.features);
    const Tensor input = Tensor::from(*b.device, {b.batch, b.time, b.features}, {x, n});
    const Tensor loss = ops::mse_loss(b.forward(input), Tensor::from(*b.device, {b.batch, 1}, {y, static_cast<size_t>(b.batch)}));
    loss.backward();
    b.optimizer->step(b.learning_rate, loss);
    b.readings.push_back(b.device->begin_read(loss.buffer(), 1));
    return 1;
  } catch (const std::exception& e) {
    message = e.what();
    return 0;
  }
}

/// Losses that are still on their way.
BENCH_EXPORT int bench_pending() { return static_cast<int>(bench->readings.size()); }

/// The oldest loss that was not fetched yet, or NaN while it is still on its way.
BENCH_EXPORT float bench_loss() {
  std::array<float, 1> value{};
  if (bench->readings.empty() || !bench->device->finish_read(bench->readings.front(), value)) return NAN;
  bench->readings.pop_front();
  return value[0];
}

// The core as a peer in a benchmark: a workload's network with given weights on given batches, so that its losses can
// be compared with another library's step by step. Not part of the extension.
#include "tests/bench/bench_module.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <string>

#include "bindings/devices.h"
#include "cpu/pool.h"
#include "optim/optimizer.h"
#include "tests/bench/bench_nets.h"

namespace {

using namespace sg;

struct Bench {
  std::unique_ptr<Device> device;
  std::unique_ptr<bench::Net> net;
  std::unique_ptr<optim::Optimizer> optimizer;
  float learning_rate = 0;
  std::deque<uint32_t> readings;
};

std::unique_ptr<Bench> current;
std::string message;

/// 1 on success, else 0 and bench_message() says why.
template <class F>
int guarded(F f) {
  try {
    f();
    return 1;
  } catch (const std::exception& e) {
    message = e.what();
    return 0;
  }
}

bench::Workload workload_of(const int* n) {
  bench::Workload w;
  w.kind = static_cast<bench::Workload::Kind>(n[0]);
  w.batch = n[1], w.time = n[2], w.features = n[3], w.outputs = n[4];
  w.width = n[5], w.heads = n[6], w.blocks = n[7], w.inner = n[8];
  w.height = n[9], w.kernel = n[10], w.dense = n[11];
  w.units.assign(n + 13, n + 13 + n[12]);
  return w;
}

void upload(const Tensor& to, const float* values) {
  to.device().upload(to.buffer(), {values, static_cast<size_t>(to.size())});
}

}  // namespace

void* bench_alloc(uint32_t bytes) { return std::malloc(bytes); }
const char* bench_message() { return message.c_str(); }
double bench_kernels() { return static_cast<double>(current->device->counters().kernels); }
double bench_draws() { return static_cast<double>(current->device->counters().draws); }
double bench_programs() { return static_cast<double>(current->device->counters().programs); }
double bench_live_buffers() { return static_cast<double>(current->device->counters().live_buffers); }
double bench_live_bytes() { return static_cast<double>(current->device->counters().live_bytes); }

int bench_set_threads(int count) { return cpu::set_threads(count); }

int bench_create(int webgl, const int* numbers, const float* weights, float learning_rate, float beta1, float beta2,
                 float eps) {
  return guarded([&] {
    auto b = std::make_unique<Bench>();
    b->device = bindings::devices().make(webgl ? "webgl" : "cpu");
    b->net = bench::make_net(*b->device, workload_of(numbers), weights);
    b->learning_rate = learning_rate;
    optim::Config config = optim::defaults(beta1 > 0 ? optim::Kind::adam : optim::Kind::sgd);
    if (beta1 > 0) config.beta1 = beta1, config.beta2 = beta2, config.eps = eps;
    b->optimizer = std::make_unique<optim::Optimizer>(b->net->parameters(), config);
    current = std::move(b);
  });
}

int bench_step(const float* x, const float* y) {
  return guarded([&] {
    Bench& b = *current;
    upload(b.net->x(), x);
    upload(b.net->y(), y);
    const Tensor loss = b.net->loss(b.net->x(), b.net->y());
    loss.backward();
    b.optimizer->step(b.learning_rate, loss);
    b.readings.push_back(b.device->begin_read(loss.buffer(), 1));
  });
}

int bench_pending() { return static_cast<int>(current->readings.size()); }

float bench_loss() {
  std::array<float, 1> value{};
  if (current->readings.empty() || !current->device->finish_read(current->readings.front(), value)) return NAN;
  current->readings.pop_front();
  return value[0];
}

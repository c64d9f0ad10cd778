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
#include "tests/bench/bench_training.h"

namespace {

using namespace sg;

struct Bench {
  bench::Training training;
  std::deque<uint32_t> readings;
  const Counters& counters() const { return training.device().counters(); }
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

}  // namespace

void* bench_alloc(uint32_t bytes) { return std::malloc(bytes); }
const char* bench_message() { return message.c_str(); }
double bench_kernels() { return static_cast<double>(current->counters().kernels); }
double bench_draws() { return static_cast<double>(current->counters().draws); }
double bench_programs() { return static_cast<double>(current->counters().programs); }
double bench_live_buffers() { return static_cast<double>(current->counters().live_buffers); }
double bench_peak_bytes() { return static_cast<double>(current->training.bytes()); }

int bench_set_threads(int count) { return cpu::set_threads(count); }

int bench_create(int webgl, const int* numbers, const float* weights, float learning_rate, float beta1, float beta2,
                 float eps) {
  return guarded([&] {
    current.reset();
    current.reset(new Bench{{bindings::devices().make(webgl ? "webgl" : "cpu"),
                             workload_of(numbers),
                             weights,
                             {learning_rate, beta1, beta2, eps}},
                            {}});
  });
}

int bench_step(const float* x, const float* y) {
  return guarded([&] { current->readings.push_back(current->training.step(x, y)); });
}

int bench_pending() { return static_cast<int>(current->readings.size()); }

float bench_loss() {
  std::array<float, 1> value{};
  if (current->readings.empty() || !current->training.device().finish_read(current->readings.front(), value))
    return NAN;
  current->readings.pop_front();
  return value[0];
}

// Where the time of a training step goes on the cpu device: the kernels of one step of each workload named, their time,
// share, multiply-adds and bytes. A step runs many times and every figure is its least, so that a busy machine shows
// little; with --cpu the clock is that of the calling thread, in node of the process. WebAssembly runs as
//   node --no-experimental-fetch [--experimental-wasm-relaxed-simd] build/wasm/tests/profile_step[_relaxed].cjs
//   profile_step [--cpu] [W1 .. W7, W6-8x256 or another depth x width] ...
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <string>

#include "cpu/cpu_device.h"
#include "optim/optimizer.h"
#include "tests/bench/bench_nets.h"

#ifdef __EMSCRIPTEN__
#include <emscripten/em_asm.h>
#endif

namespace {

using namespace sg;
using bench::Workload;

bool cpu_time = false;

double now_ms() {
#ifdef __EMSCRIPTEN__
  if (cpu_time) {
    return EM_ASM_DOUBLE({
      const used = process.cpuUsage();
      return (used.user + used.system) / 1000;
    });
  }
#else
  if (cpu_time) {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
  }
#endif
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

constexpr const char* kUnary[] = {
#define UNARY(name, ...) #name,
#define BINARY(...)
#include "ops/pointwise.def"
#undef UNARY
#undef BINARY
};
constexpr const char* kBinary[] = {
#define UNARY(...)
#define BINARY(name, ...) #name,
#include "ops/pointwise.def"
#undef UNARY
#undef BINARY
};

template <class P>
P parameters_of(const Call& call) {
  P p;
  std::memcpy(&p, call.parameters.data(), sizeof p);
  return p;
}

/// A kernel's name, with its op or the sizes of its product.
std::string described(const Call& call) {
  std::string name(info(call.kernel).name);
  switch (call.kernel) {
    case Kernel::unary:
    case Kernel::unary_backward:
      return name + " " + kUnary[parameters_of<params::unary>(call).op];
    case Kernel::binary:
    case Kernel::binary_backward:
      return name + " " + kBinary[parameters_of<params::binary>(call).op];
    case Kernel::matmul: {
      const auto p = parameters_of<params::matmul>(call);
      return name + " " + std::to_string(p.m) + (p.trans_a ? "t" : "") + "x" + std::to_string(p.k) + "x" +
             std::to_string(p.n) + (p.trans_b ? "t" : "");
    }
    default:
      return name;
  }
}

template <class P>
double convolution_madds(const Call& call) {
  const auto p = parameters_of<P>(call);
  return 1.0 * p.batch * p.out_channels * p.out_height * p.out_width * p.channels / p.groups * p.kernel_h * p.kernel_w;
}
template <class P>
double attention_madds(const Call& call, double products) {
  const auto p = parameters_of<P>(call);
  return products * p.batch * p.heads * p.queries * p.keys * p.width / (p.causal ? 2 : 1);
}
template <class P>
double step_madds(const Call& call, double gates) {
  const auto p = parameters_of<P>(call);
  return gates * p.batch * p.hidden * p.hidden;
}

/// The multiply-adds of a call's products of matrices.
double madds(const Call& call) {
  switch (call.kernel) {
    case Kernel::matmul: {
      const auto p = parameters_of<params::matmul>(call);
      return 1.0 * p.m * p.n * p.k * (p.batched ? 1.0 * p.d0 * p.d1 * p.d2 * p.d3 : 1.0);
    }
    case Kernel::lstm_step:
      return step_madds<params::lstm_step>(call, 4);
    case Kernel::lstm_step_backward:
      return step_madds<params::lstm_step_backward>(call, 4);
    case Kernel::gru_step:
      return step_madds<params::gru_step>(call, 3);
    case Kernel::gru_step_backward:
      return step_madds<params::gru_step_backward>(call, 3);
    case Kernel::conv2d:
      return convolution_madds<params::conv2d>(call);
    case Kernel::conv2d_backward_input:
      return convolution_madds<params::conv2d_backward_input>(call);
    case Kernel::conv2d_backward_weight:
      return convolution_madds<params::conv2d_backward_weight>(call);
    case Kernel::attention_statistics:
      return attention_madds<params::attention_statistics>(call, 1);
    case Kernel::attention:
      return attention_madds<params::attention>(call, 2);
    case Kernel::attention_backward:
      return attention_madds<params::attention_backward>(call, 5);
    default:
      return 0;
  }
}

struct Spent {
  int calls = 0;
  double ms = 0, madds = 0, bytes = 0;
};

/// The cpu device with a clock around each kernel.
class Clocked final : public Device {
 public:
  std::string name() const override { return device_->name(); }
  Buffer allocate(int64_t floats) override { return device_->allocate(floats); }
  void release(Buffer buffer) override { device_->release(buffer); }
  int64_t size(Buffer buffer) const override { return device_->size(buffer); }
  void upload(Buffer buffer, std::span<const float> values) override { device_->upload(buffer, values); }
  void download(Buffer buffer, std::span<float> values) override { device_->download(buffer, values); }
  uint32_t begin_read(Buffer buffer, int64_t floats) override { return device_->begin_read(buffer, floats); }
  bool finish_read(uint32_t reading, std::span<float> values) override { return device_->finish_read(reading, values); }
  void run(const Call& call) override {
    const double before = now_ms();
    device_->run(call);
    const double ms = now_ms() - before;
    Spent& s = spent[described(call)];
    ++s.calls, s.ms += ms, s.madds += madds(call);
    for (const auto buffers : {call.inputs, call.outputs})
      for (const Buffer b : buffers) s.bytes += 4.0 * static_cast<double>(device_->size(b));
  }

  std::map<std::string, Spent> spent;

 private:
  std::unique_ptr<Device> device_ = make_cpu_device();
};

Workload recurrent(int batch, int time, int features, std::vector<int> units) {
  Workload w;
  w.kind = Workload::Kind::lstm, w.batch = batch, w.time = time, w.features = features, w.units = std::move(units);
  return w;
}
Workload transformer(Workload::Kind kind, int batch, int time, int width, int blocks, int in, int out) {
  Workload w;
  w.kind = kind, w.batch = batch, w.time = time, w.width = width, w.heads = 4, w.blocks = blocks;
  w.inner = 4 * width, w.features = in, w.outputs = out;
  return w;
}

Workload workload_of(const std::string& name) {
  if (name == "W1") return recurrent(32, 5, 1, {8});
  if (name == "W2") return recurrent(32, 64, 8, {128});
  if (name == "W3") return recurrent(64, 32, 16, {256, 256});
  if (name == "W4") return transformer(Workload::Kind::encoder, 32, 64, 64, 2, 16, 1);
  if (name == "W5") return transformer(Workload::Kind::gpt, 16, 128, 128, 4, 0, 96);
  Workload w;
  w.batch = 64, w.outputs = 10;
  int depth = 0, width = 0;
  if (name == "W7") {
    w.kind = Workload::Kind::cnn, w.height = 28, w.kernel = 3, w.dense = 128, w.units = {1, 32, 64};
  } else if (std::sscanf(name.c_str(), "W6-%dx%d", &depth, &width) == 2) {
    w.kind = Workload::Kind::mlp, w.features = 784, w.units.assign(static_cast<size_t>(depth), width);
  } else {
    std::fprintf(stderr, "there is no workload %s\n", name.c_str());
    std::exit(2);
  }
  return w;
}

/// A batch of plausible numbers: whole ones where classes or characters are meant.
struct Batch {
  std::vector<float> x, y;
  explicit Batch(const Workload& w) {
    const bool text = w.kind == Workload::Kind::gpt;
    const int64_t floats = w.height ? int64_t{w.height} * w.height : std::max(1, w.time) * std::max(1, w.features);
    const bool numbers = w.kind == Workload::Kind::lstm || w.kind == Workload::Kind::encoder;
    for (int64_t i = 0; i < w.batch * floats; ++i)
      x.push_back(text ? static_cast<float>(i * 7 % w.outputs) : static_cast<float>(i * 37 % 200) / 100 - 1);
    for (int64_t i = 0; i < w.batch * (text ? w.time : 1); ++i)
      y.push_back(numbers ? static_cast<float>(i % 9) / 9 : static_cast<float>(i * 7 % w.outputs));
  }
};

void print(const std::string& name, const std::map<std::string, Spent>& least, double step_ms) {
  double kernels_ms = 0, all_madds = 0;
  std::vector<std::pair<std::string, Spent>> rows(least.begin(), least.end());
  for (const auto& [label, s] : rows) kernels_ms += s.ms, all_madds += s.madds;
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second.ms > b.second.ms; });
  std::printf("%s: %.3f ms a step, %.3f in kernels, %.1f GFLOP/s\n", name.c_str(), step_ms, kernels_ms,
              2e-6 * all_madds / step_ms);
  for (const auto& [label, s] : rows) {
    if (s.ms < 0.002 * kernels_ms) continue;
    std::printf("  %-34s %4d x %8.3f ms %5.1f%%", label.c_str(), s.calls, s.ms, 100 * s.ms / kernels_ms);
    if (s.madds > 0) std::printf(" %6.1f GFLOP/s", 2e-6 * s.madds / s.ms);
    std::printf(" %6.1f GB/s\n", 1e-6 * s.bytes / s.ms);
  }
}

void profile(const std::string& name) {
  const Workload w = workload_of(name);
  const Batch batch(w);
  std::vector<float> weights(1 << 21);
  for (size_t i = 0; i < weights.size(); ++i)
    weights[i] = (static_cast<float>(i * 2654435761u % 2001) / 1000 - 1) * 0.05f;
  Clocked device;
  const auto net = bench::make_net(device, w, weights.data());
  const Tensor x = Tensor::from(device, net->x().shape(), batch.x), y = Tensor::from(device, net->y().shape(), batch.y);
  optim::Optimizer optimizer(net->parameters(), optim::defaults(optim::Kind::adam));
  std::map<std::string, Spent> least;
  double step_ms = 1e9;
  const double end = now_ms() + 2000;
  for (int round = 0; round < 8 || now_ms() < end; ++round) {
    device.spent.clear();
    const double before = now_ms();
    {
      const Tensor loss = net->loss(x, y);
      loss.backward();
      optimizer.step(1e-4f, loss);
    }
    step_ms = std::min(step_ms, now_ms() - before);
    for (const auto& [label, s] : device.spent) {
      const auto [at, added] = least.emplace(label, s);
      if (s.ms < at->second.ms || s.calls != at->second.calls) at->second = s;
    }
  }
  print(name, least, step_ms);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> names(argv + 1, argv + argc);
  cpu_time = !names.empty() && names[0] == "--cpu";
  if (cpu_time) names.erase(names.begin());
  if (names.empty()) names = {"W1", "W2", "W3", "W4", "W5", "W6-8x256", "W7"};
  for (const std::string& name : names) profile(name);
}

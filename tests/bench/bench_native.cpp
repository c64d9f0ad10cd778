// Times a workload's steps natively, with the engine and the networks that run in the browser: what WebAssembly costs.
//   bench_native FILE BUDGET_MS MIN_STEPS MAX_STEPS
// FILE, little-endian: int32 count and the numbers of bench_create, float learning rate, beta1, beta2, eps, int32 count
// and the weights' floats, int32 batches, floats of an x and of a y, and the batches' floats, x before y. Prints JSON.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/bench/bench_module.h"

namespace {

constexpr int kWarmUp = 3;

class File {
 public:
  explicit File(const char* path) {
    std::ifstream in(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(in), {});
  }
  template <class T>
  std::vector<T> take(size_t count) {
    if (bytes_.size() - at_ < count * sizeof(T)) throw std::runtime_error("the file of the workload is too short");
    std::vector<T> values(count);
    std::memcpy(values.data(), bytes_.data() + at_, count * sizeof(T));
    at_ += count * sizeof(T);
    return values;
  }
  size_t count() { return static_cast<size_t>(take<int>(1)[0]); }

 private:
  std::vector<char> bytes_;
  size_t at_ = 0;
};

double now() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void check(int ok) {
  if (ok != 1) throw std::runtime_error(bench_message());
}

struct Run {
  double first = 0;
  std::vector<double> steps;
  std::vector<float> losses;
};

Run train(File file, double budget, size_t min_steps, size_t max_steps) {
  const auto numbers = file.take<int>(file.count());
  const auto rates = file.take<float>(4);
  const auto weights = file.take<float>(file.count());
  const size_t batches = file.count(), x = file.count(), y = file.count();
  const auto data = file.take<float>(batches * (x + y));
  check(bench_create(0, numbers.data(), weights.data(), rates[0], rates[1], rates[2], rates[3]));

  Run run;
  const auto one = [&] {
    const float* const batch = data.data() + (run.losses.size() % batches) * (x + y);
    const double start = now();
    check(bench_step(batch, batch + x));
    run.losses.push_back(bench_loss());
    return now() - start;
  };
  run.first = one();
  for (int i = 0; i < kWarmUp; ++i) one();
  const double start = now();
  while (run.steps.size() < max_steps && (run.steps.size() < min_steps || now() - start < budget))
    run.steps.push_back(one());
  return run;
}

template <class T>
void print(const char* name, const std::vector<T>& values) {
  std::printf(",\"%s\":[", name);
  for (size_t i = 0; i < values.size(); ++i) std::printf("%s%.9g", i == 0 ? "" : ",", static_cast<double>(values[i]));
  std::printf("]");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: bench_native FILE BUDGET_MS MIN_STEPS MAX_STEPS\n");
    return 2;
  }
  try {
    const Run run = train(File(argv[1]), std::atof(argv[2]), std::strtoul(argv[3], nullptr, 10),
                          std::strtoul(argv[4], nullptr, 10));
    std::printf("{\"firstStepMs\":%.9g", run.first);
    print("stepMs", run.steps);
    print("losses", run.losses);
    std::printf("}\n");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_native: %s\n", e.what());
    return 1;
  }
}

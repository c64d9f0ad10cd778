// How fast the cpu device multiplies matrices, in GFLOP/s on one thread: squares in the four arrangements of
// transposes, and the products that the benchmark's networks are made of. Natively a program (with a word: only the
// rows that have it); as a module it is asked row by row, so that no function runs for long.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "cpu/gemm.h"

namespace {

using namespace sg::cpu;

struct Row {
  const char* of;
  int m, n, k;
  const char* arrangement;  // whether A and B are stored as they are (N) or transposed (T)
  bool accumulate = false;
};

std::vector<Row> rows() {
  std::vector<Row> all;
  for (const char* arrangement : {"NN", "NT", "TN", "TT"})
    for (const int n : {64, 128, 256, 512, 1024}) all.push_back({"square", n, n, n, arrangement});
  const std::vector<Row> products{{"W1 step", 32, 32, 8, "NT", true},
                                  {"W2 input", 2048, 512, 8, "NN"},
                                  {"W2 step", 32, 512, 128, "NT", true},
                                  {"W2 step back", 32, 128, 128, "NN", true},
                                  {"W2 input weights", 8, 512, 2048, "TN"},
                                  {"W2 weights", 128, 512, 2048, "TN"},
                                  {"W2 head", 32, 1, 128, "NN"},
                                  {"W3 input", 2048, 1024, 256, "NN"},
                                  {"W3 step", 64, 1024, 256, "NT", true},
                                  {"W3 step back", 64, 256, 256, "NN", true},
                                  {"W3 input back", 2048, 256, 1024, "NT"},
                                  {"W3 weights", 256, 1024, 2048, "TN"},
                                  {"W4 qkv", 2048, 192, 64, "NN"},
                                  {"W4 proj", 2048, 64, 64, "NN"},
                                  {"W4 up", 2048, 256, 64, "NN"},
                                  {"W4 down", 2048, 64, 256, "NN"},
                                  {"W4 up back", 2048, 64, 256, "NT"},
                                  {"W4 up weights", 64, 256, 2048, "TN"},
                                  {"W4 scores", 64, 64, 16, "NT"},
                                  {"W4 values", 64, 16, 64, "NN", true},
                                  {"W4 keys", 64, 16, 64, "TN", true},
                                  {"W5 qkv", 2048, 384, 128, "NN"},
                                  {"W5 up", 2048, 512, 128, "NN"},
                                  {"W5 down", 2048, 128, 512, "NN"},
                                  {"W5 up back", 2048, 128, 512, "NT"},
                                  {"W5 down back", 2048, 512, 128, "NT"},
                                  {"W5 up weights", 128, 512, 2048, "TN"},
                                  {"W5 head", 2048, 96, 128, "NN"},
                                  {"W5 head weights", 128, 96, 2048, "TN"},
                                  {"W5 scores", 64, 64, 32, "NT"},
                                  {"W5 values", 64, 32, 64, "NN", true},
                                  {"W6 first", 64, 256, 784, "NN"},
                                  {"W6 first weights", 784, 256, 64, "TN"},
                                  {"W6 layer", 64, 256, 256, "NN"},
                                  {"W6 layer back", 64, 256, 256, "NT"},
                                  {"W6 layer weights", 256, 256, 64, "TN"},
                                  {"W6 head", 64, 10, 256, "NN"},
                                  {"W6 head back", 64, 256, 10, "NT"},
                                  {"W6 head weights", 256, 10, 64, "TN"},
                                  {"W7 first", 32, 200, 9, "NN", true},
                                  {"W7 second", 64, 200, 288, "NN", true},
                                  {"W7 second back", 288, 200, 64, "TN"},
                                  {"W7 second weights", 288, 64, 200, "NT", true},
                                  {"W7 dense", 64, 128, 3136, "NN"},
                                  {"W7 dense back", 64, 3136, 128, "NT"},
                                  {"W7 dense weights", 3136, 128, 64, "TN"},
                                  {"one row", 1, 512, 256, "NN"},
                                  {"one row", 1, 512, 256, "NT"},
                                  {"one column", 512, 1, 256, "NN"},
                                  {"few rows", 3, 512, 256, "NN"},
                                  {"edges", 61, 71, 67, "NN"},
                                  {"edges", 61, 71, 67, "TT"}};
  all.insert(all.end(), products.begin(), products.end());
  return all;
}

std::string title(const Row& r) {
  return std::string(r.of) + ", " + std::to_string(r.m) + " x " + std::to_string(r.n) + " x " + std::to_string(r.k) +
         " " + r.arrangement;
}

/// One row's matrices, as they lie in memory.
class Product {
 public:
  explicit Product(const Row& r) : r_(r), a_(size(r.m, r.k), 0.5f), b_(size(r.k, r.n), 0.25f), c_(size(r.m, r.n)) {}

  /// The seconds that `times` products take.
  double run(int times) {
    const View a = r_.arrangement[0] == 'T' ? View{a_.data(), 1, r_.m} : View{a_.data(), r_.k, 1};
    const View b = r_.arrangement[1] == 'T' ? View{b_.data(), 1, r_.k} : View{b_.data(), r_.n, 1};
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i) {
      scratch_.reset();
      gemm(r_.m, r_.n, r_.k, a, b, c_.data(), r_.n, r_.accumulate, scratch_);
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

 private:
  static size_t size(int rows, int columns) { return static_cast<size_t>(rows) * static_cast<size_t>(columns) + 16; }

  Row r_;
  std::vector<float> a_, b_, c_;
  Scratch scratch_;
};

/// The best of `rounds` that take a millisecond or a product each.
double gigaflops(const Row& r, int rounds) {
  Product product(r);
  const double flops = 2.0 * r.m * r.n * r.k;
  const int times = std::max(1, static_cast<int>(3e7 / flops));
  product.run(times);
  double best = product.run(times);
  for (int i = 1; i < rounds; ++i) best = std::min(best, product.run(times));
  return flops * times / best * 1e-9;
}

}  // namespace

#ifdef __EMSCRIPTEN__
extern "C" {
__attribute__((used, export_name("gemm_bench_rows"))) int gemm_bench_rows() { return static_cast<int>(rows().size()); }
__attribute__((used, export_name("gemm_bench_title"))) const char* gemm_bench_title(int i) {
  static std::string last;
  last = title(rows()[static_cast<size_t>(i)]);
  return last.c_str();
}
__attribute__((used, export_name("gemm_bench_gigaflops"))) double gemm_bench_gigaflops(int i, int rounds) {
  return gigaflops(rows()[static_cast<size_t>(i)], rounds);
}
}
#else
int main(int count, char** words) {
  for (const Row& r : rows()) {
    const std::string name = title(r);
    if (count < 2 || name.find(words[1]) != std::string::npos)
      std::printf("%-44s %6.1f\n", name.c_str(), gigaflops(r, 60));
  }
}
#endif

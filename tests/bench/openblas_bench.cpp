// OpenBLAS's sgemm on the products that gemm_bench measures, timed in the same way. Which processor it believes in is
// said by OPENBLAS_CORETYPE, and how many threads by OPENBLAS_NUM_THREADS. The library is opened by name, so that
// nothing else needs it.
//   openblas_bench LIBRARY ROUNDS   with lines "m n k NT" on its input; prints GFLOP/s, one line each
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int kRowMajor = 101, kAsStored = 111, kTransposed = 112;

using Sgemm = void (*)(int order, int a_transposed, int b_transposed, int m, int n, int k, float alpha, const float* a,
                       int a_row, const float* b, int b_row, float beta, float* c, int c_row);

struct Product {
  int m, n, k;
  bool a_transposed, b_transposed;
};

/// The best of `rounds` that take a millisecond or a product each.
double gigaflops(Sgemm sgemm, const Product& p, int rounds) {
  const auto size = [](int rows, int columns) { return static_cast<size_t>(rows) * static_cast<size_t>(columns); };
  const std::vector<float> a(size(p.m, p.k), 0.5f), b(size(p.k, p.n), 0.25f);
  std::vector<float> c(size(p.m, p.n));
  const double flops = 2.0 * p.m * p.n * p.k;
  const int times = std::max(1, static_cast<int>(3e7 / flops));
  const auto run = [&] {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i)
      sgemm(kRowMajor, p.a_transposed ? kTransposed : kAsStored, p.b_transposed ? kTransposed : kAsStored, p.m, p.n,
            p.k, 1, a.data(), p.a_transposed ? p.m : p.k, b.data(), p.b_transposed ? p.k : p.n, 0, c.data(), p.n);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  run();
  double best = run();
  for (int i = 1; i < rounds; ++i) best = std::min(best, run());
  return flops * times / best * 1e-9;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: openblas_bench LIBRARY ROUNDS\n");
    return 2;
  }
  void* const library = dlopen(argv[1], RTLD_NOW);
  void* const found = library == nullptr ? nullptr : dlsym(library, "cblas_sgemm");
  if (found == nullptr) {
    std::fprintf(stderr, "openblas_bench: %s\n", dlerror());
    return 1;
  }
  const auto sgemm = reinterpret_cast<Sgemm>(found);
  Product p{};
  char a = 0, b = 0;
  while (std::scanf("%d %d %d %c%c", &p.m, &p.n, &p.k, &a, &b) == 5) {
    p.a_transposed = a == 'T', p.b_transposed = b == 'T';
    std::printf("%.2f\n", gigaflops(sgemm, p, std::atoi(argv[2])));
    std::fflush(stdout);
  }
}

// The order of windows: one to one at every size, its own for every seed, epoch and part, and as even as a shuffle.
#include "train/permutation.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <vector>

using sg::train::Permutation;

namespace {

std::vector<uint32_t> all_of(const Permutation& p) {
  std::vector<uint32_t> all;
  for (uint32_t i = 0; i < p.size(); ++i) all.push_back(p(i));
  return all;
}

/// Of counts that should all be the same, in standard deviations from what chance makes of it.
double excess(const std::vector<double>& counts) {
  double total = 0, squares = 0;
  for (const double n : counts) total += n;
  const double expected = total / static_cast<double>(counts.size());
  for (const double n : counts) squares += (n - expected) * (n - expected) / expected;
  const double freedom = static_cast<double>(counts.size()) - 1;
  return (squares - freedom) / std::sqrt(2 * freedom);
}

}  // namespace

TEST_CASE("a permutation shows everything once, whatever its size", "[train][permutation]") {
  std::vector<uint32_t> sizes{0, 65535, 65536, 65537, 99'991};
  for (uint32_t n = 1; n < 300; ++n) sizes.push_back(n);
  for (const uint32_t n : sizes) {
    INFO(n);
    std::vector<uint32_t> all = all_of(Permutation(n, 7, 3, 1));
    std::sort(all.begin(), all.end());
    for (uint32_t i = 0; i < n; ++i) REQUIRE(all[i] == i);
  }
}

TEST_CASE("a stretch of a permutation is what its places are, however long it is", "[train][permutation]") {
  for (const uint32_t n : {1u, 15u, 17u, 1000u}) {
    const Permutation p(n, 9, 1, 0);
    const std::vector<uint32_t> all = all_of(p);
    for (uint32_t first = 0; first < n; first += 7)
      for (const uint32_t length : {0u, 1u, 15u, 16u, 37u, n}) {
        std::vector<uint32_t> values(std::min(length, n - first));
        p.fill(first, values);
        CHECK(std::equal(values.begin(), values.end(), all.begin() + first));
      }
  }
}

static_assert(sizeof(Permutation) <= 64, "an order takes no memory that grows with the windows");

TEST_CASE("a permutation reaches the largest sizes, place by place", "[train][permutation]") {
  const uint32_t n = 0xffffffffu;
  const Permutation p(n, 1, 0, 0);
  std::vector<uint32_t> seen;
  for (uint32_t i = 0; i < 100'000; ++i) {
    seen.push_back(p(i));
    seen.push_back(p(n - 1 - i));
  }
  std::sort(seen.begin(), seen.end());
  CHECK(std::adjacent_find(seen.begin(), seen.end()) == seen.end());
  CHECK(seen.back() < n);
  CHECK(seen.back() > n / 100 * 99);
}

TEST_CASE("permutations are the same everywhere, and differ by seed, epoch and part", "[train][permutation]") {
  const std::vector<uint32_t> first = all_of(Permutation(12, 5, 0, 0));
  CHECK(first == std::vector<uint32_t>{8, 7, 1, 10, 6, 5, 9, 11, 2, 0, 4, 3});
  CHECK(all_of(Permutation(12, 5, 0, 0)) == first);
  CHECK(all_of(Permutation(12, 6, 0, 0)) != first);
  CHECK(all_of(Permutation(12, 5 + (uint64_t{1} << 32), 0, 0)) != first);
  CHECK(all_of(Permutation(12, 5, 1, 0)) != first);
  CHECK(all_of(Permutation(12, 5, 0, 1)) != first);
}

TEST_CASE("every order of a few is as likely as any other", "[train][permutation]") {
  for (const uint32_t n : {2u, 3u, 4u, 5u}) {
    INFO(n);
    std::map<std::vector<uint32_t>, double> orders;
    size_t possible = 1;
    for (uint32_t i = 2; i <= n; ++i) possible *= i;
    for (int epoch = 0; epoch < 24'000; ++epoch) ++orders[all_of(Permutation(n, 11, epoch, 0))];
    REQUIRE(orders.size() == possible);
    std::vector<double> counts;
    for (const auto& [order, count] : orders) counts.push_back(count);
    CHECK(excess(counts) < 5);
  }
}

TEST_CASE("every value is as likely at every place, and no place follows from its neighbour", "[train][permutation]") {
  for (const uint32_t n : {7u, 64u, 101u}) {
    INFO(n);
    std::vector<double> at(n * n, 0), steps(n, 0);
    for (int epoch = 0; epoch < 4000; ++epoch) {
      const auto all = all_of(Permutation(n, 3, epoch, 2));
      for (uint32_t i = 0; i < n; ++i) ++at[i * n + all[i]];
      for (uint32_t i = 1; i < n; ++i) ++steps[(all[i] + n - all[i - 1]) % n];
    }
    CHECK(std::fabs(excess(at)) < 5);
    CHECK(steps[0] == 0);
    steps.erase(steps.begin());
    CHECK(excess(steps) < 5);
  }
}

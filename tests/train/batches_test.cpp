// What decides which windows a step sees.
#include "train/batches.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

using namespace sg;

TEST_CASE("an epoch shows every window once, in an order that follows from seed and epoch alone", "[train]") {
  std::vector<uint32_t> windows(101);
  std::iota(windows.begin(), windows.end(), 40u);
  const auto epoch = [&](train::Batches& b, int number) {
    std::vector<uint32_t> all;
    for (int i = 0; i < b.count(); ++i) {
      const auto batch = b.batch(number, i);
      CHECK(batch.size() == (i < 6 ? 16u : 5u));
      all.insert(all.end(), batch.begin(), batch.end());
    }
    return all;
  };
  train::Batches a(windows, 16, 3), b(windows, 16, 3), other(windows, 16, 4);
  CHECK(a.count() == 7);
  const auto first = epoch(a, 0), second = epoch(a, 1);
  CHECK(first != windows);
  CHECK(first != second);
  CHECK(epoch(b, 1) == second);
  CHECK(epoch(b, 0) == first);
  CHECK(epoch(other, 0) != first);
  auto sorted = second;
  std::sort(sorted.begin(), sorted.end());
  CHECK(sorted == windows);
}

// How values are spread: counted in bins of one round width.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sg {

struct Histogram {
  int64_t first = 0;             // bin i holds what lies from (first + i) * width up to the next
  double width = 1;              // 1, 2, 2.5 or 5 and zeros
  std::vector<uint64_t> counts;  // none at the ends is 0
};

/// As many bins as the values' number and quartiles ask for (Freedman and Diaconis 1981), about; however far single
/// ones lie apart, about `most` at most, and no more than twice the root of their number. What is not finite is left
/// out.
Histogram histogram(std::vector<double> values, size_t most);

}  // namespace sg

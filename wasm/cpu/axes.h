// A walk over the up to six axes of a row-major result while N inputs are read at strides of their own. Axes of size 1
// are dropped and neighbours merged where every input allows it, so that what is left is few, large blocks: the last
// two axes, rows of elements that a kernel loops over itself.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace sg::cpu {

using Six = std::array<int, 6>;

/// The offsets that a walk over `sizes` reaches at `strides`, from 0: the lowest and one past the highest.
struct Reach {
  int64_t lowest = 0, end = 1;
  Reach(const Six& sizes, const Six& strides) {
    for (size_t axis = 0; axis < 6; ++axis) {
      const int64_t span = (int64_t{sizes[axis]} - 1) * strides[axis];
      if (sizes[axis] > 0) (span < 0 ? lowest : end) += span;
    }
  }
};

template <size_t N>
struct Axes {
  int rank = 0;
  std::array<ptrdiff_t, 6> sizes{};
  std::array<std::array<ptrdiff_t, 6>, N> strides{};

  Axes(const Six& all_sizes, const std::array<Six, N>& all_strides) {
    for (size_t axis = 0; axis < 6; ++axis) {
      if (all_sizes[axis] != 1) append(all_sizes[axis], all_strides, axis);
    }
  }

  /// A block's size and the strides of an input along its two axes.
  ptrdiff_t rows() const { return rank > 1 ? sizes[last() - 1] : 1; }
  ptrdiff_t columns() const { return rank > 0 ? sizes[last()] : 1; }
  ptrdiff_t row_stride(size_t input) const { return rank > 1 ? strides[input][last() - 1] : 0; }
  ptrdiff_t column_stride(size_t input) const { return rank > 0 ? strides[input][last()] : 0; }

  /// Calls f(offset of each input) for each block of the result in order; never where a size is 0.
  template <class F>
  void each_block(F f) const {
    for (int axis = 0; axis < rank; ++axis) {
      if (sizes[static_cast<size_t>(axis)] == 0) return;
    }
    std::array<ptrdiff_t, 6> index{};
    std::array<ptrdiff_t, N> offsets{};
    for (;;) {
      f(offsets);
      int axis = rank - 3;
      for (; axis >= 0; --axis) {
        const size_t a = static_cast<size_t>(axis);
        for (size_t n = 0; n < N; ++n) offsets[n] += strides[n][a];
        if (++index[a] < sizes[a]) break;
        for (size_t n = 0; n < N; ++n) offsets[n] -= strides[n][a] * sizes[a];
        index[a] = 0;
      }
      if (axis < 0) return;
    }
  }

 private:
  size_t last() const { return static_cast<size_t>(rank - 1); }

  void append(int size, const std::array<Six, N>& all_strides, size_t axis) {
    bool merges = rank > 0;
    for (size_t n = 0; n < N && merges; ++n) {
      merges = strides[n][last()] == static_cast<ptrdiff_t>(all_strides[n][axis]) * size;
    }
    if (!merges) ++rank;
    sizes[last()] = merges ? sizes[last()] * size : size;
    for (size_t n = 0; n < N; ++n) strides[n][last()] = all_strides[n][axis];
  }
};

}  // namespace sg::cpu

// A shape is up to kMaxRank sizes, outermost first (row-major). It lives inline: making one allocates nothing.
#pragma once
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace sg {

inline constexpr int kMaxRank = 6;

class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<int> sizes) : Shape(std::span<const int>(sizes.begin(), sizes.size())) {}
  explicit Shape(std::span<const int> sizes);

  int rank() const { return rank_; }
  int operator[](int axis) const { return sizes_[static_cast<size_t>(axis)]; }
  int& operator[](int axis) { return sizes_[static_cast<size_t>(axis)]; }
  /// The number of elements; 1 for a scalar (rank 0).
  int64_t size() const;
  /// The product of the sizes from `first` up to, not including, `last`.
  int64_t product(int first, int last) const;
  /// Turns -1 into the last axis and so on; throws when the axis does not exist.
  int axis(int index) const;
  bool operator==(const Shape& other) const;

 private:
  std::array<int, kMaxRank> sizes_{};
  int rank_ = 0;
};

/// Throws shape.too_large for more elements than a tensor can have.
void check_elements(int64_t count);

/// "[32, 5, 1]"
std::string str(const Shape& shape);

/// Row-major strides in elements; 0 for an axis of size 1, so that it broadcasts.
std::array<int, kMaxRank> strides(const Shape& shape);

/// The shape that `a` and `b` broadcast to, by NumPy's rule: aligned at the last axis, 1 stretches.
Shape broadcast(const Shape& a, const Shape& b, const char* op);

}  // namespace sg

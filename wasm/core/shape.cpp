#include "core/shape.h"

#include <algorithm>

#include "core/check.h"

namespace sg {

void check_elements(int64_t count) {
  if (count > INT32_MAX)
    throw Error("shape.too_large",
                "a tensor has at most 2^31 - 1 elements: choose a smaller batch, model or look-back");
}

Shape::Shape(std::span<const int> sizes) {
  SG_CHECK(sizes.size() <= kMaxRank, "a tensor has at most 6 axes, not " + std::to_string(sizes.size()));
  int64_t total = 1;
  for (const int n : sizes) {
    SG_CHECK(n >= 0, "a size must not be negative: " + std::to_string(n));
    total *= n;
    check_elements(total);
    sizes_[static_cast<size_t>(rank_++)] = n;
  }
}

int64_t Shape::size() const { return product(0, rank_); }

int64_t Shape::product(int first, int last) const {
  int64_t n = 1;
  for (int i = first; i < last; ++i) n *= (*this)[i];
  return n;
}

int Shape::axis(int index) const {
  const int a = index < 0 ? index + rank_ : index;
  SG_CHECK(a >= 0 && a < rank_, "axis " + std::to_string(index) + " does not exist in " + str(*this));
  return a;
}

bool Shape::operator==(const Shape& other) const {
  return rank_ == other.rank_ && std::equal(sizes_.begin(), sizes_.begin() + rank_, other.sizes_.begin());
}

std::string str(const Shape& shape) {
  std::string text = "[";
  for (int i = 0; i < shape.rank(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

std::array<int, kMaxRank> strides(const Shape& shape) {
  std::array<int, kMaxRank> s{};
  int step = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    s[static_cast<size_t>(i)] = shape[i] == 1 ? 0 : step;
    step *= shape[i];
  }
  return s;
}

Shape broadcast(const Shape& a, const Shape& b, const char* op) {
  const int rank = std::max(a.rank(), b.rank());
  std::array<int, kMaxRank> sizes{};
  for (int i = 0; i < rank; ++i) {
    const int x = i < a.rank() ? a[a.rank() - 1 - i] : 1, y = i < b.rank() ? b[b.rank() - 1 - i] : 1;
    SG_CHECK(x == y || x == 1 || y == 1, std::string(op) + ": " + str(a) + " and " + str(b) + " do not broadcast");
    sizes[static_cast<size_t>(rank - 1 - i)] = x == 1 ? y : x;
  }
  return Shape(std::span<const int>(sizes.data(), static_cast<size_t>(rank)));
}

}  // namespace sg

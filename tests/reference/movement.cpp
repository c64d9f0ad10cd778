// Ops that only move elements: each says where the element at an index of the result comes from.
#include <utility>

#include "tests/reference/reference.h"

namespace sg::reference {

Array reshape(const Array& x, const Sizes& sizes) {
  Sizes full = sizes;
  int known = 1;
  for (const int s : full) known *= s == -1 ? 1 : s;
  for (int& s : full) s = s == -1 ? x.size() / known : s;
  return Array(full, x.values);
}

Array permute(const Array& x, const std::vector<int>& axes) {
  Sizes sizes;
  for (const int a : axes) sizes.push_back(x.sizes[axis_of(x.sizes, a)]);
  Array y(sizes);
  Index from(sizes.size());
  each(sizes, [&](const Index& i) {
    for (size_t axis = 0; axis < i.size(); ++axis) from[axis_of(x.sizes, axes[axis])] = i[axis];
    y.at(i) = x.at(from);
  });
  return y;
}

Array transpose(const Array& x, int first, int second) {
  const size_t a = axis_of(x.sizes, first), b = axis_of(x.sizes, second);
  Sizes sizes = x.sizes;
  std::swap(sizes[a], sizes[b]);
  Array y(sizes);
  Index to;
  each(x.sizes, [&](const Index& i) {
    to = i;
    std::swap(to[a], to[b]);
    y.at(to) = x.at(i);
  });
  return y;
}

Array narrow(const Array& x, int axis, int start, int length) {
  const size_t a = axis_of(x.sizes, axis);
  Sizes sizes = x.sizes;
  sizes[a] = length;
  Array y(sizes);
  Index from;
  each(sizes, [&](const Index& i) {
    from = i;
    from[a] += start;
    y.at(i) = x.at(from);
  });
  return y;
}

Array select(const Array& x, int axis, int index) {
  const size_t a = axis_of(x.sizes, axis);
  const int from = index < 0 ? index + x.sizes[a] : index;
  Array y = narrow(x, axis, from, 1);
  y.sizes.erase(y.sizes.begin() + static_cast<std::ptrdiff_t>(a));
  return y;
}

Array cat(const std::vector<Array>& parts, int axis) {
  const size_t a = axis_of(parts[0].sizes, axis);
  Sizes sizes = parts[0].sizes;
  sizes[a] = 0;
  for (const Array& part : parts) sizes[a] += part.sizes[a];
  Array y(sizes);
  Index to;
  int start = 0;
  for (const Array& part : parts) {
    each(part.sizes, [&](const Index& i) {
      to = i;
      to[a] += start;
      y.at(to) = part.at(i);
    });
    start += part.sizes[a];
  }
  return y;
}

Array stack(const std::vector<Array>& parts, int axis) {
  const int rank = parts[0].rank() + 1;
  const auto a = static_cast<std::ptrdiff_t>(axis < 0 ? axis + rank : axis);
  Sizes sizes = parts[0].sizes;
  sizes.insert(sizes.begin() + a, static_cast<int>(parts.size()));
  Array y(sizes);
  Index to;
  for (size_t p = 0; p < parts.size(); ++p) {
    each(parts[p].sizes, [&](const Index& i) {
      to = i;
      to.insert(to.begin() + a, static_cast<int>(p));
      y.at(to) = parts[p].at(i);
    });
  }
  return y;
}

}  // namespace sg::reference

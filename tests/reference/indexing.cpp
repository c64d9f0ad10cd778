#include "tests/reference/indexing.h"

#include <algorithm>
#include <cmath>

#include "tests/reference/reference.h"

namespace sg::reference {

Array where(const Array& condition, const Array& a, const Array& b) {
  Sizes sizes(std::max({condition.sizes.size(), a.sizes.size(), b.sizes.size()}), 1);
  for (const Array* x : {&condition, &a, &b}) {
    const size_t skip = sizes.size() - x->sizes.size();
    for (size_t i = 0; i < x->sizes.size(); ++i) sizes[skip + i] = std::max(sizes[skip + i], x->sizes[i]);
  }
  const Array holds = expand(condition, sizes), yes = expand(a, sizes), no = expand(b, sizes);
  Array y(sizes);
  for (size_t i = 0; i < y.values.size(); ++i) y.values[i] = holds.values[i] == 0 ? no.values[i] : yes.values[i];
  return y;
}

Array argmax(const Array& x, int axis, bool keepdim) {
  const size_t a = axis_of(x.sizes, axis);
  Sizes sizes = x.sizes;
  sizes[a] = 1;
  Array y(sizes);
  each(sizes, [&](const Index& i) {
    Index at = i;
    double best = 0;
    for (at[a] = 0; at[a] < x.sizes[a]; ++at[a]) {
      const double v = x.at(at);
      const bool better = std::isnan(v) ? !std::isnan(best) : v > best;
      if (at[a] > 0 && !better) continue;
      best = v;
      y.at(i) = at[a];
    }
  });
  if (!keepdim) y.sizes.erase(y.sizes.begin() + static_cast<std::ptrdiff_t>(a));
  return y;
}

Array cumsum(const Array& x, int axis) {
  const size_t a = axis_of(x.sizes, axis);
  Array y(x.sizes);
  each(x.sizes, [&](const Index& i) {
    Index before = i;
    --before[a];
    y.at(i) = x.at(i) + (i[a] > 0 ? y.at(before) : 0);
  });
  return y;
}

Array slice(const Array& x, int axis, int start, int stop, int step) {
  const size_t a = axis_of(x.sizes, axis);
  const int size = x.sizes[a];
  std::vector<int> picked;
  for (int i = 0; i < size; ++i) {
    const int first = start < 0 ? std::max(start + size, 0) : start, end = stop < 0 ? stop + size : stop;
    if (i >= first && i < end && (i - first) % step == 0) picked.push_back(i);
  }
  Sizes sizes = x.sizes;
  sizes[a] = static_cast<int>(picked.size());
  Array y(sizes);
  each(sizes, [&](const Index& i) {
    Index from = i;
    from[a] = picked[static_cast<size_t>(i[a])];
    y.at(i) = x.at(from);
  });
  return y;
}

Array flip(const Array& x, const std::vector<int>& axes) {
  Array y(x.sizes);
  each(x.sizes, [&](const Index& i) {
    Index from = i;
    for (const int axis : axes) {
      const size_t a = axis_of(x.sizes, axis);
      from[a] = x.sizes[a] - 1 - i[a];
    }
    y.at(i) = x.at(from);
  });
  return y;
}

Array pad(const Array& x, const std::vector<int>& sizes, double value) {
  Sizes padded = x.sizes;
  Index before(padded.size(), 0);
  for (size_t k = 0; k < sizes.size(); k += 2) {
    const size_t a = padded.size() - 1 - k / 2;
    before[a] = sizes[k];
    padded[a] += sizes[k] + sizes[k + 1];
  }
  Array y(padded);
  for (double& v : y.values) v = value;
  each(x.sizes, [&](const Index& i) {
    Index to = i;
    for (size_t a = 0; a < to.size(); ++a) to[a] += before[a];
    y.at(to) = x.at(i);
  });
  return y;
}

Array gather(const Array& x, int axis, const Array& index) {
  const size_t a = axis_of(x.sizes, axis);
  Array y(index.sizes);
  each(index.sizes, [&](const Index& i) {
    Index from = i;
    from[a] = static_cast<int>(index.at(i));
    y.at(i) = x.at(from);
  });
  return y;
}

Array embedding(const Array& indices, const Array& weight) {
  Array y;
  y.sizes = indices.sizes;
  y.sizes.push_back(weight.sizes[1]);
  y.values.clear();
  for (const double row : indices.values)
    for (int i = 0; i < weight.sizes[1]; ++i) y.values.push_back(weight.at({static_cast<int>(row), i}));
  return y;
}

Array windows(const Array& x, const std::vector<int>& starts, int first, int time) {
  Array y({static_cast<int>(starts.size()), time, x.sizes[1]});
  each(y.sizes, [&](const Index& i) { y.at(i) = x.at({starts[static_cast<size_t>(i[0])] + first + i[1], i[2]}); });
  return y;
}

}  // namespace sg::reference

#include "cpu/attention_heads.h"

namespace sg::cpu {
namespace {

/// to[n] = from[n]; the sum of what is not finite in it, times 0, is NaN.
vf copy_row(const float* from, float* to, ptrdiff_t n) {
  vf zeros{};
  ptrdiff_t j = 0;
  for (; j + 4 <= n; j += 4) {
    const vf x = load(from + j);
    store(to + j, x);
    zeros += x * 0.0f;
  }
  for (; j < n; ++j) {
    to[j] = from[j];
    zeros += splat(from[j]) * 0.0f;
  }
  return zeros;
}

}  // namespace

Copy Head::copy_keys(const float* all, ptrdiff_t at, float* to) const {
  const float* from = all + sample_ * s_.keys * s_.kv_row + at + head_ * s_.width;
  float* next = to;
  vf zeros{};
  for (ptrdiff_t t = 0; t < s_.keys; ++t, from += s_.kv_row) {
    if (!is_kept(t)) continue;
    zeros += copy_row(from, next, s_.width);
    next += s_.width;
  }
  return {to, sum_lanes(zeros) == 0};
}

Copy Head::copy_queries(Given rows, float* to) const {
  vf zeros{};
  for (ptrdiff_t t = 0; t < s_.queries; ++t) zeros += copy_row(rows.at(t), to + t * s_.width, s_.width);
  return {to, sum_lanes(zeros) == 0};
}

void Head::turn_keys(const float* copied, float* to) const {
  const ptrdiff_t kept = kept_before_.back();
  const auto four = [&](ptrdiff_t key, ptrdiff_t i) {
    return key < kept ? load(copied + key * s_.width + i) : splat(0);
  };
  for (ptrdiff_t first = 0; first < kept; first += kBlock, to += panel()) {
    for (ptrdiff_t t = 0; t < kBlock; t += 4) {
      for (ptrdiff_t i = 0; i < s_.width; i += 4) {
        const ptrdiff_t key = first + t;
        vf r0 = four(key, i), r1 = four(key + 1, i), r2 = four(key + 2, i), r3 = four(key + 3, i);
        transpose(r0, r1, r2, r3);
        float* const at = to + i * kBlock + t;
        store(at, r0), store(at + kBlock, r1), store(at + 2 * kBlock, r2), store(at + 3 * kBlock, r3);
      }
    }
  }
}

void Head::products(const Block& b, Given queries, const float* turned, float* to) const {
  const View keys{turned + b.key / kBlock * panel(), kBlock, 1};
  each_group(b, [&](ptrdiff_t first, ptrdiff_t rows, ptrdiff_t columns) {
    const ptrdiff_t whole = (columns + 7) / 8 * 8;  // the width of gemm's tiles
    gemm(rows, whole, s_.width, {queries.at(b.query + first), queries.stride, 1}, keys, to + first * kBlock, kBlock,
         false, scratch_);
  });
}

void Head::add_to_queries(const Block& b, const float* weights, Copy values, Made to) const {
  const View v{values.data + b.key * s_.width, s_.width, 1};
  const auto add = [&](ptrdiff_t first, ptrdiff_t rows, ptrdiff_t columns) {
    gemm(rows, s_.width, columns, {weights + first * kBlock, kBlock, 1}, v, to.at(b.query + first), to.stride, true,
         scratch_);
  };
  if (values.finite || !is_cut(b)) return each_group(b, add);
  for (ptrdiff_t r = 0; r < b.rows; ++r) {
    if (const ptrdiff_t n = seen(b, r)) add(r, 1, n);
  }
}

void Head::add_to_keys(const Block& b, const float* weights, Copy queries, Made to) const {
  const ptrdiff_t group = !is_cut(b) ? kBlock : queries.finite ? kGroup : 1;
  for (ptrdiff_t key = 0, first = 0; key < b.columns; key += group) {
    while (first < b.rows && seen(b, first) <= key) ++first;
    const ptrdiff_t columns = std::min(group, b.columns - key), rows = b.rows - first;
    if (rows == 0) return;
    gemm(columns, s_.width, rows, {weights + first * kBlock + key, 1, kBlock},
         {queries.data + (b.query + first) * s_.width, s_.width, 1}, to.at(b.key + key), to.stride, true, scratch_);
  }
}

void Head::put_back(const float* kept, Made to) const {
  for (ptrdiff_t t = 0; t < s_.keys; ++t) {
    if (is_kept(t))
      copy(to.at(t), kept + kept_before_[static_cast<size_t>(t)] * s_.width, s_.width);
    else
      std::fill_n(to.at(t), s_.width, 0.0f);
  }
}

}  // namespace sg::cpu

// Sums and maxima over the middle one of three axes. Elements are combined in an order that the sizes alone decide:
// along contiguous elements in sixteen partial results, else in four, or for many columns a stretch of rows at a time,
// which also keeps the rounding error small.
#include <algorithm>

#include "cpu/ranges.h"

namespace sg::cpu {
namespace {

struct Add {
  static constexpr float kIdentity = 0;
  static vf combine(vf a, vf b) { return a + b; }
};
struct Max {
  static constexpr float kIdentity = -__builtin_inff();
  static vf combine(vf a, vf b) { return max(a, b); }
};

/// The lanes of x below `valid`, the identity in the others.
vf first_lanes(vf x, ptrdiff_t valid, float identity) {
  const vi lanes{0, 1, 2, 3};
  const int32_t n = static_cast<int32_t>(valid);
  return select(lanes < vi{n, n, n, n}, x, splat(identity));
}

template <class Op>
float reduce_row(const float* x, ptrdiff_t n) {
  const vf identity = splat(Op::kIdentity);
  vf s0 = identity, s1 = identity, s2 = identity, s3 = identity;
  ptrdiff_t i = 0;
  for (; i + 16 <= n; i += 16) {
    s0 = Op::combine(s0, load(x + i)), s1 = Op::combine(s1, load(x + i + 4));
    s2 = Op::combine(s2, load(x + i + 8)), s3 = Op::combine(s3, load(x + i + 12));
  }
  for (; i < n; i += 4) s0 = Op::combine(s0, first_lanes(load(x + i), n - i, Op::kIdentity));
  const vf all = Op::combine(Op::combine(s0, s1), Op::combine(s2, s3));
  const vf half = Op::combine(all, __builtin_shufflevector(all, all, 2, 3, 0, 1));
  return Op::combine(half, __builtin_shufflevector(half, half, 1, 0, 3, 2))[0];
}

/// The four columns at x, over n rows that are `row` floats apart.
template <class Op>
vf reduce_columns(const float* x, ptrdiff_t n, ptrdiff_t row) {
  const vf identity = splat(Op::kIdentity);
  vf s0 = identity, s1 = identity, s2 = identity, s3 = identity;
  for (; n >= 4; n -= 4, x += 4 * row) {
    s0 = Op::combine(s0, load(x)), s1 = Op::combine(s1, load(x + row));
    s2 = Op::combine(s2, load(x + 2 * row)), s3 = Op::combine(s3, load(x + 3 * row));
  }
  for (; n > 0; --n, x += row) s0 = Op::combine(s0, load(x));
  return Op::combine(Op::combine(s0, s1), Op::combine(s2, s3));
}

constexpr ptrdiff_t kMany = 32, kStretch = 64;

/// y[32] = the 32 columns at x, over n rows: 64 rows, then those of the next 64 to them.
template <class Op>
void reduce_many(const float* x, ptrdiff_t n, ptrdiff_t row, float scale, float* y) {
  constexpr ptrdiff_t kVectors = kMany / 4;
  std::array<vf, kVectors> all;
  all.fill(splat(Op::kIdentity));
  for (; n > 0; n -= kStretch) {
    std::array<vf, kVectors> some;
    for (size_t v = 0; v < kVectors; ++v) some[v] = load(x + 4 * v);
    x += row;
    for (ptrdiff_t r = std::min(kStretch, n) - 1; r > 0; --r, x += row) {
      for (size_t v = 0; v < kVectors; ++v) some[v] = Op::combine(some[v], load(x + 4 * v));
    }
    for (size_t v = 0; v < kVectors; ++v) all[v] = Op::combine(all[v], some[v]);
  }
  for (size_t v = 0; v < kVectors; ++v) store(y + 4 * v, all[v] * scale);
}

/// y[begin .. end) = those columns of x[reduce, inner] reduced.
template <class Op>
void reduce_range(const float* x, float* y, ptrdiff_t reduce, ptrdiff_t inner, float scale, ptrdiff_t begin,
                  ptrdiff_t end) {
  ptrdiff_t i = begin;
  for (; i + kMany <= end; i += kMany) reduce_many<Op>(x + i, reduce, inner, scale, y + i);
  for (; i < end; i += 4) store(y + i, reduce_columns<Op>(x + i, reduce, inner) * scale);
}

/// y[outer, inner] = x[outer, reduce, inner] reduced; results are written from front to back, past the end of a row.
template <class Op>
void reduce_all(const float* x, float* y, ptrdiff_t outer, ptrdiff_t reduce, ptrdiff_t inner, float scale,
                Scratch& scratch) {
  const int64_t work = int64_t{outer} * reduce * inner * kPlain;
  if (inner == 1) {
    return parallel(outer, 16, work, scratch, [&](ptrdiff_t begin, ptrdiff_t end, Scratch&) {
      for (ptrdiff_t o = begin; o < end; ++o) y[o] = reduce_row<Op>(x + o * reduce, reduce) * scale;
    });
  }
  if (outer == 1) {
    return parallel(inner, kMany, work, scratch, [&](ptrdiff_t begin, ptrdiff_t end, Scratch&) {
      reduce_range<Op>(x, y, reduce, inner, scale, begin, end);
    });
  }
  over_rows(outer, inner, reduce * kPlain, scratch, [&](ptrdiff_t begin, ptrdiff_t end) {
    for (ptrdiff_t o = begin; o < end; ++o)
      reduce_range<Op>(x + o * reduce * inner, y + o * inner, reduce, inner, scale, 0, inner);
  });
}

/// dx where x is the maximum: each of the equal ones gets its share. 0 / 0 where the maximum is NaN.
void share_row(const float* x, float y, float dy, float* dx, ptrdiff_t n) {
  const vf maximum = splat(y);
  const auto is_maximum = [=](ptrdiff_t i) { return select(load(x + i) == maximum, splat(1), splat(0)); };
  vf count{};
  for (ptrdiff_t i = 0; i < n; i += 4) count += first_lanes(is_maximum(i), n - i, 0);
  const vf share = splat(dy), total = splat(sum_lanes(count));
  each_four(n, [=](ptrdiff_t i) { store(dx + i, is_maximum(i) * share / total); });
}

/// The same for four columns, rows `row` floats apart; `valid` columns are written.
void share_columns(const float* x, vf y, vf dy, float* dx, ptrdiff_t n, ptrdiff_t row, ptrdiff_t valid) {
  const auto is_maximum = [=](ptrdiff_t r) { return select(load(x + r * row) == y, splat(1), splat(0)); };
  vf count{};
  for (ptrdiff_t r = 0; r < n; ++r) count += is_maximum(r);
  for (ptrdiff_t r = 0; r < n; ++r) {
    const vf d = is_maximum(r) * dy / count;
    float* const to = dx + r * row;
    if (valid == 4)
      store(to, d);
    else
      for (ptrdiff_t lane = 0; lane < valid; ++lane) to[lane] = d[lane];
  }
}

}  // namespace

namespace kernels {

void sum(const params::sum& p, const Args& args) {
  reduce_all<Add>(args.in(0, args.count({p.outer, p.reduce, p.inner})), args.out(0, args.count({p.outer, p.inner})),
                  p.outer, p.reduce, p.inner, p.scale, args.scratch());
}

void max(const params::max& p, const Args& args) {
  reduce_all<Max>(args.in(0, args.count({p.outer, p.reduce, p.inner})), args.out(0, args.count({p.outer, p.inner})),
                  p.outer, p.reduce, p.inner, 1, args.scratch());
}

void max_backward(const params::max_backward& p, const Args& args) {
  const int64_t n = args.count({p.outer, p.reduce, p.inner}), results = args.count({p.outer, p.inner});
  const float *x = args.in(0, n), *y = args.in(1, results), *dy = args.in(2, results);
  float* dx = args.out(0, n);
  const ptrdiff_t inner = p.inner, block = p.reduce * inner;
  for (int o = 0; o < p.outer; ++o, x += block, dx += block, y += inner, dy += inner) {
    if (inner == 1) {
      share_row(x, *y, *dy, dx, p.reduce);
      continue;
    }
    for (ptrdiff_t i = 0; i < inner; i += 4) {
      share_columns(x + i, load(y + i), load(dy + i), dx + i, p.reduce, inner, std::min<ptrdiff_t>(4, inner - i));
    }
  }
}

}  // namespace kernels
}  // namespace sg::cpu

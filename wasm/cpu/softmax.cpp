// Softmax in two kernels: the maximum and the sum of exponentials along an axis, then every element. Rows of contiguous
// elements are reduced in sixteen partial results, else four columns at a time.
#include "cpu/ranges.h"
#include "cpu/rows.h"

namespace sg::cpu {
namespace {

constexpr float kInfinity = __builtin_inff();

/// What is subtracted before exp: the maximum, but 0 where there are only -inf.
vf centre(vf maximum) { return select(maximum == splat(-kInfinity), splat(0), maximum); }

vf logarithm_of(vf maximum, vf sum) { return select(abs(maximum) == splat(kInfinity), maximum, maximum + log(sum)); }

/// The sum of f(r) over n rows: four columns, in two partial sums.
template <class F>
vf sum_columns(ptrdiff_t n, F f) {
  vf even{}, odd{};
  ptrdiff_t r = 0;
  for (; r + 2 <= n; r += 2) even += f(r), odd += f(r + 1);
  if (r < n) even += f(r);
  return even + odd;
}

struct Sizes {
  ptrdiff_t outer, reduce, inner;
  int64_t elements, results;

  template <class P>
  Sizes(const P& p, const Args& args)
      : outer(p.outer),
        reduce(p.reduce),
        inner(p.inner),
        elements(args.count({p.outer, p.reduce, p.inner})),
        results(args.count({p.outer, p.inner})) {}
};

/// Writes y[i] = f(i, a statistic's reader) front to back; a reader of statistics s gives s's four for the elements.
template <class F>
void each_element(const Sizes& s, Scratch& scratch, F f) {
  if (s.inner == 1) {
    return over_rows(s.outer, s.reduce, kExponential, scratch, [&](ptrdiff_t begin, ptrdiff_t end) {
      for (ptrdiff_t o = begin; o < end; ++o) {
        const auto one = [o](const float* statistic) { return splat(statistic[o]); };
        each_four(s.reduce, [&](ptrdiff_t i) { f(o * s.reduce + i, one); });
      }
    });
  }
  over_rows(s.outer * s.reduce, s.inner, kExponential, scratch, [&](ptrdiff_t begin, ptrdiff_t end) {
    for (ptrdiff_t row = begin; row < end; ++row) {
      const ptrdiff_t of = row / s.reduce * s.inner;
      for (ptrdiff_t i = 0; i < s.inner; i += 4)
        f(row * s.inner + i, [=](const float* statistic) { return load(statistic + of + i); });
    }
  });
}

/// f(o, i) for the results [outer, inner]: each where inner is 1, else four of them from i on.
template <class F>
void each_result(const Sizes& s, int64_t cost, Scratch& scratch, F f) {
  const auto of_rows = [&](ptrdiff_t begin, ptrdiff_t end) {
    for (ptrdiff_t o = begin; o < end; ++o)
      for (ptrdiff_t i = 0; i < s.inner; i += 4) f(o, i);
  };
  if (s.inner > 1) return over_rows(s.outer, s.inner, s.reduce * cost, scratch, of_rows);
  parallel(s.outer, 1, s.elements * cost, scratch,
           [&](ptrdiff_t begin, ptrdiff_t end, Scratch&) { of_rows(begin, end); });
}

}  // namespace

namespace kernels {

void softmax_statistics(const params::softmax_statistics& p, const Args& args) {
  const Sizes s(p, args);
  const float* const x = args.in(0, s.elements);
  float *const maximum = args.out(0, s.results), *const sum = args.out(1, s.results);
  float* const logarithm = args.out(2, s.results);
  each_result(s, kExponential, args.scratch(), [=, &s](ptrdiff_t o, ptrdiff_t i) {
    const ptrdiff_t at = o * s.inner + i;
    const float* const column = x + o * s.reduce * s.inner + i;
    if (s.inner == 1) {
      maximum[at] = max_row(column, s.reduce);
      const vf middle = centre(splat(maximum[at]));
      sum[at] = sum_row(s.reduce, [=](ptrdiff_t r) { return exp(load(column + r) - middle); });
      logarithm[at] = logarithm_of(splat(maximum[at]), splat(sum[at]))[0];
      return;
    }
    vf best = splat(-kInfinity);
    for (ptrdiff_t r = 0; r < s.reduce; ++r) best = cpu::max(best, load(column + r * s.inner));
    const vf middle = centre(best);
    const vf total = sum_columns(s.reduce, [&](ptrdiff_t r) { return exp(load(column + r * s.inner) - middle); });
    store(maximum + at, best);
    store(sum + at, total);
    store(logarithm + at, logarithm_of(best, total));
  });
}

void softmax(const params::softmax& p, const Args& args) {
  const Sizes s(p, args);
  const float *const x = args.in(0, s.elements), *const maximum = args.in(1, s.results),
                     *const sum = args.in(2, s.results);
  float* const y = args.out(0, s.elements);
  if (p.logarithmic) {
    each_element(s, args.scratch(),
                 [=](ptrdiff_t i, auto of) { store(y + i, load(x + i) - of(maximum) - log(of(sum))); });
  } else {
    each_element(s, args.scratch(),
                 [=](ptrdiff_t i, auto of) { store(y + i, exp(load(x + i) - of(maximum)) / of(sum)); });
  }
}

void softmax_backward(const params::softmax_backward& p, const Args& args) {
  const Sizes s(p, args);
  const float *const y = args.in(0, s.elements), *const dy = args.in(1, s.elements),
                     *const along = args.in(2, s.results);
  float* const dx = args.out(0, s.elements);
  if (p.logarithmic) {
    each_element(s, args.scratch(),
                 [=](ptrdiff_t i, auto of) { store(dx + i, load(dy + i) - exp(load(y + i)) * of(along)); });
  } else {
    each_element(s, args.scratch(),
                 [=](ptrdiff_t i, auto of) { store(dx + i, load(y + i) * (load(dy + i) - of(along))); });
  }
}

void dot(const params::dot& p, const Args& args) {
  const Sizes s(p, args);
  const float *const a = args.in(0, s.elements), *const b = args.in(1, s.elements);
  float* const y = args.out(0, s.results);
  each_result(s, kPlain, args.scratch(), [=, &s](ptrdiff_t o, ptrdiff_t i) {
    const ptrdiff_t first = o * s.reduce * s.inner + i, inner = s.inner;
    const auto product = [=](ptrdiff_t r) { return load(a + first + r * inner) * load(b + first + r * inner); };
    if (inner == 1)
      y[o] = sum_row(s.reduce, product);
    else
      store(y + o * inner + i, sum_columns(s.reduce, product));
  });
}

}  // namespace kernels
}  // namespace sg::cpu

// Softmax in two kernels: the maximum and the sum of exponentials along an axis, then every element. Rows of contiguous
// elements are reduced in sixteen partial results, else four columns at a time.
#include "cpu/kernel.h"
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
void each_element(const Sizes& s, F f) {
  const ptrdiff_t block = s.reduce * s.inner;
  for (ptrdiff_t o = 0; o < s.outer; ++o) {
    if (s.inner == 1) {
      const auto one = [o](const float* statistic) { return splat(statistic[o]); };
      each_four(block, [&](ptrdiff_t i) { f(o * block + i, one); });
      continue;
    }
    for (ptrdiff_t r = 0; r < s.reduce; ++r) {
      for (ptrdiff_t i = 0; i < s.inner; i += 4) {
        f(o * block + r * s.inner + i, [&](const float* statistic) { return load(statistic + o * s.inner + i); });
      }
    }
  }
}

}  // namespace

namespace kernels {

void softmax_statistics(const params::softmax_statistics& p, const Args& args) {
  const Sizes s(p, args);
  const float* x = args.in(0, s.elements);
  float *maximum = args.out(0, s.results), *sum = args.out(1, s.results), *logarithm = args.out(2, s.results);
  for (ptrdiff_t o = 0; o < s.outer; ++o, x += s.reduce * s.inner) {
    for (ptrdiff_t i = 0; i < s.inner; i += 4) {
      const ptrdiff_t at = o * s.inner + i;
      if (s.inner == 1) {
        maximum[at] = max_row(x, s.reduce);
        const vf middle = centre(splat(maximum[at]));
        sum[at] = sum_row(s.reduce, [=](ptrdiff_t r) { return exp(load(x + r) - middle); });
        logarithm[at] = logarithm_of(splat(maximum[at]), splat(sum[at]))[0];
        continue;
      }
      const float* const column = x + i;
      vf best = splat(-kInfinity);
      for (ptrdiff_t r = 0; r < s.reduce; ++r) best = cpu::max(best, load(column + r * s.inner));
      const vf middle = centre(best);
      const vf total = sum_columns(s.reduce, [&](ptrdiff_t r) { return exp(load(column + r * s.inner) - middle); });
      store(maximum + at, best);
      store(sum + at, total);
      store(logarithm + at, logarithm_of(best, total));
    }
  }
}

void softmax(const params::softmax& p, const Args& args) {
  const Sizes s(p, args);
  const float *const x = args.in(0, s.elements), *const maximum = args.in(1, s.results),
                     *const sum = args.in(2, s.results);
  float* const y = args.out(0, s.elements);
  if (p.logarithmic) {
    each_element(s, [=](ptrdiff_t i, auto of) { store(y + i, load(x + i) - of(maximum) - log(of(sum))); });
  } else {
    each_element(s, [=](ptrdiff_t i, auto of) { store(y + i, exp(load(x + i) - of(maximum)) / of(sum)); });
  }
}

void softmax_backward(const params::softmax_backward& p, const Args& args) {
  const Sizes s(p, args);
  const float *const y = args.in(0, s.elements), *const dy = args.in(1, s.elements),
                     *const along = args.in(2, s.results);
  float* const dx = args.out(0, s.elements);
  if (p.logarithmic) {
    each_element(s, [=](ptrdiff_t i, auto of) { store(dx + i, load(dy + i) - exp(load(y + i)) * of(along)); });
  } else {
    each_element(s, [=](ptrdiff_t i, auto of) { store(dx + i, load(y + i) * (load(dy + i) - of(along))); });
  }
}

void dot(const params::dot& p, const Args& args) {
  const Sizes s(p, args);
  const float *a = args.in(0, s.elements), *b = args.in(1, s.elements);
  float* y = args.out(0, s.results);
  const ptrdiff_t inner = s.inner, block = s.reduce * inner;
  for (ptrdiff_t o = 0; o < s.outer; ++o, a += block, b += block, y += inner) {
    if (inner == 1) {
      *y = sum_row(s.reduce, [=](ptrdiff_t r) { return load(a + r) * load(b + r); });
      continue;
    }
    for (ptrdiff_t i = 0; i < inner; i += 4) {
      store(y + i,
            sum_columns(s.reduce, [=](ptrdiff_t r) { return load(a + r * inner + i) * load(b + r * inner + i); }));
    }
  }
}

}  // namespace kernels
}  // namespace sg::cpu

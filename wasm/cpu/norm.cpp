// Normalisation of groups of x[repeat, groups, extent]. The elements are walked in runs along which the statistics and
// the weights are each either one number or side by side: a row of a layer norm, a channel's row of a batch norm, all
// channels where each has one element.
#include <algorithm>

#include "cpu/ranges.h"

namespace sg::cpu {
namespace {

/// Readers of a number for each element of a run.
struct One {
  vf value;
  vf operator()(ptrdiff_t) const { return value; }
};
struct Each {
  const float* data;
  vf operator()(ptrdiff_t i) const { return load(data + i); }
};

vf inverse_deviation(vf variance, float eps) { return 1.0f / sqrt(variance + eps); }

/// The sum of f(i) over vectors of a run of n is added to s.
template <class F>
void add_run(vf (&s)[4], ptrdiff_t n, F f) {
  ptrdiff_t i = 0;
  for (; i + 16 <= n; i += 16) s[0] += f(i), s[1] += f(i + 4), s[2] += f(i + 8), s[3] += f(i + 12);
  for (; i < n; i += 4) s[0] += head(f(i), n - i);
}
float total(const vf (&s)[4]) { return sum_lanes((s[0] + s[1]) + (s[2] + s[3])); }

/// The walk over all elements of norm and norm_backward.
struct Runs {
  ptrdiff_t groups, extent, channels, span, elements, run;

  template <class P>
  Runs(const P& p, const Args& args)
      : groups(p.groups),
        extent(p.extent),
        channels(p.channels),
        span(p.span),
        elements(static_cast<ptrdiff_t>(args.count({p.repeat, p.groups, p.extent}))) {
    if (p.groups < 1 || p.extent < 1 || p.channels < 1 || p.span < 1) args.fail("a size is below 1");
    run = span > 1 ? span : extent > 1 ? std::min(channels, extent) : channels;
    const bool fits = extent > 1 ? extent % run == 0 && (span > 1 || channels % run == 0) : groups % run == 0;
    if (!fits) args.fail("the channels do not fit the groups");
  }

  /// f(first element, its statistics' index, its weight's index) for each run.
  template <class F>
  void each(Scratch& scratch, F f) const {
    over_rows(elements / run, run, 2 * kPlain, scratch, [&](ptrdiff_t begin, ptrdiff_t end) {
      for (ptrdiff_t i = begin * run; i < end * run; i += run) f(i, i / extent % groups, i / span % channels);
    });
  }
  /// Calls f with a reader of the statistics of the kind that the layout has, made from theirs or from one of them.
  template <class F>
  void with(const float* values, ptrdiff_t at, F f) const {
    if (extent == 1)
      f(Each{values + at});
    else
      f(One{splat(values[at])});
  }
  /// The same for the weights; `otherwise` where there are none.
  template <class F>
  void with_weights(const float* values, ptrdiff_t at, float otherwise, F f) const {
    if (values && span == 1)
      f(Each{values + at});
    else
      f(One{splat(values ? values[at] : otherwise)});
  }
};

/// mean and variance of one group of rows of x.
void group_moments(const float* x, ptrdiff_t repeat, ptrdiff_t row, ptrdiff_t extent, bool centred, float& mean,
                   float& variance) {
  const float count = static_cast<float>(repeat * extent);
  float middle = 0;
  if (centred) {
    vf sums[4] = {};
    for (ptrdiff_t r = 0; r < repeat; ++r)
      add_run(sums, extent, [from = x + r * row](ptrdiff_t i) { return load(from + i); });
    middle = total(sums) / count;
  }
  vf distances[4] = {}, squares[4] = {};
  for (ptrdiff_t r = 0; r < repeat; ++r) {
    const auto distance = [from = x + r * row, m = splat(middle)](ptrdiff_t i) { return load(from + i) - m; };
    add_run(distances, extent, distance);
    add_run(squares, extent, [=](ptrdiff_t i) { return distance(i) * distance(i); });
  }
  const float off = centred ? total(distances) / count : 0;
  mean = middle + off;
  variance = total(squares) / count - off * off;
}

/// The same for four groups of one element a row.
void column_moments(const float* x, ptrdiff_t repeat, ptrdiff_t row, bool centred, float* mean, float* variance) {
  const float count = static_cast<float>(repeat);
  vf middle{}, off{}, squares{};
  if (centred) {
    for (ptrdiff_t r = 0; r < repeat; ++r) middle += load(x + r * row);
    middle = middle / count;
  }
  for (ptrdiff_t r = 0; r < repeat; ++r) {
    const vf d = load(x + r * row) - middle;
    if (centred) off += d;
    squares += d * d;
  }
  off = off / count;
  store(mean, middle + off);
  store(variance, squares / count - off * off);
}

/// The inputs of norm_sums, with a number for each element of a vector where nothing better is known.
struct Summed {
  const params::norm_sums& p;
  const float *x, *dy, *mean, *variance, *weight;

  static vf spread(const float* values, ptrdiff_t i, ptrdiff_t span, ptrdiff_t count) {
    vf v;
    for (ptrdiff_t l = 0; l < 4; ++l) v[l] = values[(i + l) / span % count];
    return v;
  }

  /// Rows of more than one element: runs of one weight, or of weights side by side, under one statistic.
  void row(ptrdiff_t base, vf (&plain)[4], vf (&along)[4]) const {
    const ptrdiff_t run = p.span > 1 ? std::min(p.span, p.extent) : p.extent;
    for (ptrdiff_t i = base; i < base + p.extent; i += run) {
      const ptrdiff_t group = i / p.stat_extent % p.stat_groups;
      const vf middle = splat(mean[group]), inverse = inverse_deviation(splat(variance[group]), p.eps);
      const auto add = [&](auto w) {
        const auto g = [&](ptrdiff_t j) { return load(dy + i + j) * w(j); };
        add_run(plain, run, g);
        add_run(along, run, [&](ptrdiff_t j) { return g(j) * (load(x + i + j) - middle) * inverse; });
      };
      const float* const w = weight ? weight + i / p.span % p.channels : nullptr;
      if (w && p.span == 1)
        add(Each{w});
      else
        add(One{splat(w ? *w : 1)});
    }
  }

  /// Four groups of one element a row. Rows under one statistic each have its mean and 1 / deviation in `rows`.
  void columns(ptrdiff_t g, const float* rows, float* plain_to, float* along_to) const {
    vf plain{}, along{};
    for (ptrdiff_t r = 0; r < p.repeat; ++r) {
      const ptrdiff_t i = r * p.groups + g;
      vf gradient = load(dy + i), normalised;
      if (rows) {
        normalised = (load(x + i) - rows[2 * r]) * rows[2 * r + 1];
      } else {
        normalised = (load(x + i) - spread(mean, i, p.stat_extent, p.stat_groups)) *
                     inverse_deviation(spread(variance, i, p.stat_extent, p.stat_groups), p.eps);
      }
      if (weight) gradient *= spread(weight, i, p.span, p.channels);
      plain += gradient;
      along += gradient * normalised;
    }
    store(plain_to, plain);
    store(along_to, along);
  }
};

/// f(g) for each group, or for each four of them where they have one element a row.
template <class P, class F>
void each_group(const P& p, Scratch& scratch, F f) {
  const ptrdiff_t step = p.extent == 1 ? 4 : 1;
  parallel(p.groups, step, int64_t{p.repeat} * p.groups * p.extent * 2 * kPlain, scratch,
           [&](ptrdiff_t begin, ptrdiff_t end, Scratch&) {
             for (ptrdiff_t g = begin; g < end; g += step) f(g);
           });
}

}  // namespace

namespace kernels {

void norm_statistics(const params::norm_statistics& p, const Args& args) {
  const float* const x = args.in(0, args.count({p.repeat, p.groups, p.extent}));
  float *const mean = args.out(0, p.groups), *const variance = args.out(1, p.groups);
  const bool centred = p.centred != 0;
  const ptrdiff_t extent = p.extent;
  each_group(p, args.scratch(), [=, &p](ptrdiff_t g) {
    if (extent == 1)
      column_moments(x + g, p.repeat, p.groups, centred, mean + g, variance + g);
    else
      group_moments(x + g * extent, p.repeat, p.groups * extent, extent, centred, mean[g], variance[g]);
  });
}

void norm(const params::norm& p, const Args& args) {
  const Runs runs(p, args);
  const float *const x = args.in(0, runs.elements), *const mean = args.in(1, p.groups),
                     *const variance = args.in(2, p.groups);
  const float* const weight = p.weighted ? args.in(3, p.channels) : nullptr;
  const float* const bias = p.biased ? args.in(4, p.channels) : nullptr;
  float* const y = args.out(0, runs.elements);
  runs.each(args.scratch(), [&](ptrdiff_t i, ptrdiff_t group, ptrdiff_t channel) {
    runs.with(mean, group, [&](auto m) {
      runs.with(variance, group, [&](auto v) {
        runs.with_weights(weight, channel, 1, [&](auto w) {
          runs.with_weights(bias, channel, 0, [&](auto b) {
            const vf one = inverse_deviation(v(0), p.eps);
            for (ptrdiff_t j = 0; j < runs.run; j += 4) {
              const vf inverse = runs.extent == 1 ? inverse_deviation(v(j), p.eps) : one;
              store(y + i + j, (load(x + i + j) - m(j)) * inverse * w(j) + b(j));
            }
          });
        });
      });
    });
  });
}

void norm_sums(const params::norm_sums& p, const Args& args) {
  const int64_t n = args.count({p.repeat, p.groups, p.extent});
  if (p.groups < 1 || p.extent < 1 || p.stat_groups < 1 || p.stat_extent < 1 || p.channels < 1 || p.span < 1)
    args.fail("a size is below 1");
  const Summed s{p,
                 args.in(0, n),
                 args.in(1, n),
                 args.in(2, p.stat_groups),
                 args.in(3, p.stat_groups),
                 p.weighted ? args.in(4, p.channels) : nullptr};
  float *const plain = args.out(0, p.groups), *const along = args.out(1, p.groups);
  if (p.extent > 1) {
    const int run = p.span > 1 ? std::min(p.span, p.extent) : p.extent;
    const bool fits = p.extent % run == 0 && p.stat_extent % run == 0 && (p.span > 1 || p.channels % run == 0);
    if (!fits) args.fail("the channels do not fit the groups");
    return each_group(p, args.scratch(), [&](ptrdiff_t g) {
      vf plain_sums[4] = {}, along_sums[4] = {};
      for (ptrdiff_t r = 0; r < p.repeat; ++r) s.row((r * p.groups + g) * p.extent, plain_sums, along_sums);
      plain[g] = total(plain_sums), along[g] = total(along_sums);
    });
  }
  float* rows = nullptr;
  if (p.stat_extent == p.groups) {
    rows = args.scratch().take(2 * int64_t{p.repeat});
    for (ptrdiff_t r = 0; r < p.repeat; ++r) {
      rows[2 * r] = s.mean[r % p.stat_groups];
      rows[2 * r + 1] = inverse_deviation(splat(s.variance[r % p.stat_groups]), p.eps)[0];
    }
  }
  each_group(p, args.scratch(), [&](ptrdiff_t g) { s.columns(g, rows, plain + g, along + g); });
}

void norm_backward(const params::norm_backward& p, const Args& args) {
  const Runs runs(p, args);
  const float *const x = args.in(0, runs.elements), *const dy = args.in(1, runs.elements);
  const float *const mean = args.in(2, p.groups), *const variance = args.in(3, p.groups);
  const float* const weight = p.weighted ? args.in(4, p.channels) : nullptr;
  const float *const plain = p.centred ? args.in(5, p.groups) : nullptr, *const along = args.in(6, p.groups);
  float* const dx = args.out(0, runs.elements);
  const float share = 1.0f / static_cast<float>(p.repeat * p.extent), eps = p.eps;
  const auto each = [&](ptrdiff_t i, auto m, auto v, auto w, auto sum, auto product) {
    for (ptrdiff_t j = 0; j < runs.run; j += 4) {
      const vf inverse = inverse_deviation(v(j), eps), normalised = (load(x + i + j) - m(j)) * inverse;
      const vf gradient = load(dy + i + j) * w(j);
      store(dx + i + j, (gradient - (sum(j) + normalised * product(j)) * share) * inverse);
    }
  };
  runs.each(args.scratch(), [&](ptrdiff_t i, ptrdiff_t group, ptrdiff_t channel) {
    runs.with_weights(weight, channel, 1, [&](auto w) {
      if (runs.extent == 1) {
        const auto at = [group](const float* values) { return Each{values + group}; };
        if (plain)
          each(i, at(mean), at(variance), w, at(plain), at(along));
        else
          each(i, at(mean), at(variance), w, One{}, at(along));
      } else {
        const auto at = [group](const float* values) { return One{splat(values[group])}; };
        each(i, at(mean), at(variance), w, plain ? at(plain) : One{}, at(along));
      }
    });
  });
}

}  // namespace kernels
}  // namespace sg::cpu

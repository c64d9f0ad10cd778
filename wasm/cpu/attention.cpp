// Attention in blocks of 64 queries by 64 keys, a head after the other: only one block of scores exists at a time, and
// every kernel makes it anew. Keys that are padding are left out before anything else, so that the keys which a query
// sees are always the first `limit` ones; where a block is cut by that limit, a row is multiplied by its own keys
// alone, and what lies behind them has no influence, NaN or not.
#include <algorithm>

#include "cpu/gemm.h"
#include "cpu/rows.h"

namespace sg::cpu {
namespace {

constexpr ptrdiff_t kBlock = 64;

/// A block of scores and what is made from it: [kBlock, kBlock], its rows kBlock apart.
struct Block {
  ptrdiff_t query, rows, key, columns;
};

/// Rows of a head: row i is data[i * stride ..].
template <class Float>
struct Rows {
  Float* data;
  ptrdiff_t stride;
  Float* at(ptrdiff_t i) const { return data + i * stride; }
};
using Given = Rows<const float>;
using Made = Rows<float>;

/// A query's number, one a head.
struct Numbers {
  const float* data;
  ptrdiff_t heads;
  float operator[](ptrdiff_t query) const { return data[query * heads]; }
};

class Heads {
 public:
  template <class P>
  Heads(const P& p, const Args& args, size_t padding)
      : args_(args),
        batch_(p.batch),
        heads_(p.heads),
        share_(p.share),
        queries_(p.queries),
        keys_(p.keys),
        width_(p.width),
        q_row_(p.q_row),
        kv_row_(p.kv_row),
        q_at_(p.q_at),
        k_at_(p.k_at),
        v_at_(p.v_at),
        causal_(p.causal != 0),
        scale_(p.scale) {
    const int64_t row = args.count({p.heads, p.width});
    if (p.share < 1 || p.q_at < 0 || p.k_at < 0 || p.v_at < 0 || p.q_at > p.q_row - row || p.k_at > p.kv_row - row ||
        p.v_at > p.kv_row - row)
      args.fail("the heads do not lie within the rows");
    q_floats_ = args.count({p.batch, p.queries, p.q_row});
    kv_floats_ = args.count({p.batch, p.keys, p.kv_row});
    y_floats_ = args.count({p.batch, p.queries, p.heads, p.width});
    longest_ = args.count({p.batch, std::max(p.queries, p.keys), p.heads, p.width});
    statistics_ = args.count({p.batch, p.queries, p.heads});
    kept_before_.resize(static_cast<size_t>(p.keys) + 1);
    if (!p.padded) return;
    padding_ = args.in(padding, args.count({(p.batch + p.share - 1) / p.share, p.keys}));
    k_copy_ = take_keys();
    v_copy_ = take_keys();
  }

  int64_t q_floats() const { return q_floats_; }
  int64_t kv_floats() const { return kv_floats_; }
  int64_t y_floats() const { return y_floats_; }
  /// The floats of a gradient.
  int64_t longest() const { return longest_; }
  int64_t statistics() const { return statistics_; }
  ptrdiff_t queries() const { return queries_; }
  float scale() const { return scale_; }
  bool padded() const { return padding_ != nullptr; }
  float* take_keys() const { return args_.scratch().take(int64_t{keys_} * width_); }
  float* take_block() const { return args_.scratch().take(kBlock * kBlock); }

  /// f() for each head; the functions below then speak of it.
  template <class F>
  void each(F f) {
    for (sample_ = 0; sample_ < batch_; ++sample_) {
      count_kept();
      for (head_ = 0; head_ < heads_; ++head_) f();
    }
  }
  Given q_of(const float* q) const { return {q + sample_ * queries_ * q_row_ + q_at_ + head_ * width_, q_row_}; }
  /// The keys and values that are no padding.
  Given k_of(const float* k) const { return kept(k + k_at_, k_copy_); }
  Given v_of(const float* v) const { return kept(v + v_at_, v_copy_); }
  template <class Float>
  Rows<Float> y_of(Float* y) const {
    return {y + (sample_ * queries_ * heads_ + head_) * width_, heads_ * width_};
  }
  Made gradient_of(float* d) const {
    return {d + (sample_ * std::max(queries_, keys_) * heads_ + head_) * width_, heads_ * width_};
  }
  Numbers numbers_of(const float* statistic) const { return {statistic + sample_ * queries_ * heads_ + head_, heads_}; }

  /// How many of the keys that are left query t sees: the first ones.
  ptrdiff_t limit(ptrdiff_t t) const {
    const ptrdiff_t seen = causal_ ? std::clamp<ptrdiff_t>(t + keys_ - queries_ + 1, 0, keys_) : keys_;
    return kept_before_[static_cast<size_t>(seen)];
  }
  /// The keys of a block that its row r sees.
  ptrdiff_t seen(const Block& b, ptrdiff_t r) const {
    return std::clamp<ptrdiff_t>(limit(b.query + r) - b.key, 0, b.columns);
  }

  /// f(block) for all blocks that have a key which is seen.
  template <class F>
  void each_block(F f) const {
    for (ptrdiff_t query = 0; query < queries_; query += kBlock) {
      const ptrdiff_t rows = std::min(kBlock, queries_ - query), most = limit(query + rows - 1);
      for (ptrdiff_t key = 0; key < most; key += kBlock) f(Block{query, rows, key, std::min(kBlock, most - key)});
    }
  }

  /// to[rows, columns] = a[rows] · b[columns]ᵀ of queries and keys
  void products(const Block& b, Given queries, Given keys, float* to) const {
    multiply(b.rows, b.columns, width_, {queries.at(b.query), queries.stride, 1}, {keys.at(b.key), 1, keys.stride}, to,
             kBlock, false);
  }

  /// to[rows] += weights[rows, columns] · values[columns], each row with the keys that it sees alone.
  void add_to_queries(const Block& b, const float* weights, Given values, Made to) const {
    const View v{values.at(b.key), values.stride, 1};
    if (seen(b, 0) == b.columns)
      return multiply(b.rows, width_, b.columns, {weights, kBlock, 1}, v, to.at(b.query), to.stride, true);
    for (ptrdiff_t r = 0; r < b.rows; ++r) {
      if (const ptrdiff_t n = seen(b, r))
        multiply(1, width_, n, {weights + r * kBlock, kBlock, 1}, v, to.at(b.query + r), to.stride, true);
    }
  }

  /// to[columns] += weights[rows, columns]ᵀ · queries[rows], each key with the queries that see it alone: a weight of 0
  /// leaves out the others, unless they are not finite.
  void add_to_keys(const Block& b, const float* weights, Given queries, Made to) const {
    if (seen(b, 0) == b.columns || are_finite(b, queries))
      return multiply(b.columns, width_, b.rows, {weights, 1, kBlock}, {queries.at(b.query), queries.stride, 1},
                      to.at(b.key), to.stride, true);
    for (ptrdiff_t s = 0, first = 0; s < b.columns; ++s) {
      while (first < b.rows && seen(b, first) <= s) ++first;
      if (const ptrdiff_t n = b.rows - first)
        multiply(1, width_, n, {weights + first * kBlock + s, 1, kBlock},
                 {queries.at(b.query + first), queries.stride, 1}, to.at(b.key + s), to.stride, true);
    }
  }

  /// to[keys] = the rows of the keys that were left, 0 for padding.
  void put_back(const float* kept, Made to) const {
    for (ptrdiff_t s = 0; s < keys_; ++s) {
      if (is_kept(s))
        std::copy_n(kept + kept_before_[static_cast<size_t>(s)] * width_, width_, to.at(s));
      else
        std::fill_n(to.at(s), width_, 0.0f);
    }
  }

 private:
  bool is_kept(ptrdiff_t s) const {
    return kept_before_[static_cast<size_t>(s) + 1] > kept_before_[static_cast<size_t>(s)];
  }

  bool are_finite(const Block& b, Given queries) const {
    for (ptrdiff_t r = 0; r < b.rows; ++r) {
      const float* const x = queries.at(b.query + r);
      if (sum_row(width_, [=](ptrdiff_t j) { return load(x + j) * 0; }) != 0) return false;
    }
    return true;
  }

  void count_kept() {
    for (ptrdiff_t s = 0; s < keys_; ++s) {
      const bool hidden = padding_ && padding_[sample_ / share_ * keys_ + s] != 0;
      kept_before_[static_cast<size_t>(s) + 1] = kept_before_[static_cast<size_t>(s)] + !hidden;
    }
  }

  Given kept(const float* all, float* copy) const {
    const Given rows{all + sample_ * keys_ * kv_row_ + head_ * width_, kv_row_};
    if (!copy) return rows;
    for (ptrdiff_t s = 0; s < keys_; ++s) {
      if (is_kept(s)) std::copy_n(rows.at(s), width_, copy + kept_before_[static_cast<size_t>(s)] * width_);
    }
    return {copy, width_};
  }

  /// gemm, whose own memory is given back.
  void multiply(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, View a, View b, float* c, ptrdiff_t c_row,
                bool accumulate) const {
    Scratch& scratch = args_.scratch();
    const size_t taken = scratch.taken();
    gemm(m, n, k, a, b, c, c_row, accumulate, scratch);
    scratch.return_to(taken);
  }

  const Args& args_;
  ptrdiff_t batch_, heads_, share_, queries_, keys_, width_, q_row_, kv_row_, q_at_, k_at_, v_at_;
  bool causal_;
  float scale_;
  int64_t q_floats_, kv_floats_, y_floats_, longest_, statistics_;
  const float* padding_ = nullptr;
  float *k_copy_ = nullptr, *v_copy_ = nullptr;
  std::vector<ptrdiff_t> kept_before_;  // of keys: those before key s that are no padding
  ptrdiff_t sample_ = 0, head_ = 0;
};

/// Scores become p = exp(scale score - maximum) / sum, 0 where a key is not seen.
void to_probabilities(const Heads& h, const Block& b, Numbers maximum, Numbers sum, float* scores) {
  const float scale = h.scale();
  for (ptrdiff_t r = 0; r < b.rows; ++r, scores += kBlock) {
    const ptrdiff_t n = h.seen(b, r);
    const vf peak = splat(maximum[b.query + r]), inverse = splat(1.0f / sum[b.query + r]);
    for (ptrdiff_t j = 0; j < n; j += 4) store(scores + j, head(exp(load(scores + j) * scale - peak) * inverse, n - j));
    for (ptrdiff_t j = (n + 3) / 4 * 4; j < b.columns; ++j) scores[j] = 0;
  }
}

/// dp[rows, columns] becomes ds = scale p (dp - along), 0 where a key is not seen.
void to_score_gradients(const Heads& h, const Block& b, const float* p, Numbers along, float* dp) {
  const float scale = h.scale();
  for (ptrdiff_t r = 0; r < b.rows; ++r, dp += kBlock, p += kBlock) {
    const ptrdiff_t n = h.seen(b, r);
    const vf sum = splat(along[b.query + r]);
    for (ptrdiff_t j = 0; j < n; j += 4) store(dp + j, head(load(p + j) * (load(dp + j) - sum) * scale, n - j));
    for (ptrdiff_t j = (n + 3) / 4 * 4; j < b.columns; ++j) dp[j] = 0;
  }
}

/// The running maximum and sum of a query over one more row of n scores.
void add_scores(const float* scores, ptrdiff_t n, float scale, float& maximum, float& sum) {
  const float next = max(maximum, max_row(scores, n) * scale);
  const vf middle = splat(next == -__builtin_inff() ? 0 : next);
  const float more = sum_row(n, [=](ptrdiff_t j) { return exp(load(scores + j) * scale - middle); });
  sum = sum * exp(splat(maximum) - middle)[0] + more;
  maximum = next;
}

}  // namespace

namespace kernels {

void attention_statistics(const params::attention_statistics& p, const Args& args) {
  Heads h(p, args, 2);
  const float *const q = args.in(0, h.q_floats()), *const k = args.in(1, h.kv_floats());
  float *const maximum = args.out(0, h.statistics()), *const sum = args.out(1, h.statistics());
  float* const scores = h.take_block();
  std::fill_n(maximum, h.statistics(), -__builtin_inff());
  std::fill_n(sum, h.statistics(), 0.0f);
  h.each([&] {
    const Given queries = h.q_of(q), keys = h.k_of(k);
    const ptrdiff_t first = h.numbers_of(maximum).data - maximum;
    h.each_block([&](const Block& b) {
      h.products(b, queries, keys, scores);
      for (ptrdiff_t r = 0; r < b.rows; ++r) {
        const ptrdiff_t at = first + (b.query + r) * p.heads;
        if (const ptrdiff_t n = h.seen(b, r)) add_scores(scores + r * kBlock, n, h.scale(), maximum[at], sum[at]);
      }
    });
  });
}

void attention(const params::attention& p, const Args& args) {
  Heads h(p, args, 3);
  const float *const q = args.in(0, h.q_floats()), *const k = args.in(1, h.kv_floats()),
                     *const v = args.in(2, h.kv_floats());
  const float *const maximum = args.in(4, h.statistics()), *const sum = args.in(5, h.statistics());
  float* const y = args.out(0, h.y_floats());
  float* const scores = h.take_block();
  std::fill_n(y, h.y_floats(), 0.0f);
  h.each([&] {
    const Given queries = h.q_of(q), keys = h.k_of(k), values = h.v_of(v);
    const Made to = h.y_of(y);
    h.each_block([&](const Block& b) {
      h.products(b, queries, keys, scores);
      to_probabilities(h, b, h.numbers_of(maximum), h.numbers_of(sum), scores);
      h.add_to_queries(b, scores, values, to);
    });
  });
}

void attention_backward(const params::attention_backward& p, const Args& args) {
  Heads h(p, args, 4);
  const float *const q = args.in(0, h.q_floats()), *const k = args.in(1, h.kv_floats()),
                     *const v = args.in(2, h.kv_floats()), *const dy = args.in(3, h.y_floats());
  const float *const maximum = args.in(5, h.statistics()), *const sum = args.in(6, h.statistics()),
                     *const along = args.in(7, h.statistics());
  float *const dq = args.out(0, h.longest()), *const dk = args.out(1, h.longest()),
               *const dv = args.out(2, h.longest());
  for (float* const gradient : {dq, dk, dv}) std::fill_n(gradient, h.longest(), 0.0f);
  float *const scores = h.take_block(), *const products = h.take_block();
  const ptrdiff_t head_floats = ptrdiff_t{p.keys} * p.width;
  float *const dk_kept = h.padded() ? h.take_keys() : nullptr, *const dv_kept = h.padded() ? h.take_keys() : nullptr;
  h.each([&] {
    const Given queries = h.q_of(q), keys = h.k_of(k), values = h.v_of(v), gradient = h.y_of(dy);
    const Made to_q = h.gradient_of(dq), to_k = dk_kept ? Made{dk_kept, p.width} : h.gradient_of(dk),
               to_v = dv_kept ? Made{dv_kept, p.width} : h.gradient_of(dv);
    if (h.padded()) std::fill_n(dk_kept, head_floats, 0.0f), std::fill_n(dv_kept, head_floats, 0.0f);
    h.each_block([&](const Block& b) {
      h.products(b, queries, keys, scores);
      to_probabilities(h, b, h.numbers_of(maximum), h.numbers_of(sum), scores);
      h.add_to_keys(b, scores, gradient, to_v);
      h.products(b, gradient, values, products);
      to_score_gradients(h, b, scores, h.numbers_of(along), products);
      h.add_to_queries(b, products, keys, to_q);
      h.add_to_keys(b, products, queries, to_k);
    });
    if (h.padded()) h.put_back(dk_kept, h.gradient_of(dk)), h.put_back(dv_kept, h.gradient_of(dv));
  });
}

}  // namespace kernels
}  // namespace sg::cpu

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

class Heads {
 public:
  template <class P>
  Heads(const P& p, const Args& args, size_t padding)
      : args_(args),
        heads_(p.heads),
        queries_(p.queries),
        keys_(p.keys),
        width_(p.width),
        causal_(p.causal != 0),
        scale_(p.scale),
        query_floats_(args.count({p.batch, p.heads, p.queries, p.width})),
        key_floats_(args.count({p.batch, p.heads, p.keys, p.width})),
        statistics_(args.count({p.batch, p.heads, p.queries})),
        padding_(p.padded ? args.in(padding, args.count({p.batch, p.keys})) : nullptr),
        kept_before_(static_cast<size_t>(p.keys) + 1),
        k_copy_(padding_ ? args.scratch().take(key_block()) : nullptr),
        v_copy_(padding_ ? args.scratch().take(key_block()) : nullptr) {}

  int64_t query_floats() const { return query_floats_; }
  int64_t key_floats() const { return key_floats_; }
  int64_t statistics() const { return statistics_; }
  int64_t query_block() const { return int64_t{queries_} * width_; }
  int64_t key_block() const { return int64_t{keys_} * width_; }
  ptrdiff_t queries() const { return queries_; }
  ptrdiff_t keys() const { return keys_; }
  ptrdiff_t width() const { return width_; }
  float scale() const { return scale_; }
  Scratch& scratch() const { return args_.scratch(); }
  bool padded() const { return padding_ != nullptr; }

  /// Turns to a head; gives its keys without padding, and the values too where there are some.
  void turn_to(ptrdiff_t head, const float*& k, const float** v) {
    if (head % heads_ == 0) count_kept(head / heads_);
    k = kept(k + head * key_block(), k_copy_);
    if (v) *v = kept(*v + head * key_block(), v_copy_);
  }

  /// How many of the keys that are left query t sees: the first ones.
  ptrdiff_t limit(ptrdiff_t t) const {
    const ptrdiff_t seen = causal_ ? std::clamp<ptrdiff_t>(t + keys_ - queries_ + 1, 0, keys_) : keys_;
    return kept_before_[static_cast<size_t>(seen)];
  }
  /// The keys of a block that its row r sees.
  ptrdiff_t seen(const Block& b, ptrdiff_t r) const {
    return std::clamp<ptrdiff_t>(limit(b.query + r) - b.key, 0, b.columns);
  }
  bool all_seen(const Block& b) const { return seen(b, 0) == b.columns; }

  /// f(block) for the blocks of keys which the block of queries from `query` on sees anything of.
  template <class F>
  void each_key_block(ptrdiff_t query, F f) const {
    const ptrdiff_t rows = std::min(kBlock, queries_ - query), most = limit(query + rows - 1);
    for (ptrdiff_t key = 0; key < most; key += kBlock) f(Block{query, rows, key, std::min(kBlock, most - key)});
  }

  /// to[rows, columns] = a[rows of queries] · b[columns of keys]ᵀ
  void products(const Block& b, const float* queries, const float* keys, float* to) const {
    const size_t taken = scratch().taken();
    gemm(b.rows, b.columns, width_, {queries + b.query * width_, width_, 1}, {keys + b.key * width_, 1, width_}, to,
         kBlock, false, scratch());
    scratch().return_to(taken);
  }

  /// to[rows of queries] += weights[rows, columns] · values[columns of keys], each row with the keys that it sees
  /// alone.
  void add_to_queries(const Block& b, const float* weights, const float* values, float* to) const {
    const size_t taken = scratch().taken();
    const View v{values + b.key * width_, width_, 1};
    if (all_seen(b)) {
      gemm(b.rows, width_, b.columns, {weights, kBlock, 1}, v, to + b.query * width_, width_, true, scratch());
    } else {
      for (ptrdiff_t r = 0; r < b.rows; ++r) {
        if (const ptrdiff_t n = seen(b, r)) {
          gemm(1, width_, n, {weights + r * kBlock, kBlock, 1}, v, to + (b.query + r) * width_, width_, true,
               scratch());
        }
        scratch().return_to(taken);
      }
    }
    scratch().return_to(taken);
  }

  /// to[columns of keys] += weights[rows, columns]ᵀ · queries[rows]
  void add_to_keys(const Block& b, const float* weights, const float* queries, float* to) const {
    const size_t taken = scratch().taken();
    gemm(b.columns, width_, b.rows, {weights, 1, kBlock}, {queries + b.query * width_, width_, 1}, to + b.key * width_,
         width_, true, scratch());
    scratch().return_to(taken);
  }

  /// to[keys] = the rows of the keys that were left, 0 for padding.
  void put_back(const float* kept, float* to) const {
    for (ptrdiff_t s = 0; s < keys_; ++s, to += width_) {
      const ptrdiff_t at = kept_before_[static_cast<size_t>(s)];
      if (kept_before_[static_cast<size_t>(s) + 1] > at)
        std::copy_n(kept + at * width_, width_, to);
      else
        std::fill_n(to, width_, 0.0f);
    }
  }

 private:
  void count_kept(ptrdiff_t sample) {
    for (ptrdiff_t s = 0; s < keys_; ++s) {
      const bool hidden = padding_ && padding_[sample * keys_ + s] != 0;
      kept_before_[static_cast<size_t>(s) + 1] = kept_before_[static_cast<size_t>(s)] + !hidden;
    }
  }

  const float* kept(const float* rows, float* copy) const {
    if (!copy) return rows;
    for (ptrdiff_t s = 0; s < keys_; ++s) {
      const ptrdiff_t at = kept_before_[static_cast<size_t>(s)];
      if (kept_before_[static_cast<size_t>(s) + 1] > at) std::copy_n(rows + s * width_, width_, copy + at * width_);
    }
    return copy;
  }

  const Args& args_;
  ptrdiff_t heads_, queries_, keys_, width_;
  bool causal_;
  float scale_;
  int64_t query_floats_, key_floats_, statistics_;
  const float* padding_;
  std::vector<ptrdiff_t> kept_before_;  // of keys: those before key s that are no padding
  float *k_copy_, *v_copy_;
};

/// Where a query sees no key nothing is ever made from its statistics.
struct Statistics {
  const float *maximum, *sum;
};

/// Scores become p = exp(scale score - maximum) / sum, 0 where a key is not seen.
void to_probabilities(const Heads& h, const Block& b, const Statistics& of, float* scores) {
  for (ptrdiff_t r = 0; r < b.rows; ++r, scores += kBlock) {
    const ptrdiff_t n = h.seen(b, r);
    const vf peak = splat(of.maximum[b.query + r]), inverse = splat(1.0f / of.sum[b.query + r]);
    const float scale = h.scale();
    for (ptrdiff_t j = 0; j < n; j += 4) store(scores + j, head(exp(load(scores + j) * scale - peak) * inverse, n - j));
    for (ptrdiff_t j = (n + 3) / 4 * 4; j < b.columns; ++j) scores[j] = 0;
  }
}

/// dp[rows, columns] becomes ds = scale p (dp - along), 0 where a key is not seen.
void to_score_gradients(const Heads& h, const Block& b, const float* p, const float* along, float* dp) {
  for (ptrdiff_t r = 0; r < b.rows; ++r, dp += kBlock, p += kBlock) {
    const ptrdiff_t n = h.seen(b, r);
    const vf sum = splat(along[b.query + r]);
    const float scale = h.scale();
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
  const float *const q = args.in(0, h.query_floats()), *const k = args.in(1, h.key_floats());
  float *const maximum = args.out(0, h.statistics()), *const sum = args.out(1, h.statistics());
  float* const scores = args.scratch().take(kBlock * kBlock);
  for (ptrdiff_t head = 0; head < ptrdiff_t{p.batch} * p.heads; ++head) {
    const float* keys = k;
    h.turn_to(head, keys, nullptr);
    float *const peaks = maximum + head * h.queries(), *const sums = sum + head * h.queries();
    std::fill_n(peaks, h.queries(), -__builtin_inff());
    std::fill_n(sums, h.queries(), 0.0f);
    for (ptrdiff_t query = 0; query < h.queries(); query += kBlock) {
      h.each_key_block(query, [&](const Block& b) {
        h.products(b, q + head * h.query_block(), keys, scores);
        for (ptrdiff_t r = 0; r < b.rows; ++r) {
          if (const ptrdiff_t n = h.seen(b, r))
            add_scores(scores + r * kBlock, n, h.scale(), peaks[query + r], sums[query + r]);
        }
      });
    }
  }
}

void attention(const params::attention& p, const Args& args) {
  Heads h(p, args, 3);
  const float *const q = args.in(0, h.query_floats()), *const k = args.in(1, h.key_floats()),
                     *const v = args.in(2, h.key_floats());
  const float *const maximum = args.in(4, h.statistics()), *const sum = args.in(5, h.statistics());
  float* const y = args.out(0, h.query_floats());
  float* const scores = args.scratch().take(kBlock * kBlock);
  std::fill_n(y, h.query_floats(), 0.0f);
  for (ptrdiff_t head = 0; head < ptrdiff_t{p.batch} * p.heads; ++head) {
    const float *keys = k, *values = v;
    h.turn_to(head, keys, &values);
    const Statistics of{maximum + head * h.queries(), sum + head * h.queries()};
    for (ptrdiff_t query = 0; query < h.queries(); query += kBlock) {
      h.each_key_block(query, [&](const Block& b) {
        h.products(b, q + head * h.query_block(), keys, scores);
        to_probabilities(h, b, of, scores);
        h.add_to_queries(b, scores, values, y + head * h.query_block());
      });
    }
  }
}

void attention_backward_q(const params::attention_backward_q& p, const Args& args) {
  Heads h(p, args, 4);
  const float *const q = args.in(0, h.query_floats()), *const k = args.in(1, h.key_floats()),
                     *const v = args.in(2, h.key_floats()), *const dy = args.in(3, h.query_floats());
  const float *const maximum = args.in(5, h.statistics()), *const sum = args.in(6, h.statistics()),
                     *const along = args.in(7, h.statistics());
  float* const dq = args.out(0, h.query_floats());
  float *const scores = args.scratch().take(kBlock * kBlock), *const products = args.scratch().take(kBlock * kBlock);
  std::fill_n(dq, h.query_floats(), 0.0f);
  for (ptrdiff_t head = 0; head < ptrdiff_t{p.batch} * p.heads; ++head) {
    const float *keys = k, *values = v;
    h.turn_to(head, keys, &values);
    const ptrdiff_t rows = head * h.queries(), floats = head * h.query_block();
    for (ptrdiff_t query = 0; query < h.queries(); query += kBlock) {
      h.each_key_block(query, [&](const Block& b) {
        h.products(b, q + floats, keys, scores);
        to_probabilities(h, b, {maximum + rows, sum + rows}, scores);
        h.products(b, dy + floats, values, products);
        to_score_gradients(h, b, scores, along + rows, products);
        h.add_to_queries(b, products, keys, dq + floats);
      });
    }
  }
}

void attention_backward_kv(const params::attention_backward_kv& p, const Args& args) {
  Heads h(p, args, 4);
  const float *const q = args.in(0, h.query_floats()), *const k = args.in(1, h.key_floats()),
                     *const v = args.in(2, h.key_floats()), *const dy = args.in(3, h.query_floats());
  const float *const maximum = args.in(5, h.statistics()), *const sum = args.in(6, h.statistics()),
                     *const along = args.in(7, h.statistics());
  float *const dk = args.out(0, h.key_floats()), *const dv = args.out(1, h.key_floats());
  float *const scores = args.scratch().take(kBlock * kBlock), *const products = args.scratch().take(kBlock * kBlock);
  float *const dk_kept = h.padded() ? args.scratch().take(h.key_block()) : nullptr, *const dv_kept =
                                                                                        h.padded()
                                                                                            ? args.scratch().take(
                                                                                                  h.key_block())
                                                                                            : nullptr;
  for (ptrdiff_t head = 0; head < ptrdiff_t{p.batch} * p.heads; ++head) {
    const float *keys = k, *values = v;
    h.turn_to(head, keys, &values);
    const ptrdiff_t rows = head * h.queries(), floats = head * h.query_block();
    float *const dk_all = dk + head * h.key_block(), *const dv_all = dv + head * h.key_block();
    float *const to_k = dk_kept ? dk_kept : dk_all, *const to_v = dv_kept ? dv_kept : dv_all;
    std::fill_n(to_k, h.key_block(), 0.0f);
    std::fill_n(to_v, h.key_block(), 0.0f);
    for (ptrdiff_t query = 0; query < h.queries(); query += kBlock) {
      h.each_key_block(query, [&](const Block& b) {
        h.products(b, q + floats, keys, scores);
        to_probabilities(h, b, {maximum + rows, sum + rows}, scores);
        h.add_to_keys(b, scores, dy + floats, to_v);
        h.products(b, dy + floats, values, products);
        to_score_gradients(h, b, scores, along + rows, products);
        h.add_to_keys(b, products, q + floats, to_k);
      });
    }
    if (h.padded()) h.put_back(to_k, dk_all), h.put_back(to_v, dv_all);
  }
}

void rotary(const params::rotary& p, const Args& args) {
  if (p.width % 2) args.fail("its width is odd");
  const int64_t n = args.count({p.rows, p.positions, p.width});
  const float *x = args.in(0, n), *const angles = args.in(1, args.count({p.positions, p.width}));
  float* y = args.out(0, n);
  const ptrdiff_t width = p.width, half = width / 2;
  const float direction = p.backward ? -1.0f : 1.0f;
  for (ptrdiff_t row = 0; row < ptrdiff_t{p.rows} * p.positions; ++row, x += width, y += width) {
    const float *const cosine = angles + row % p.positions * width, *const sine = cosine + half;
    // Front to back: whole vectors of the first half run into the second, which is written after it.
    for (ptrdiff_t i = 0; i < half; i += 4)
      store(y + i, load(x + i) * load(cosine + i) - load(x + half + i) * load(sine + i) * direction);
    for (ptrdiff_t i = 0; i < half; i += 4)
      store(y + half + i, load(x + half + i) * load(cosine + i) + load(x + i) * load(sine + i) * direction);
  }
}

}  // namespace kernels
}  // namespace sg::cpu

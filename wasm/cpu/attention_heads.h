// How the heads of attention lie in their buffers, and one thread's way through them: for the head it is at, copies of
// the keys and values that lie near each other, and products of blocks of 64 queries by 64 keys.
//
// Keys that are padding are left out before anything else, so that the keys which a query sees are always the first
// `limit` ones. Where a block is cut by that limit, products are formed for 16 rows at a time up to the last key that
// one of them sees; the others weigh 0, which leaves them out unless they are not finite: then each row has a product
// of its own.
#pragma once
#include <algorithm>
#include <vector>

#include "cpu/gemm.h"
#include "cpu/rows.h"

namespace sg::cpu {

inline constexpr ptrdiff_t kBlock = 64, kGroup = 16;

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

/// Rows side by side: what a product reads along its inner axis.
struct Copy {
  float* data;
  bool finite;
};

/// The sizes of a kernel's heads, checked.
struct HeadSizes {
  ptrdiff_t batch, heads, share, queries, keys, width, q_row, kv_row, q_at, k_at, v_at;
  bool causal;
  float scale;
  int64_t q_floats, kv_floats, y_floats, longest, statistics;  // longest: the floats of a gradient
  const float* padding;

  template <class P>
  HeadSizes(const P& p, const Args& args, size_t padding_input)
      : batch(p.batch),
        heads(p.heads),
        share(p.share),
        queries(p.queries),
        keys(p.keys),
        width(p.width),
        q_row(p.q_row),
        kv_row(p.kv_row),
        q_at(p.q_at),
        k_at(p.k_at),
        v_at(p.v_at),
        causal(p.causal != 0),
        scale(p.scale) {
    const int64_t row = args.count({p.heads, p.width});
    if (p.share < 1 || p.q_at < 0 || p.k_at < 0 || p.v_at < 0 || p.q_at > p.q_row - row || p.k_at > p.kv_row - row ||
        p.v_at > p.kv_row - row)
      args.fail("the heads do not lie within the rows");
    q_floats = args.count({p.batch, p.queries, p.q_row});
    kv_floats = args.count({p.batch, p.keys, p.kv_row});
    y_floats = args.count({p.batch, p.queries, p.heads, p.width});
    longest = args.count({p.batch, std::max(p.queries, p.keys), p.heads, p.width});
    statistics = args.count({p.batch, p.queries, p.heads});
    padding = p.padded ? args.in(padding_input, args.count({(p.batch + p.share - 1) / p.share, p.keys})) : nullptr;
  }

  /// The multiply-adds of so many products of all queries with all keys.
  int64_t work(int64_t products) const { return products * batch * heads * queries * keys * width; }
};

class Head {
 public:
  Head(const HeadSizes& sizes, Scratch& scratch) : s_(sizes), scratch_(scratch) {
    kept_before_.resize(static_cast<size_t>(s_.keys) + 1);
  }

  float* take_block() const { return scratch_.take(kBlock * kBlock); }
  float* take_keys() const { return scratch_.take(s_.keys * s_.width); }
  float* take_queries() const { return scratch_.take(s_.queries * s_.width); }
  float* take_turned_keys() const { return scratch_.take((s_.keys + kBlock - 1) / kBlock * panel()); }

  /// Everything below then speaks of head `index` of all samples' heads.
  void go_to(ptrdiff_t index) {
    const ptrdiff_t sample = index / s_.heads;
    head_ = index % s_.heads;
    if (sample == sample_) return;
    sample_ = sample;
    for (ptrdiff_t t = 0; t < s_.keys; ++t) {
      const bool hidden = s_.padding && s_.padding[sample_ / s_.share * s_.keys + t] != 0;
      kept_before_[static_cast<size_t>(t) + 1] = kept_before_[static_cast<size_t>(t)] + !hidden;
    }
  }

  Given q_of(const float* q) const {
    return {q + sample_ * s_.queries * s_.q_row + s_.q_at + head_ * s_.width, s_.q_row};
  }
  template <class Float>
  Rows<Float> y_of(Float* y) const {
    return {y + (sample_ * s_.queries * s_.heads + head_) * s_.width, s_.heads * s_.width};
  }
  Made gradient_of(float* d) const {
    return {d + (sample_ * std::max(s_.queries, s_.keys) * s_.heads + head_) * s_.width, s_.heads * s_.width};
  }
  Numbers numbers_of(const float* statistic) const { return {statistic + first_number(), s_.heads}; }
  ptrdiff_t first_number() const { return sample_ * s_.queries * s_.heads + head_; }

  /// The keys' or values' rows that are no padding, from `at` on in a row of `all`.
  Copy copy_keys(const float* all, ptrdiff_t at, float* to) const;
  Copy copy_queries(Given rows, float* to) const;
  /// Copied keys as [width, kBlock] for each block of them, zeros beyond the last one.
  void turn_keys(const float* copied, float* to) const;

  /// The keys of a block that its row r sees.
  ptrdiff_t seen(const Block& b, ptrdiff_t r) const {
    return std::clamp<ptrdiff_t>(limit(b.query + r) - b.key, 0, b.columns);
  }

  /// f(block) for all blocks that have a key which is seen.
  template <class F>
  void each_block(F f) const {
    for (ptrdiff_t query = 0; query < s_.queries; query += kBlock) {
      const ptrdiff_t rows = std::min(kBlock, s_.queries - query), most = limit(query + rows - 1);
      for (ptrdiff_t key = 0; key < most; key += kBlock) f(Block{query, rows, key, std::min(kBlock, most - key)});
    }
  }

  /// to[rows, columns] = a[rows] · b[columns]ᵀ of queries and turned keys; numbers of keys that are not seen are
  /// undefined.
  void products(const Block& b, Given queries, const float* turned, float* to) const;
  /// to[rows] += weights[rows, columns] · values[columns], where the weights of keys that are not seen are 0.
  void add_to_queries(const Block& b, const float* weights, Copy values, Made to) const;
  /// to[columns] += weights[rows, columns]ᵀ · queries[rows], likewise.
  void add_to_keys(const Block& b, const float* weights, Copy queries, Made to) const;
  /// to[keys] = the rows of the keys that were left, 0 for padding.
  void put_back(const float* kept, Made to) const;

 private:
  /// How many of the keys that are left query t sees: the first ones.
  ptrdiff_t limit(ptrdiff_t t) const {
    const ptrdiff_t seen = s_.causal ? std::clamp<ptrdiff_t>(t + s_.keys - s_.queries + 1, 0, s_.keys) : s_.keys;
    return kept_before_[static_cast<size_t>(seen)];
  }
  bool is_kept(ptrdiff_t t) const {
    return kept_before_[static_cast<size_t>(t) + 1] > kept_before_[static_cast<size_t>(t)];
  }
  bool is_cut(const Block& b) const { return seen(b, 0) < b.columns; }
  /// f(first row, rows, the keys that the last of them sees).
  template <class F>
  void each_group(const Block& b, F f) const {
    const ptrdiff_t group = is_cut(b) ? kGroup : kBlock;
    for (ptrdiff_t first = 0; first < b.rows; first += group) {
      const ptrdiff_t rows = std::min(group, b.rows - first), columns = seen(b, first + rows - 1);
      if (columns > 0) f(first, rows, columns);
    }
  }
  ptrdiff_t panel() const { return (s_.width + 3) / 4 * 4 * kBlock; }

  const HeadSizes& s_;
  Scratch& scratch_;
  std::vector<ptrdiff_t> kept_before_;  // of keys: those before key t that are no padding
  ptrdiff_t sample_ = -1, head_ = 0;
};

}  // namespace sg::cpu

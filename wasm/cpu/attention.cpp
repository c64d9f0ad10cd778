// Attention in blocks of 64 queries by 64 keys, heads side by side on several threads: a thread has one block of scores
// at a time, and every kernel makes it anew. What a query does not see has no influence on it, NaN or not.
#include "cpu/attention_heads.h"
#include "cpu/pool.h"

namespace sg::cpu {
namespace {

/// Scores become p = exp(scale score - maximum) / sum, 0 where a key is not seen.
void to_probabilities(const Head& h, float scale, const Block& b, Numbers maximum, Numbers sum, float* scores) {
  for (ptrdiff_t r = 0; r < b.rows; ++r, scores += kBlock) {
    const ptrdiff_t n = h.seen(b, r);
    const vf peak = splat(maximum[b.query + r]), inverse = splat(1.0f / sum[b.query + r]);
    ptrdiff_t j = 0;
    for (; j + 4 <= n; j += 4) store(scores + j, exp(load(scores + j) * scale - peak) * inverse);
    if (j < n) store(scores + j, head(exp(load(scores + j) * scale - peak) * inverse, n - j)), j += 4;
    for (; j < b.columns; j += 4) store(scores + j, splat(0));
  }
}

/// dp[rows, columns] becomes ds = scale p (dp - along), 0 where a key is not seen.
void to_score_gradients(const Head& h, float scale, const Block& b, const float* p, Numbers along, float* dp) {
  for (ptrdiff_t r = 0; r < b.rows; ++r, dp += kBlock, p += kBlock) {
    const ptrdiff_t n = h.seen(b, r);
    const vf sum = splat(along[b.query + r]);
    ptrdiff_t j = 0;
    for (; j + 4 <= n; j += 4) store(dp + j, load(p + j) * (load(dp + j) - sum) * scale);
    if (j < n) store(dp + j, head(load(p + j) * (load(dp + j) - sum) * scale, n - j)), j += 4;
    for (; j < b.columns; j += 4) store(dp + j, splat(0));
  }
}

/// The running maximum and sum of a query over one more row of n scores.
void add_scores(const float* scores, ptrdiff_t n, float scale, bool first, float& maximum, float& sum) {
  const float here = max_row(scores, n) * scale, next = first ? here : max(maximum, here);
  const vf middle = splat(next == -__builtin_inff() ? 0 : next);
  const float more = sum_row(n, [=](ptrdiff_t j) { return exp(load(scores + j) * scale - middle); });
  sum = first ? more : sum * exp(splat(maximum) - middle)[0] + more;
  maximum = next;
}

/// f(a thread's head, its range of heads) for all of them; `products` of queries with keys are what it computes.
template <class F>
void each_range(const HeadSizes& s, int64_t products, const Args& args, F f) {
  parallel(s.batch * s.heads, 1, s.work(products), args.scratch(),
           [&](ptrdiff_t begin, ptrdiff_t end, Scratch& scratch) {
             Head head(s, scratch);
             f(head, begin, end);
           });
}

}  // namespace

namespace kernels {

void attention_statistics(const params::attention_statistics& p, const Args& args) {
  const HeadSizes s(p, args, 2);
  const float *const q = args.in(0, s.q_floats), *const k = args.in(1, s.kv_floats);
  float *const maximum = args.out(0, s.statistics), *const sum = args.out(1, s.statistics);
  std::fill_n(maximum, s.statistics, -__builtin_inff());
  std::fill_n(sum, s.statistics, 0.0f);
  each_range(s, 1, args, [&](Head& h, ptrdiff_t begin, ptrdiff_t end) {
    float *const scores = h.take_block(), *const keys = h.take_keys(), *const turned = h.take_turned_keys();
    for (ptrdiff_t i = begin; i < end; ++i) {
      h.go_to(i);
      const Given queries = h.q_of(q);
      h.turn_keys(h.copy_keys(k, s.k_at, keys).data, turned);
      h.each_block([&](const Block& b) {
        h.products(b, queries, turned, scores);
        for (ptrdiff_t r = 0; r < b.rows; ++r) {
          const ptrdiff_t at = h.first_number() + (b.query + r) * s.heads;
          if (const ptrdiff_t n = h.seen(b, r))
            add_scores(scores + r * kBlock, n, s.scale, b.key == 0, maximum[at], sum[at]);
        }
      });
    }
  });
}

void attention(const params::attention& p, const Args& args) {
  const HeadSizes s(p, args, 3);
  const float *const q = args.in(0, s.q_floats), *const k = args.in(1, s.kv_floats), *const v = args.in(2, s.kv_floats);
  const float *const maximum = args.in(4, s.statistics), *const sum = args.in(5, s.statistics);
  float* const y = args.out(0, s.y_floats);
  std::fill_n(y, s.y_floats, 0.0f);
  each_range(s, 2, args, [&](Head& h, ptrdiff_t begin, ptrdiff_t end) {
    float *const scores = h.take_block(), *const turned = h.take_turned_keys();
    float *const keys = h.take_keys(), *const value_rows = h.take_keys();
    for (ptrdiff_t i = begin; i < end; ++i) {
      h.go_to(i);
      const Given queries = h.q_of(q);
      h.turn_keys(h.copy_keys(k, s.k_at, keys).data, turned);
      const Copy values = h.copy_keys(v, s.v_at, value_rows);
      h.each_block([&](const Block& b) {
        h.products(b, queries, turned, scores);
        to_probabilities(h, s.scale, b, h.numbers_of(maximum), h.numbers_of(sum), scores);
        h.add_to_queries(b, scores, values, h.y_of(y));
      });
    }
  });
}

void attention_backward(const params::attention_backward& p, const Args& args) {
  const HeadSizes s(p, args, 4);
  const float *const q = args.in(0, s.q_floats), *const k = args.in(1, s.kv_floats), *const v = args.in(2, s.kv_floats),
                     *const dy = args.in(3, s.y_floats);
  const float *const maximum = args.in(5, s.statistics), *const sum = args.in(6, s.statistics),
                     *const along = args.in(7, s.statistics);
  float *const dq = args.out(0, s.longest), *const dk = args.out(1, s.longest), *const dv = args.out(2, s.longest);
  for (float* const gradient : {dq, dk, dv}) std::fill_n(gradient, s.longest, 0.0f);
  each_range(s, 5, args, [&](Head& h, ptrdiff_t begin, ptrdiff_t end) {
    float *const scores = h.take_block(), *const products = h.take_block();
    float *const turned_keys = h.take_turned_keys(), *const turned_values = h.take_turned_keys();
    float *const key_rows = h.take_keys(), *const value_rows = h.take_keys();
    float *const query_rows = h.take_queries(), *const gradient_rows = h.take_queries();
    float *const dk_kept = s.padding ? h.take_keys() : nullptr, *const dv_kept = s.padding ? h.take_keys() : nullptr;
    for (ptrdiff_t i = begin; i < end; ++i) {
      h.go_to(i);
      const Copy keys = h.copy_keys(k, s.k_at, key_rows), values = h.copy_keys(v, s.v_at, value_rows);
      const Copy queries = h.copy_queries(h.q_of(q), query_rows), gradient = h.copy_queries(h.y_of(dy), gradient_rows);
      h.turn_keys(keys.data, turned_keys);
      h.turn_keys(values.data, turned_values);
      const Made to_q = h.gradient_of(dq), to_k = dk_kept ? Made{dk_kept, s.width} : h.gradient_of(dk),
                 to_v = dv_kept ? Made{dv_kept, s.width} : h.gradient_of(dv);
      if (s.padding) {
        for (float* const kept : {dk_kept, dv_kept}) std::fill_n(kept, s.keys * s.width, 0.0f);
      }
      h.each_block([&](const Block& b) {
        h.products(b, {queries.data, s.width}, turned_keys, scores);
        to_probabilities(h, s.scale, b, h.numbers_of(maximum), h.numbers_of(sum), scores);
        h.add_to_keys(b, scores, gradient, to_v);
        h.products(b, {gradient.data, s.width}, turned_values, products);
        to_score_gradients(h, s.scale, b, scores, h.numbers_of(along), products);
        h.add_to_queries(b, products, keys, to_q);
        h.add_to_keys(b, products, queries, to_k);
      });
      if (s.padding) h.put_back(dk_kept, h.gradient_of(dk)), h.put_back(dv_kept, h.gradient_of(dv));
    }
  });
}

}  // namespace kernels
}  // namespace sg::cpu

// Attention as one op, which never keeps the matrix of scores: the forward keeps two numbers a query (the largest score
// and the sum of the exponentials), the backward makes the scores anew (Dao et al. 2022).
#pragma once
#include <span>
#include <vector>

#include "core/random.h"
#include "core/tensor.h"

namespace sg::ops {

/// y[N, H, T, D] = softmax(q kᵀ / sqrt(D)) v for q[N, H, T, D], k and v[N, H, S, D]. `causal`: query t sees the keys up
/// to t + S - T. `key_padding[N, S]` (may be undefined): keys where it is not 0 are unseen. A query that sees no key
/// gives 0.
Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, bool causal = false,
                                    const Tensor& key_padding = {});
/// The same of heads that lie side by side: y[N, T, E] of qkv[N, T, 3E], which holds queries, keys and values in this
/// order, each of `heads` heads of E / heads numbers; or of q[N, T, E] and kv[N, S, 2E]. Nothing is moved about.
Tensor multi_head_attention(const Tensor& qkv, int heads, bool causal = false, const Tensor& key_padding = {});
Tensor multi_head_attention(const Tensor& q, const Tensor& kv, int heads, bool causal = false,
                            const Tensor& key_padding = {});
/// Rotates the pairs (x[i], x[i + D/2]) of x[N, H, T, D] by position · base^(-2i/D), positions from `first` (Su et al.
/// 2021, in the layout of Llama); D even.
Tensor rotary(const Tensor& x, int first = 0, float base = 10000);
/// The same for the first `rotated` of the heads that lie side by side in x[N, T, heads D]; the others stay.
Tensor rotary_heads(const Tensor& x, int heads, int rotated, int first = 0, float base = 10000);

}  // namespace sg::ops

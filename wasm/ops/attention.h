// Attention as one op, which never keeps the matrix of scores: the forward keeps a number a query (the logarithm of the
// sum of its exponentials), the backward makes the scores anew (Dao et al. 2022).
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
/// Rotates the pairs (x[i], x[i + D/2]) of x[N, H, T, D] by position · base^(-2i/D), positions from `first` (Su et al.
/// 2021, in the layout of Llama); D even.
Tensor rotary(const Tensor& x, int first = 0, float base = 10000);

}  // namespace sg::ops

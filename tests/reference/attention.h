// Attention and rotary positions, in double.
#pragma once
#include <cstddef>

#include "tests/reference/array.h"

namespace sg::reference {

/// `padding` may be null. A query that sees no key gives 0.
Array scaled_dot_product_attention(const Array& q, const Array& k, const Array& v, bool causal, const Array* padding);
/// q[N, T, H D], k and v[N, S, H D].
Array multi_head_attention(const Array& q, const Array& k, const Array& v, int heads, bool causal,
                           const Array* padding);
Array rotary(const Array& x, int first, double base);
/// The first `rotated` heads of x[N, T, H D].
Array rotary_heads(const Array& x, int heads, int rotated, int first, double base);

}  // namespace sg::reference

// What the reference offers: every op under its own name and the random numbers; optim.h has the optimisers.
#pragma once
#include <cstdint>
#include <string>

#include "tests/reference/array.h"

namespace sg::reference {

/// The elementwise functions by name; throw std::out_of_range for a name that is not known here.
double unary(const std::string& name, double x, double p);
double binary(const std::string& name, double a, double b, double p);
Array unary(const std::string& name, const Array& x, double p);
Array binary(const std::string& name, const Array& a, const Array& b, double p);

Array matmul(const Array& a, const Array& b, bool transpose_a, bool transpose_b);
/// `bias` may be null.
Array linear(const Array& x, const Array& weight, const Array* bias);
/// a[..., k] times b[k, n], or b[n, k] transposed, plus bias[n].
Array addmm(const Array& bias, const Array& a, const Array& b, bool transpose_b);

Array sum(const Array& x, int axis, bool keepdim);
Array mean(const Array& x, int axis, bool keepdim);
Array amax(const Array& x, int axis, bool keepdim);
Array sum(const Array& x, const std::vector<int>& axes, bool keepdim);
Array mean(const Array& x, const std::vector<int>& axes, bool keepdim);
Array amax(const Array& x, const std::vector<int>& axes, bool keepdim);
Array amin(const Array& x, const std::vector<int>& axes, bool keepdim);
Array var(const Array& x, const std::vector<int>& axes, int correction, bool keepdim);
Array sum(const Array& x);
Array mean(const Array& x);

Array reshape(const Array& x, const Sizes& sizes);
Array permute(const Array& x, const std::vector<int>& axes);
Array transpose(const Array& x, int first, int second);
Array expand(const Array& x, const Sizes& sizes);
Array narrow(const Array& x, int axis, int start, int length);
Array select(const Array& x, int axis, int index);
Array cat(const std::vector<Array>& parts, int axis);
Array stack(const std::vector<Array>& parts, int axis);

struct Words {
  uint32_t word[4];
};
/// Philox4x32-10 of a 128-bit counter under a 64-bit key.
Words philox4x32(Words counter, uint32_t key0, uint32_t key1);
/// The i-th number in [0, 1) of a draw: 24 bits of lane i mod 4 at counter (i div 4, stream, draw, 0), keyed by the
/// seed.
double uniform01(uint64_t seed, uint32_t stream, uint32_t draw, uint32_t i);
Array uniform(const Sizes& sizes, double low, double high, uint64_t seed, uint32_t stream, uint32_t draw);
Array dropout(const Array& x, double p, uint64_t seed, uint32_t draw);

}  // namespace sg::reference

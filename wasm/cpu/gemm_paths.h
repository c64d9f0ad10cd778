// The ways in which gemm forms a product. One is chosen by the sizes and strides of the whole; each may cut C into
// ranges.
#pragma once
#include "cpu/gemm.h"

namespace sg::cpu {

struct Product {
  ptrdiff_t m, n, k;
  View a, b;
  float* c;
  ptrdiff_t c_row;
  bool accumulate;
  Epilogue epilogue;
  bool across = false;  // c is written transposed, while the epilogue means c's own rows

  /// The same, as (Bᵀ Aᵀ)ᵀ.
  Product turned() const { return {n, m, k, b.transposed(), a.transposed(), c, c_row, accumulate, epilogue, !across}; }
};

inline constexpr ptrdiff_t kBlockK = 256;  // products that are summed up before they are added to C
inline constexpr ptrdiff_t kFewRows = 3;

/// Tiles of TileRows x 8 results, for any strides of B; A's rows lie along k where c is written across.
template <int TileRows>
void multiply_by_tiles(const Product& p, Scratch& scratch);

/// For few rows of A and columns of B that lie along k: neither is moved.
void multiply_by_dots(const Product& p, Scratch& scratch);

template <int TileRows>
void multiply(const Product& p, Scratch& scratch) {
  const bool a_along_k = p.a.column == 1, b_along_k = p.b.row == 1 && p.b.column != 1;
  if (b_along_k && a_along_k && p.m <= kFewRows) return multiply_by_dots(p, scratch);
  // Panels of B are read across k, so that one which lies along k is turned when it is packed. As (Bᵀ Aᵀ)ᵀ it is A that
  // is packed, which costs less where it is the smaller one, or nothing where it lies across k.
  multiply_by_tiles<TileRows>(b_along_k && (!a_along_k || (p.m < p.n && p.k >= 32)) ? p.turned() : p, scratch);
}

extern template void multiply_by_tiles<4>(const Product&, Scratch&);
extern template void multiply_by_tiles<6>(const Product&, Scratch&);

// A multiply and an add need a register between them: where they are one, it is left for larger tiles.
#if defined(__wasm_relaxed_simd__) || defined(__FMA__)
inline constexpr int kTileRows = 6;
#else
inline constexpr int kTileRows = 4;
#endif

}  // namespace sg::cpu

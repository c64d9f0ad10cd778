// The innermost part of a product of matrices: tiles of results that stay in registers while k runs. WebAssembly's
// compilers neither unroll the loops over a tile nor turn indices into increments, so both are written out here. The
// loop over k is not unrolled: the compiler would mix its steps, for which there are too few registers. A tile's
// function is called through a pointer, since engines optimise a function when it is called again.
#pragma once
#include <cstddef>
#include <utility>

#include "cpu/simd.h"

// What is not inlined takes a tile's sums by reference, and so out of their registers.
#define SG_INLINE __attribute__((always_inline))

namespace sg::cpu {

/// f(0), f(1) .. f(N - 1), each with a number that is known when compiling.
template <size_t N, class F>
SG_INLINE inline void unrolled(F f) {
  [&]<size_t... I>(std::index_sequence<I...>) SG_INLINE { (f(std::integral_constant<ptrdiff_t, I>{}), ...); }
  (std::make_index_sequence<N>{});
}

/// Where sums go and what is added to them.
struct Target {
  float* c;
  ptrdiff_t c_row;
  bool accumulate;    // to what c holds
  const float* bias;  // of c's first column; none where null

  /// The target of the results from (i, j) on.
  Target at(ptrdiff_t i, ptrdiff_t j) const {
    return {c + i * c_row + j, c_row, accumulate, bias ? bias + j : nullptr};
  }

  /// row[0 .. 4) becomes the sums, of columns from j on.
  SG_INLINE void put(float* row, vf sums, ptrdiff_t j) const {
    if (accumulate) sums = load(row) + sums;
    if (bias) sums += load(bias + j);
    store(row, sums);
  }
};

/// The first row's first `width` results become the sums.
[[gnu::noinline]] void put_some(const Target& to, ptrdiff_t width, const float* sums);

/// c[width, rows] becomes sums[rows, sums_row]ᵀ, for up to 4 rows.
[[gnu::noinline]] void put_across(const Target& to, ptrdiff_t rows, ptrdiff_t width, const float* sums,
                                  ptrdiff_t sums_row);

/// Tiles below each other over one panel of B.
struct Strip {
  ptrdiff_t k;
  const float* a;
  ptrdiff_t a_line;        // between A's rows, or its steps of k where turned
  ptrdiff_t a_tile;        // from one tile's first float to the next one's
  const float* b;          // read in whole vectors
  ptrdiff_t b_row, width;  // columns of the panel that count
  Target to;
};
using StripFunction = void (*)(const Strip&, ptrdiff_t tiles);

/// A's rows lie along k, or its columns are contiguous; or the former, with C written across: what is a row of the tile
/// is a column of C.
enum class Tile { straight, turned, across };

/// The sums leave for memory before a function takes them: an engine that once spills a sum does so wherever it is set,
/// which is in the loop over k.
template <size_t Rows, size_t Vectors>
struct Spilt {
  float sums[Rows * 4 * Vectors];
  SG_INLINE explicit Spilt(const vf (&from)[Rows][Vectors]) {
    unrolled<Rows>([&](auto i) SG_INLINE {
      unrolled<Vectors>([&](auto v) SG_INLINE { store(sums + 4 * (i * Vectors + v), from[i][v]); });
    });
  }
};

/// c[tiles * Rows, width] (+)= a[.., k] · b[k, width], width being at most 4 * Vectors.
template <size_t Rows, size_t Vectors, Tile tile>
void multiply_strip(const Strip& s, ptrdiff_t tiles) {
  constexpr bool kTurned = tile == Tile::turned;
  const float* first = s.a;
  Target to = s.to;
  const ptrdiff_t a_line = s.a_line, b_row = s.b_row;
  for (; tiles > 0; --tiles, first += s.a_tile) {
    vf sums[Rows][Vectors] = {};
    const float* b = s.b;
    const float* a[Rows];
    unrolled<Rows>([&](auto i) SG_INLINE { a[i] = kTurned ? first : first + i * a_line; });
    for (ptrdiff_t k = s.k; k > 0; --k, b += b_row) {
      if constexpr (Rows == 1) {
        const vf x = splat(*a[0]);
        unrolled<Vectors>([&](auto v) SG_INLINE { sums[0][v] = fma(x, load(b + 4 * v), sums[0][v]); });
      } else {
        vf y[Vectors];
        unrolled<Vectors>([&](auto v) SG_INLINE { y[v] = load(b + 4 * v); });
        unrolled<Rows>([&](auto i) SG_INLINE {
          const vf x = splat(kTurned ? a[0][i] : *a[i]);
          unrolled<Vectors>([&](auto v) SG_INLINE { sums[i][v] = fma(x, y[v], sums[i][v]); });
        });
      }
      if constexpr (kTurned)
        a[0] += a_line;
      else
        unrolled<Rows>([&](auto i) SG_INLINE { ++a[i]; });
    }
    if constexpr (tile == Tile::across) {
      put_across(to, Rows, s.width, Spilt(sums).sums, 4 * Vectors);
      to = to.at(0, Rows);
    } else if (s.width == static_cast<ptrdiff_t>(4 * Vectors)) {
      unrolled<Rows>([&](auto i) SG_INLINE {
        unrolled<Vectors>([&](auto v) SG_INLINE { to.put(to.c + 4 * v, sums[i][v], 4 * v); });
        to.c += to.c_row;
      });
    } else {
      const Spilt spilt(sums);
      for (size_t i = 0; i < Rows; ++i, to.c += to.c_row) put_some(to, s.width, spilt.sums + i * 4 * Vectors);
    }
  }
}

}  // namespace sg::cpu

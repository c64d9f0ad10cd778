// Products by tiles, over blocks of k that keep a panel of B in the nearest cache, and over blocks of rows that keep A
// in the next one. Where A or B are read in steps that would not stay there, they are packed first.
#include <algorithm>
#include <array>

#include "cpu/gemm_packing.h"
#include "cpu/gemm_paths.h"
#include "cpu/gemm_tile.h"
#include "cpu/pool.h"

namespace sg::cpu {

void put_some(const Target& to, ptrdiff_t width, const float* sums) {
  for (ptrdiff_t j = 0; j < width; ++j) {
    const float sum = to.accumulate ? to.c[j] + sums[j] : sums[j];
    to.c[j] = to.bias ? sum + to.bias[j] : sum;
  }
}

void put_across(const Target& to, ptrdiff_t rows, ptrdiff_t width, const float* sums, ptrdiff_t sums_row) {
  const auto row = [&](ptrdiff_t i) { return sums + std::min(i, rows - 1) * sums_row; };
  for (ptrdiff_t j = 0; j < width; j += 4) {
    vf r[4] = {load(row(0) + j), load(row(1) + j), load(row(2) + j), load(row(3) + j)};
    transpose(r[0], r[1], r[2], r[3]);
    for (ptrdiff_t lane = 0; lane < std::min<ptrdiff_t>(4, width - j); ++lane) {
      const Target part = to.at(j + lane, 0);
      if (rows == 4) {
        part.put(part.c, r[lane], 0);
      } else {
        float some[4];
        store(some, r[lane]);
        put_some(part, rows, some);
      }
    }
  }
}

namespace {

constexpr ptrdiff_t kBlockRows = 96, kBlockColumns = 1024;

/// The functions for each height of a tile.
template <size_t Vectors, Tile tile, size_t... I>
constexpr std::array<StripFunction, sizeof...(I)> heights(std::index_sequence<I...>) {
  return {&multiply_strip<I + 1, Vectors, tile>...};
}

template <Tile tile, size_t TileRows>
StripFunction strip_of(ptrdiff_t height, bool two_vectors) {
  static constexpr std::make_index_sequence<TileRows> kHeights;
  static constexpr std::array<StripFunction, TileRows> kOne = heights<1, tile>(kHeights),
                                                       kTwo = heights<2, tile>(kHeights);
  return (two_vectors ? kTwo : kOne)[static_cast<size_t>(height - 1)];
}

/// Few rows in all have wider tiles, so that as many sums are under way.
constexpr std::array<ptrdiff_t, kFewRows> kWideVectors{8, 4, 3};
constexpr std::array<std::array<StripFunction, 2>, kFewRows> kWideStrips{
    {{&multiply_strip<1, 8, Tile::straight>, &multiply_strip<1, 8, Tile::turned>},
     {&multiply_strip<2, 4, Tile::straight>, &multiply_strip<2, 4, Tile::turned>},
     {&multiply_strip<3, 3, Tile::straight>, &multiply_strip<3, 3, Tile::turned>}}};

/// f(first row, height, how many) for tiles that make up `rows`. A last one too low to keep the processor busy shares
/// the rows of the one before.
template <ptrdiff_t TileRows, class F>
void each_height(ptrdiff_t rows, F f) {
  ptrdiff_t whole = rows / TileRows, rest = rows % TileRows, upper = rest;
  if (whole > 0 && rest > 0 && 2 * rest < TileRows) --whole, rest += TileRows, upper = (rest + 1) / 2;
  if (whole > 0) f(ptrdiff_t{0}, TileRows, whole);
  if (upper > 0) f(whole * TileRows, upper, ptrdiff_t{1});
  if (rest > upper) f(whole * TileRows + upper, rest - upper, ptrdiff_t{1});
}

/// Whether that many steps, so far apart, fall out of the nearest cache before they are needed again.
bool is_far(ptrdiff_t depth, ptrdiff_t stride) { return depth * stride > 4096; }

/// A product in blocks. How it is done is decided by the whole, and the same for all ranges.
template <ptrdiff_t TileRows, bool across>
class Blocks {
 public:
  explicit Blocks(const Product& p) : p_(p) {
    const ptrdiff_t depth = std::min(kBlockK, p.k);
    packs_a_ = p.a.column != 1 && p.n >= 48 && is_far(depth, p.a.column);
    packs_b_ = p.b.column != 1 || (p.m >= 32 && is_far(depth, p.b.row));
    turned_ = !packs_a_ && p.a.column != 1;
    is_wide_ = !packs_b_ && !across && p.m <= kFewRows;
  }

  void multiply(Scratch& scratch) const {
    if (p_.m >= p_.n) return multiply_columns(0, p_.n, true, scratch);
    parallel(p_.n, 4 * kPanel, int64_t{p_.m} * p_.n * p_.k, scratch,
             [&](ptrdiff_t begin, ptrdiff_t end, Scratch& own) { multiply_columns(begin, end, false, own); });
  }

 private:
  struct Range {
    ptrdiff_t at, size;
  };

  /// Where `cuts_rows` this is done on all threads, which then share what is packed of B.
  void multiply_columns(ptrdiff_t begin, ptrdiff_t end, bool cuts_rows, Scratch& scratch) const {
    const size_t taken = scratch.taken();
    const ptrdiff_t most = (std::min(kBlockColumns, end - begin) + kPanel - 1) / kPanel * kPanel;
    float* const packed = packs_b_ ? scratch.take(int64_t{std::min(kBlockK, p_.k)} * most) : nullptr;
    const auto share = [&](ptrdiff_t count, ptrdiff_t unit, int64_t work, auto f) {
      cuts_rows ? parallel(count, unit, work, scratch, f) : f(ptrdiff_t{0}, count, scratch);
    };
    for (ptrdiff_t j = begin; j < end; j += kBlockColumns) {
      const Range columns{j, std::min(kBlockColumns, end - j)};
      for (ptrdiff_t k = 0; k == 0 || k < p_.k; k += kBlockK) {
        const Range depth{k, std::min(kBlockK, p_.k - k)};
        if (packed) {
          share(columns.size, kPanel, int64_t{columns.size} * depth.size, [&](ptrdiff_t from, ptrdiff_t to, Scratch&) {
            pack_panels(depth.size, to - from, {b_at(k, j + from), p_.b.row, p_.b.column}, packed + from * depth.size);
          });
        }
        share(
            p_.m, TileRows, int64_t{p_.m} * columns.size * depth.size,
            [&](ptrdiff_t from, ptrdiff_t to, Scratch& own) { multiply_rows(from, to, columns, depth, packed, own); });
      }
    }
    scratch.return_to(taken);
  }

  void multiply_rows(ptrdiff_t begin, ptrdiff_t end, Range columns, Range depth, const float* b,
                     Scratch& scratch) const {
    const size_t taken = scratch.taken();
    float* const packed = packs_a_ ? scratch.take(kBlockRows * depth.size) : nullptr;
    for (ptrdiff_t i = begin; i < end; i += kBlockRows) {
      const Range rows{i, std::min(kBlockRows, end - i)};
      View a{p_.a.data + i * p_.a.row + depth.at * p_.a.column, p_.a.row, p_.a.column};
      if (packed) {
        pack_rows(rows.size, depth.size, a, packed);
        a = {packed, depth.size, 1};
      }
      multiply_block(rows, columns, depth, a, b ? b : b_at(depth.at, columns.at));
      if (p_.epilogue.finish && is_last(depth)) finish(rows, columns);
    }
    scratch.return_to(taken);
  }

  void multiply_block(Range rows, Range columns, Range depth, View a, const float* b) const {
    const ptrdiff_t most = is_wide_ ? kWideVectors[static_cast<size_t>(p_.m - 1)] : kPanel / 4;
    const Target to = target(rows, columns, depth);
    Strip s;
    s.k = depth.size;
    s.b_row = packs_b_ ? kPanel : p_.b.row;
    for (ptrdiff_t j = 0; j < columns.size; j += s.width) {
      const ptrdiff_t left = columns.size - j, vectors = left >= 4 * most ? most : left > 4 ? 2 : 1;
      s.width = std::min(left, 4 * vectors);
      s.b = packs_b_ ? b + j * depth.size : b + j;
      each_height<TileRows>(rows.size, [&](ptrdiff_t first, ptrdiff_t height, ptrdiff_t tiles) {
        s.a = a.data + first * a.row, s.a_line = turned_ ? a.column : a.row, s.a_tile = height * a.row;
        s.to = across ? to.at(j, first) : to.at(first, j);
        strip(height, vectors)(s, tiles);
      });
    }
  }

  StripFunction strip(ptrdiff_t height, ptrdiff_t vectors) const {
    if (vectors > 2) return kWideStrips[static_cast<size_t>(p_.m - 1)][turned_];
    if constexpr (across)
      return strip_of<Tile::across, TileRows>(height, vectors == 2);
    else
      return (turned_ ? strip_of<Tile::turned, TileRows> : strip_of<Tile::straight, TileRows>)(height, vectors == 2);
  }
  const float* b_at(ptrdiff_t k, ptrdiff_t j) const { return p_.b.data + k * p_.b.row + j * p_.b.column; }
  bool is_last(Range depth) const { return depth.at + depth.size == p_.k; }

  Target target(Range rows, Range columns, Range depth) const {
    const Target all{p_.c, p_.c_row, p_.accumulate || depth.at > 0, is_last(depth) ? p_.epilogue.bias : nullptr};
    return across ? all.at(columns.at, rows.at) : all.at(rows.at, columns.at);
  }

  void finish(Range rows, Range columns) const {
    if (across) std::swap(rows, columns);
    for (ptrdiff_t i = rows.at; i < rows.at + rows.size; ++i)
      p_.epilogue.finish(p_.c + i * p_.c_row + columns.at, columns.size, p_.epilogue.with);
  }

  const Product& p_;
  bool turned_, packs_a_, packs_b_, is_wide_;
};

}  // namespace

template <int TileRows>
void multiply_by_tiles(const Product& p, Scratch& scratch) {
  if (p.across)
    Blocks<4, true>(p).multiply(scratch);
  else
    Blocks<TileRows, false>(p).multiply(scratch);
}

template void multiply_by_tiles<4>(const Product&, Scratch&);
template void multiply_by_tiles<6>(const Product&, Scratch&);

}  // namespace sg::cpu

// The order in which windows are shown: a permutation of 0 .. n - 1 that is computed where it is looked at, place by
// place. Nothing is shuffled beforehand, so that an epoch or a block of millions of windows begins, and a run resumes
// anywhere in it, without a pause and without memory for an order. A Feistel network on a grid of rows and columns
// that has few more cells than n; a place that leads outside of n goes through it again, which keeps it one to one.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/random.h"

namespace sg::train {

/// What a checkpoint says of the order: another name where what follows from (seed, epoch, part) becomes another.
inline constexpr std::string_view kWindowOrder = "feistel/1";

class Permutation {
 public:
  /// Of nothing.
  Permutation() = default;
  /// `part` tells the permutations of an epoch apart.
  Permutation(uint32_t size, uint64_t seed, int epoch, uint32_t part) : size_(size) {
    for (uint32_t bit = 1u << 15; bit > 0; bit /= 2)  // the largest number whose square is less, and one more
      if (uint64_t{rows_ + bit} * (rows_ + bit) < uint64_t{size}) rows_ += bit;
    if (uint64_t{rows_} * rows_ < size) ++rows_;
    columns_ = size == 0 ? 1 : static_cast<uint32_t>((uint64_t{size} + rows_ - 1) / rows_);
    const Generator g{seed, 0};
    for (uint32_t i = 0; i < keys_.size(); ++i)
      keys_[i] = philox({i / 4, static_cast<uint32_t>(Stream::shuffle), static_cast<uint32_t>(epoch), part}, g.low(),
                        g.high())[i % 4];
  }

  uint32_t size() const { return size_; }

  /// What is at `place`, which is less than size().
  uint32_t operator()(uint32_t place) const {
    uint32_t value = 0;
    fill(place, {&value, 1});
    return value;
  }

  /// What is at `first` and the places after it. Several go through the rounds side by side: each alone would wait for
  /// itself.
  void fill(uint32_t first, std::span<uint32_t> values) const {
    constexpr size_t kAbreast = 16;
    while (values.size() >= kAbreast) {
      fill_abreast<kAbreast>(first, values.data());
      first += static_cast<uint32_t>(kAbreast);
      values = values.subspan(kAbreast);
    }
    for (size_t i = 0; i < values.size(); ++i) fill_abreast<1>(first + static_cast<uint32_t>(i), &values[i]);
  }

 private:
  /// The finaliser of MurmurHash3 (Appleby, public domain): every bit of x decides over every bit of the result.
  static uint32_t mix(uint32_t x) {
    x = (x ^ (x >> 16)) * 0x85EBCA6Bu;
    x = (x ^ (x >> 13)) * 0xC2B2AE35u;
    return x ^ (x >> 16);
  }
  /// `value` further round by a share of `end`.
  static uint32_t turned(uint32_t value, uint32_t bits, uint32_t end) {
    const uint32_t sum = value + static_cast<uint32_t>((uint64_t{bits} * end) >> 32);
    return std::min(sum, sum - end);  // what would be less than 0 is large
  }

  template <size_t N>
  void fill_abreast(uint32_t first, uint32_t* values) const {
    std::array<uint32_t, N> rows, columns;
    for (size_t i = 0; i < N; ++i) {
      rows[i] = (first + static_cast<uint32_t>(i)) / columns_;
      columns[i] = (first + static_cast<uint32_t>(i)) % columns_;
    }
    for (size_t k = 0; k < keys_.size(); k += 2) {
      for (size_t i = 0; i < N; ++i) rows[i] = turned(rows[i], mix(columns[i] ^ keys_[k]), rows_);
      for (size_t i = 0; i < N; ++i) columns[i] = turned(columns[i], mix(rows[i] ^ keys_[k + 1]), columns_);
    }
    for (size_t i = 0; i < N; ++i) {
      const uint64_t cell = uint64_t{rows[i]} * columns_ + columns[i];
      if (cell < size_)
        values[i] = static_cast<uint32_t>(cell);
      else
        fill_abreast<1>(static_cast<uint32_t>(cell), &values[i]);
    }
  }

  uint32_t size_ = 0, rows_ = 1, columns_ = 1;
  std::array<uint32_t, 12> keys_{};
};

}  // namespace sg::train

#pragma once
// Which arrays of an archive stand side by side as one table. An archive often holds several lengths (training and test
// parts, a list of names, a single number): those of the length that most of them have are taken, the rest is told.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sg {

/// So many bytes of a NumPy array's file hold its whole header.
inline constexpr size_t kNpyHeadBytes = 12 + 10'000;

/// How many rows the array has, from the beginning of its file; none for a single value, and for what is no array.
std::optional<uint64_t> npy_rows(std::span<const uint8_t> head);

struct NamedRows {
  std::string name;
  std::optional<uint64_t> rows;
};

/// What does not stand beside the others: nothing for those that do, a sentence for the person for the rest. Of lengths
/// that are as frequent the greater one is taken, and a single row only where there is no other length. Where no array
/// has rows, all are left to their reader.
std::vector<std::optional<std::string>> left_out(const std::vector<NamedRows>& arrays);

}  // namespace sg

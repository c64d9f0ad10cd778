#pragma once
// Which arrays of an archive stand side by side as one table. An archive often holds several lengths (training and test
// parts, a list of names, a single number): those that the person has named are taken, or else those of the length that
// most of them have, and the rest is told.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sg {

/// So many bytes of a NumPy array's file hold its whole header.
inline constexpr size_t kNpyHeadBytes = 12 + 10'000;

/// How many rows the array has, from the beginning of its file; none for a single value, and for what is no array.
std::optional<uint64_t> npy_rows(std::span<const uint8_t> head);

/// What an array is called whose file has this name in an archive: "x" of "x.npy".
std::string_view array_name(std::string_view file);

/// The arrays that the option `arrays` names; nothing where it is not given. Throws npy.bad_option.
std::optional<std::vector<std::string>> chosen_arrays(const nlohmann::json& options);

struct NamedRows {
  std::string name;
  std::optional<uint64_t> rows;
};

/// What does not stand beside the others: nothing for those that do, a sentence for the person for the rest. Those that
/// are `chosen` do; without any, of lengths that are as frequent the greater one is taken, and a single row only where
/// there is no other length, and where no array has rows, all are left to their reader. Throws npy.bad_option where an
/// array is chosen that there is not.
std::vector<std::optional<std::string>> left_out(const std::vector<NamedRows>& arrays,
                                                 const std::optional<std::vector<std::string>>& chosen = {});

}  // namespace sg

// Text for a terminal: what came from a file or a name is shown without its control characters, so that nothing that
// is printed can move the cursor, hide a line or turn it around; and a path becomes one word of a command.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sg::host {

/// The text with control, invisible and direction-changing characters as \u{...}, and bytes that are not UTF-8 as \xNN;
/// cut after `most` bytes, with an ellipsis.
std::string shown(std::string_view text, std::size_t most = 4096);

/// How many columns it takes: one a code point.
std::size_t columns_of(std::string_view text);

/// The text as one word of a shell command.
std::string quoted(const std::string& text);

/// 1234567 as 1,234,567.
std::string grouped(std::uint64_t number);

}  // namespace sg::host

// Base64, the form in which raw bytes travel through JSON messages.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace sg::host {

void append_base64(std::string& out, std::string_view bytes);

/// Nothing when `text` is not strict base64 (padding required, no blanks, no bits left over).
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace sg::host

// JSON from outside, read strictly: nlohmann's parser alone accepts a NUL after a number, keeps the last of two equal
// keys, and builds trees that overflow the stack when they are copied. The depth bound here makes every later copy
// safe.
#pragma once
#include <string_view>

#include "native_host/error.h"

namespace sg::host {

inline constexpr std::size_t kMaxDepth = 32;

/// One JSON value and nothing else; throws message.malformed with the byte where it breaks.
Json parse_json(std::string_view text);

bool valid_utf8(std::string_view text);

}  // namespace sg::host

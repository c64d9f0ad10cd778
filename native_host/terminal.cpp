#include "native_host/terminal.h"

#include <algorithm>

#include "native_host/json.h"

namespace sg::host {
namespace {

/// Bytes of the UTF-8 sequence that `text` begins with; 0 when it begins with none.
std::size_t sequence_length(std::string_view text) {
  for (const std::size_t n : {1, 2, 3, 4}) {
    if (n <= text.size() && valid_utf8(text.substr(0, n))) return n;
  }
  return 0;
}

std::uint32_t code_point(std::string_view sequence) {
  const auto lead = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) return lead;
  std::uint32_t point = lead & (0x7Fu >> sequence.size());
  for (const unsigned char c : sequence.substr(1)) point = point << 6 | (c & 0x3Fu);
  return point;
}

/// Controls of both tables, zero-width and direction marks, line and paragraph separators, tags.
bool hidden(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xAD || c == 0x061C || c == 0x180E ||
         (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
         (c >= 0xFFF9 && c <= 0xFFFB) || (c >= 0xE0000 && c <= 0xE0FFF);
}

std::string hex(std::uint32_t value, int least) {
  std::string digits;
  for (; value > 0 || static_cast<int>(digits.size()) < least; value >>= 4) digits += "0123456789ABCDEF"[value & 15];
  std::reverse(digits.begin(), digits.end());
  return digits;
}

}  // namespace

std::string shown(std::string_view text, std::size_t most) {
  std::string out;
  while (!text.empty()) {
    const std::size_t n = sequence_length(text);
    std::string next;
    if (n == 0) {
      next = "\\x" + hex(static_cast<unsigned char>(text[0]), 2);
    } else if (const std::uint32_t point = code_point(text.substr(0, n)); hidden(point)) {
      next = "\\u{" + hex(point, 1) + "}";
    } else {
      next = text.substr(0, n);
    }
    if (out.size() + next.size() > most) return out + "…";
    out += next;
    text.remove_prefix(std::max<std::size_t>(n, 1));
  }
  return out;
}

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xC0) != 0x80; }));
}

std::string quoted(const std::string& text) {
  const auto plain = [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/._-+:,@%").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return text;
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += "'\\''";
    } else {
      word += c;
    }
  }
  return word + "'";
}

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

}  // namespace sg::host

#include "native_host/base64.h"

#include <array>
#include <cstring>

namespace sg::host {
namespace {

constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Two digits for each value of 12 bits: half the look-ups of one digit at a time.
const std::array<char[2], 4096>& digit_pairs() {
  static const auto table = [] {
    std::array<char[2], 4096> t;
    for (int i = 0; i < 4096; ++i) {
      t[i][0] = kDigits[i >> 6];
      t[i][1] = kDigits[i & 63];
    }
    return t;
  }();
  return table;
}

const std::array<std::int8_t, 256>& digit_values() {
  static const auto table = [] {
    std::array<std::int8_t, 256> t;
    t.fill(-1);
    for (int i = 0; i < 64; ++i) t[static_cast<unsigned char>(kDigits[i])] = static_cast<std::int8_t>(i);
    return t;
  }();
  return table;
}

}  // namespace

void append_base64(std::string& out, std::string_view bytes) {
  const auto& pairs = digit_pairs();
  const auto* in = reinterpret_cast<const unsigned char*>(bytes.data());
  const std::size_t start = out.size();
  out.resize(start + (bytes.size() + 2) / 3 * 4);
  char* to = out.data() + start;
  std::size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3, to += 4) {
    const std::uint32_t v = std::uint32_t{in[i]} << 16 | std::uint32_t{in[i + 1]} << 8 | in[i + 2];
    std::memcpy(to, pairs[v >> 12], 2);
    std::memcpy(to + 2, pairs[v & 4095], 2);
  }
  if (i == bytes.size()) return;
  const bool two = i + 2 == bytes.size();
  const std::uint32_t v = std::uint32_t{in[i]} << 16 | (two ? std::uint32_t{in[i + 1]} << 8 : 0u);
  std::memcpy(to, pairs[v >> 12], 2);
  to[2] = two ? kDigits[v >> 6 & 63] : '=';
  to[3] = '=';
}

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  if (text.empty()) return std::string();
  const std::size_t padding = text.back() != '=' ? 0 : text[text.size() - 2] != '=' ? 1 : 2;
  const auto& values = digit_values();
  std::string out(text.size() / 4 * 3, '\0');
  const auto value = [&](std::size_t i) {
    return i >= text.size() - padding ? 0 : static_cast<std::int32_t>(values[static_cast<unsigned char>(text[i])]);
  };
  std::int32_t bad = 0;
  std::uint32_t last = 0;
  for (std::size_t i = 0, o = 0; i < text.size(); i += 4, o += 3) {
    const std::int32_t a = value(i), b = value(i + 1), c = value(i + 2), d = value(i + 3);
    bad |= a | b | c | d;
    last = static_cast<std::uint32_t>(a) << 18 | static_cast<std::uint32_t>(b) << 12 |
           static_cast<std::uint32_t>(c) << 6 | static_cast<std::uint32_t>(d);
    out[o] = static_cast<char>(last >> 16);
    out[o + 1] = static_cast<char>(last >> 8);
    out[o + 2] = static_cast<char>(last);
  }
  if (bad < 0 || (last & ((1u << 8 * padding) - 1)) != 0) return std::nullopt;
  out.resize(out.size() - padding);
  return out;
}

}  // namespace sg::host

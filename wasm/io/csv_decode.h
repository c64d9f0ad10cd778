#pragma once
// Bytes of a known encoding to UTF-8, in pieces of any size. UTF-8 passes as it is (the lexer, which knows the line,
// reports what is ill-formed); what UTF-16 cannot mean becomes an ill-formed byte, so that it is reported the same way.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "io/csv.h"

namespace sg {

struct EncodingGuess {
  Encoding encoding = Encoding::utf8;
  size_t mark_bytes = 0;  // of the byte order mark
};

/// By byte order mark, else UTF-16 by where the zero bytes stand, else UTF-8.
EncodingGuess guess_encoding(std::span<const uint8_t> sample);

/// Throws csv.binary when the sample is a known binary format or mostly not text; names what it looks like.
void refuse_binary(std::span<const uint8_t> sample, Encoding encoding);

class TextDecoder {
 public:
  explicit TextDecoder(Encoding encoding) : encoding_(encoding) {}
  /// UTF-8 for these bytes; a view into them or into a buffer that lives until the next call.
  std::string_view decode(std::span<const uint8_t> bytes);
  /// What a cut-off last character becomes.
  std::string_view finish();

 private:
  void unit(uint32_t value);
  void append(uint32_t code_point);

  Encoding encoding_;
  std::string text_;
  std::optional<uint8_t> odd_;   // the first byte of a UTF-16 unit
  uint32_t high_surrogate_ = 0;  // waiting for its low one
};

}  // namespace sg

#include "io/csv_decode.h"

#include <algorithm>
#include <array>

#include "io/csv_types.h"

namespace sg {
namespace {

constexpr char kIllFormed = '\xFF';

std::string_view as_text(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool starts_with(std::span<const uint8_t> bytes, std::string_view start) {
  return as_text(bytes).substr(0, start.size()) == start;
}

struct Magic {
  std::string_view start, what;
};
using namespace std::string_view_literals;
constexpr std::array<Magic, 11> kMagics = {{{"PK\x03\x04"sv, "a zip archive or an Excel workbook"},
                                            {"\xD0\xCF\x11\xE0"sv, "an old Excel workbook"},
                                            {"%PDF"sv, "a PDF document"},
                                            {"\x89PNG"sv, "a PNG picture"},
                                            {"\xFF\xD8\xFF"sv, "a JPEG picture"},
                                            {"\x1F\x8B"sv, "a gzip archive"},
                                            {"PAR1"sv, "a Parquet file"},
                                            {"\x89HDF"sv, "an HDF5 file"},
                                            {"\x93NUMPY"sv, "a NumPy array"},
                                            {"SQLite format 3\0"sv, "an SQLite database"},
                                            {"BZh9"sv, "a bzip2 archive"}}};

/// Windows-1252 from 0x80 to 0x9F; 0 where nothing is assigned.
constexpr std::array<uint16_t, 32> kWindows1252 = {0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                                   0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017D, 0,
                                                   0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                                   0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

}  // namespace

EncodingGuess guess_encoding(std::span<const uint8_t> sample) {
  if (starts_with(sample, "\xEF\xBB\xBF")) return {Encoding::utf8, 3};
  if (starts_with(sample, "\xFF\xFE"sv)) return {Encoding::utf16le, 2};
  if (starts_with(sample, "\xFE\xFF"sv)) return {Encoding::utf16be, 2};
  const size_t pairs = sample.size() / 2;
  size_t zeros[2] = {0, 0};
  for (size_t i = 0; i < pairs * 2; ++i) zeros[i % 2] += sample[i] == 0;
  if (pairs >= 2 && zeros[1] * 2 > pairs && zeros[0] * 20 < pairs) return {Encoding::utf16le, 0};
  if (pairs >= 2 && zeros[0] * 2 > pairs && zeros[1] * 20 < pairs) return {Encoding::utf16be, 0};
  return {};
}

void refuse_binary(std::span<const uint8_t> sample, Encoding encoding) {
  for (const Magic& magic : kMagics) {
    if (starts_with(sample, magic.start)) {
      throw Error("csv.binary", "the file is " + std::string(magic.what) + ", not delimited text; export it as CSV", 1);
    }
  }
  if (encoding == Encoding::utf16le || encoding == Encoding::utf16be) return;
  size_t odd = 0;
  for (const uint8_t c : sample)
    odd += c < 0x20 ? c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != 0x1B : c == 0x7F;
  if (encoding == Encoding::utf8) {
    std::string_view rest = as_text(sample);
    for (size_t bad; (bad = find_invalid_utf8(rest)) != std::string_view::npos; rest.remove_prefix(bad + 1)) ++odd;
  }
  if (odd * 4 > sample.size()) {
    throw Error("csv.binary",
                "the file does not look like text: " + std::to_string(odd) + " of its first " +
                    std::to_string(sample.size()) + " bytes are no characters; if it is text, say in which encoding",
                1);
  }
}

void TextDecoder::append(uint32_t code_point) {
  if (code_point < 0x80) {
    text_ += static_cast<char>(code_point);
    return;
  }
  const auto tail = [&](int shift) { text_ += static_cast<char>(0x80 | ((code_point >> shift) & 0x3F)); };
  if (code_point < 0x800) {
    text_ += static_cast<char>(0xC0 | (code_point >> 6));
  } else if (code_point < 0x10000) {
    text_ += static_cast<char>(0xE0 | (code_point >> 12));
    tail(6);
  } else {
    text_ += static_cast<char>(0xF0 | (code_point >> 18));
    tail(12);
    tail(6);
  }
  tail(0);
}

void TextDecoder::unit(uint32_t value) {
  if (value >= 0xDC00 && value <= 0xDFFF && high_surrogate_ != 0) {
    append(0x10000 + ((high_surrogate_ - 0xD800) << 10) + (value - 0xDC00));
    high_surrogate_ = 0;
    return;
  }
  if (high_surrogate_ != 0) text_ += kIllFormed;
  high_surrogate_ = 0;
  if (value >= 0xD800 && value <= 0xDBFF) {
    high_surrogate_ = value;
  } else if (value >= 0xDC00 && value <= 0xDFFF) {
    text_ += kIllFormed;
  } else {
    append(value);
  }
}

std::string_view TextDecoder::decode(std::span<const uint8_t> bytes) {
  if (encoding_ == Encoding::utf8) return as_text(bytes);
  text_.clear();
  for (const uint8_t byte : bytes) {
    if (encoding_ == Encoding::windows1252) {
      const uint32_t high = byte >= 0x80 && byte <= 0x9F ? kWindows1252[byte - 0x80u] : byte;
      append(high == 0 ? (byte == 0 ? 0u : 0xFFFDu) : high);
    } else if (!odd_) {
      odd_ = byte;
    } else {
      const uint32_t first = *odd_, second = byte;
      odd_.reset();
      unit(encoding_ == Encoding::utf16le ? first | second << 8 : first << 8 | second);
    }
  }
  return text_;
}

std::string_view TextDecoder::finish() {
  text_.clear();
  if (high_surrogate_ != 0) text_ += kIllFormed;
  if (odd_) text_ += kIllFormed;
  high_surrogate_ = 0;
  odd_.reset();
  return text_;
}

}  // namespace sg

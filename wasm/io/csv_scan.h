#pragma once
// Where a line's bytes bend or end a field, sixteen bytes at a time: a comparison for each byte with a meaning, and the
// answer as bits (SSE2 or WebAssembly's SIMD; elsewhere byte by byte, which is also what the tests compare with).

#include <cstddef>
#include <cstdint>

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace sg {

class CsvScan {
 public:
  static constexpr size_t kBlock = 16;
  /// Bit i belongs to byte i.
  struct Bits {
    uint32_t marks = 0;      // the delimiters, the quote (where there is one), LF, CR and NUL
    uint32_t non_ascii = 0;  // what has its highest bit set
  };

  /// `other` is a second delimiter, or the same.
  CsvScan(char delimiter, char quote, char other) : delimiter_(delimiter), other_(other), quote_(quote) {}

  /// Of the kBlock bytes at `p`.
  Bits at(const char* p) const {
#if defined(__wasm_simd128__)
    const v128_t bytes = wasm_v128_load(p);
    const auto is = [&](char c) { return wasm_i8x16_eq(bytes, wasm_i8x16_splat(c)); };
    const v128_t marks = wasm_v128_or(wasm_v128_or(is(delimiter_), wasm_v128_or(is(other_), is(quote_))),
                                      wasm_v128_or(wasm_v128_or(is('\n'), is('\r')), is('\0')));
    return {wasm_i8x16_bitmask(marks), wasm_i8x16_bitmask(bytes)};
#elif defined(__SSE2__)
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const auto is = [&](char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); };
    const __m128i marks = _mm_or_si128(_mm_or_si128(is(delimiter_), _mm_or_si128(is(other_), is(quote_))),
                                       _mm_or_si128(_mm_or_si128(is('\n'), is('\r')), is('\0')));
    return {static_cast<uint32_t>(_mm_movemask_epi8(marks)), static_cast<uint32_t>(_mm_movemask_epi8(bytes))};
#else
    return at_bytes(p, kBlock);
#endif
  }

  /// Of `count` bytes, at most kBlock, of which none is read beyond.
  Bits at_bytes(const char* p, size_t count) const {
    Bits bits;
    for (size_t i = 0; i < count; ++i) {
      const bool mark =
          p[i] == delimiter_ || p[i] == other_ || p[i] == quote_ || p[i] == '\n' || p[i] == '\r' || p[i] == '\0';
      bits.marks |= uint32_t{mark} << i;
      bits.non_ascii |= uint32_t{(static_cast<unsigned char>(p[i]) & 0x80) != 0} << i;
    }
    return bits;
  }

 private:
  char delimiter_, other_, quote_;  // no quote is '\0', which is a mark in any case
};

}  // namespace sg

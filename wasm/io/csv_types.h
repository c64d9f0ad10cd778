#pragma once
// What one cell means: missing, a number, a date. Parsing is by hand and by digits, so that neither a locale nor the
// words and hexadecimals that strtod accepts can change the outcome; a cell is wholly valid or not at all.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sg {

/// Without spaces, tabs and no-break spaces around it.
std::string_view trim(std::string_view cell);

/// "", NA, N/A, NaN, null, None, -, ? and their kin, in any case; `cell` is trimmed.
bool is_missing(std::string_view cell);

/// Marks between groups of three digits, by the last byte of their UTF-8 form.
enum class Thousands : uint8_t { none, comma, point, space, apostrophe, no_break, narrow_no_break, right_quote };

std::string_view to_string(Thousands mark);

struct Number {
  double value = 0;
  Thousands mark = Thousands::none;  // the mark that the cell uses
};

/// [+-] digits [decimal digits] [e[+-]digits], digits before the decimal perhaps in groups of three parted by one mark.
/// Empty for everything else: hexadecimal, infinity, an overflow of double, a bad group.
std::optional<Number> parse_number(std::string_view cell, char decimal);

/// The same for the plainest of cells, and quickly: [-] digits [decimal digits], at most 15 of them. Empty for all
/// else, which parse_number() may still take.
std::optional<double> parse_plain_number(std::string_view cell, char decimal);

/// Days count from 1970-01-01; a cell whose order is open carries the day number of both readings.
struct DateTime {
  bool open_order = false;  // a/b/YYYY or a-b-YYYY, both readings valid and different
  bool day_first = false;   // a/b/YYYY where only the day can come first
  bool month_first = false;
  double month_first_seconds = 0;  // epoch seconds, month read first (the only reading unless open_order)
  double day_first_seconds = 0;
};

/// ISO 8601 dates and times (with or without T, seconds, fraction, Z or offset), YYYY/MM/DD, YYYY-MM, DD.MM.YYYY,
/// and a/b/YYYY or a-b-YYYY, each perhaps with a time, AM or PM. A time without a zone is taken as UTC.
std::optional<DateTime> parse_datetime(std::string_view cell);

/// YYYY-MM-DD or YYYY-MM-DD HH:MM:SS.
std::string format_datetime(double epoch_seconds);

/// At most `bytes` bytes, cut between characters, with an ellipsis when cut.
std::string shorten(std::string_view text, size_t bytes);

/// Length of the well-formed character at the start of `text` (RFC 3629: no overlongs, no surrogates), 0 if none.
size_t utf8_length(std::string_view text);
/// Whether more bytes could make a character of these few.
bool could_begin_utf8(std::string_view text);
/// The position of the first byte that is not well-formed UTF-8, or npos.
size_t find_invalid_utf8(std::string_view text);
/// Each ill-formed byte becomes U+FFFD.
std::string replace_invalid_utf8(std::string_view text);

}  // namespace sg

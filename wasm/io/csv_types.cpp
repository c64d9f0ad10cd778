// Cells to values. Numbers take an exact path (a mantissa below 2^53 and a power of ten that is exact in double) and
// otherwise strtod on a bounded, already validated copy.

#include "io/csv_types.h"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace sg {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

bool starts_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

constexpr std::string_view kNoBreak = "\xC2\xA0", kNarrowNoBreak = "\xE2\x80\xAF", kRightQuote = "\xE2\x80\x99";

struct Mark {
  Thousands mark;
  std::string_view text;
};
constexpr std::array<Mark, 7> kMarks = {{{Thousands::comma, ","},
                                         {Thousands::point, "."},
                                         {Thousands::space, " "},
                                         {Thousands::apostrophe, "'"},
                                         {Thousands::no_break, kNoBreak},
                                         {Thousands::narrow_no_break, kNarrowNoBreak},
                                         {Thousands::right_quote, kRightQuote}}};

/// The mark at the start of `text` that is followed by exactly three digits.
const Mark* group_at(std::string_view text, char decimal) {
  for (const Mark& mark : kMarks) {
    if (!starts_with(text, mark.text) || (mark.text.size() == 1 && mark.text[0] == decimal)) continue;
    const std::string_view rest = text.substr(mark.text.size());
    if (rest.size() < 3 || !is_digit(rest[0]) || !is_digit(rest[1]) || !is_digit(rest[2])) return nullptr;
    return rest.size() > 3 && is_digit(rest[3]) ? nullptr : &mark;
  }
  return nullptr;
}

/// The powers of ten that a double holds exactly.
constexpr std::array<double, 23> kPowers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                            1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// A validated number as strtod reads it: without the marks between its digits, and with a point.
std::string plain_text(std::string_view cell, char decimal) {
  std::string text;
  text.reserve(cell.size());
  for (const char c : cell) {
    if (c == decimal) {
      text += '.';
    } else if (is_digit(c) || c == '-' || c == '+' || c == 'e' || c == 'E') {
      text += c;
    }
  }
  return text;
}

/// Value of a validated number: exact where double arithmetic is, else by strtod.
double decimal_value(std::string_view cell, char decimal, uint64_t mantissa, int digits, int exponent) {
  if (digits <= 15 && exponent >= -22 && exponent <= 22) {
    const double value = static_cast<double>(mantissa);
    const double scaled =
        exponent < 0 ? value / kPowers[static_cast<size_t>(-exponent)] : value * kPowers[static_cast<size_t>(exponent)];
    return cell[0] == '-' ? -scaled : scaled;
  }
  return std::strtod(plain_text(cell, decimal).c_str(), nullptr);
}

}  // namespace

std::string_view trim(std::string_view cell) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v'; };
  for (;;) {
    if (!cell.empty() && blank(cell.front())) {
      cell.remove_prefix(1);
    } else if (starts_with(cell, kNoBreak)) {
      cell.remove_prefix(2);
    } else if (starts_with(cell, kNarrowNoBreak)) {
      cell.remove_prefix(3);
    } else {
      break;
    }
  }
  for (;;) {
    if (!cell.empty() && blank(cell.back())) {
      cell.remove_suffix(1);
    } else if (cell.size() >= 2 && cell.substr(cell.size() - 2) == kNoBreak) {
      cell.remove_suffix(2);
    } else if (cell.size() >= 3 && cell.substr(cell.size() - 3) == kNarrowNoBreak) {
      cell.remove_suffix(3);
    } else {
      return cell;
    }
  }
}

bool is_missing(std::string_view cell) {
  static constexpr std::array<std::string_view, 32> kMissing = {
      "na",     "n/a",  "nan",    "null",    "none",  "-",       "?",     "nil",     "--",      "---",         ".",
      "..",     "...",  "\\n",    "#n/a",    "#na",   "n.a.",    "n.a",   "-nan",    "+nan",    "<na>",        "nat",
      "(null)", "void", "#null!", "#value!", "#ref!", "#div/0!", "#num!", "missing", "unknown", "\xE2\x80\x93"};
  if (cell.empty()) return true;
  if (cell.size() > 8 || std::string_view("nN-?.\\#+<(vVmMuU\xE2").find(cell[0]) == std::string_view::npos)
    return false;
  char low[8];
  for (size_t i = 0; i < cell.size(); ++i) low[i] = lower(cell[i]);
  const std::string_view text(low, cell.size());
  for (const std::string_view word : kMissing) {
    if (text == word) return true;
  }
  return false;
}

std::string_view to_string(Thousands mark) {
  switch (mark) {
    case Thousands::none:
      return "none";
    case Thousands::comma:
      return "comma";
    case Thousands::point:
      return "point";
    case Thousands::space:
      return "space";
    case Thousands::apostrophe:
      return "apostrophe";
    case Thousands::no_break:
      return "no-break space";
    case Thousands::narrow_no_break:
      return "narrow no-break space";
    case Thousands::right_quote:
      return "right single quote";
  }
  return "none";
}

std::optional<Number> parse_number(std::string_view cell, char decimal) {
  if (cell.empty() || cell.size() > 400) return std::nullopt;
  Number number;
  size_t i = 0;
  if (cell[0] == '-' || cell[0] == '+') ++i;
  uint64_t mantissa = 0;
  int digits = 0, exponent = 0;
  const auto take_digits = [&] {
    const size_t start = i;
    for (; i < cell.size() && is_digit(cell[i]); ++i) {
      if (digits > 0 || cell[i] != '0') ++digits;
      if (digits <= 15) mantissa = mantissa * 10 + static_cast<uint64_t>(cell[i] - '0');
    }
    return i - start;
  };
  const size_t whole_start = i;
  size_t whole = take_digits();
  if (whole >= 1 && whole <= 3 && cell[whole_start] != '0') {
    while (const Mark* mark = group_at(cell.substr(i), decimal)) {
      if (number.mark != Thousands::none && number.mark != mark->mark) return std::nullopt;
      number.mark = mark->mark;
      i += mark->text.size();
      whole += take_digits();
    }
  }
  size_t fraction = 0;
  if (i < cell.size() && cell[i] == decimal) {
    ++i;
    fraction = take_digits();
    exponent = -static_cast<int>(fraction);
  }
  if (whole + fraction == 0) return std::nullopt;
  if (i < cell.size() && (cell[i] == 'e' || cell[i] == 'E')) {
    const size_t mark = i++;
    const bool negative = i < cell.size() && cell[i] == '-';
    if (i < cell.size() && (cell[i] == '-' || cell[i] == '+')) ++i;
    int power = 0;
    const size_t start = i;
    for (; i < cell.size() && is_digit(cell[i]); ++i) {
      if (power < 100000) power = power * 10 + (cell[i] - '0');
    }
    if (i == start || mark == 0) return std::nullopt;
    exponent += negative ? -power : power;
  }
  if (i != cell.size()) return std::nullopt;
  number.value = decimal_value(cell, decimal, mantissa, digits, exponent);
  if (!std::isfinite(number.value)) return std::nullopt;
  return number;
}

std::optional<double> parse_plain_number(std::string_view cell, char decimal) {
  const bool negative = !cell.empty() && cell[0] == '-';
  const std::string_view digits = cell.substr(negative);
  if (digits.empty() || digits.size() > 16) return std::nullopt;
  uint64_t mantissa = 0;
  size_t point = digits.size();
  for (size_t i = 0; i < digits.size(); ++i) {
    if (is_digit(digits[i])) {
      mantissa = mantissa * 10 + static_cast<uint64_t>(digits[i] - '0');
    } else if (digits[i] == decimal && point == digits.size() && i > 0 && i + 1 < digits.size()) {
      point = i;
    } else {
      return std::nullopt;
    }
  }
  if (point == digits.size() && digits.size() > 15) return std::nullopt;
  const size_t fraction = point == digits.size() ? 0 : digits.size() - point - 1;
  const double value = static_cast<double>(mantissa) / kPowers[fraction];
  return negative ? -value : value;
}

std::string format_datetime(double epoch_seconds) {
  using namespace std::chrono;
  const double day_count = std::floor(epoch_seconds / 86400);
  if (!std::isfinite(day_count) || std::abs(day_count) > 4e6) return "?";
  const year_month_day date{sys_days{days{static_cast<int>(day_count)}}};
  const int second = static_cast<int>(epoch_seconds - day_count * 86400);
  char text[64];
  const int year = static_cast<int>(date.year());
  const unsigned month = static_cast<unsigned>(date.month()), day = static_cast<unsigned>(date.day());
  if (second == 0) {
    std::snprintf(text, sizeof text, "%04d-%02u-%02u", year, month, day);
  } else {
    std::snprintf(text, sizeof text, "%04d-%02u-%02u %02d:%02d:%02d", year, month, day, second / 3600, second / 60 % 60,
                  second % 60);
  }
  return text;
}

std::string shorten(std::string_view text, size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  size_t end = bytes > 3 ? bytes - 3 : 0;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "\xE2\x80\xA6";
}

size_t utf8_length(std::string_view text) {
  const auto at = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto tail = [&](size_t i, unsigned low = 0x80, unsigned high = 0xBF) { return at(i) >= low && at(i) <= high; };
  const unsigned lead = at(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return tail(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    return tail(1, lead == 0xE0 ? 0xA0 : 0x80, lead == 0xED ? 0x9F : 0xBF) && tail(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    return tail(1, lead == 0xF0 ? 0x90 : 0x80, lead == 0xF4 ? 0x8F : 0xBF) && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

bool could_begin_utf8(std::string_view text) {
  for (const std::string_view end : {"\x80", "\x80\x80", "\x80\x80\x80", "\xBF", "\xBF\x80", "\xBF\x80\x80"}) {
    if (utf8_length(std::string(text).append(end)) > text.size()) return true;
  }
  return false;
}

size_t find_invalid_utf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const size_t length = utf8_length(text.substr(i));
    if (length == 0) return i;
    i += length;
  }
  return std::string_view::npos;
}

std::string replace_invalid_utf8(std::string_view text) {
  std::string clean;
  clean.reserve(text.size() + 8);
  for (size_t i = 0; i < text.size();) {
    const size_t length = utf8_length(text.substr(i));
    if (length == 0) {
      clean += "\xEF\xBF\xBD";
      ++i;
    } else {
      clean += text.substr(i, length);
      i += length;
    }
  }
  return clean;
}

}  // namespace sg

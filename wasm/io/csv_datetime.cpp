// Dates in cells. The calendar is <chrono>'s, so that the 30th of February is refused by the library and not by a
// table of ours; the order of day and month in a/b/YYYY is left open for the column to decide.

#include <chrono>

#include "io/csv_types.h"

namespace sg {
namespace {

/// A reader over a cell; `ok` falls and stays down at the first mismatch.
struct Scan {
  std::string_view rest;
  bool ok = true;

  bool peek(char c) const { return !rest.empty() && rest[0] == c; }
  bool take(char c) {
    if (!peek(c)) return false;
    rest.remove_prefix(1);
    return true;
  }
  void expect(char c) { ok = take(c) && ok; }
  /// Between `least` and `most` digits.
  int digits(size_t least, size_t most) {
    int value = 0;
    size_t n = 0;
    for (; n < most && n < rest.size() && rest[n] >= '0' && rest[n] <= '9'; ++n) value = value * 10 + (rest[n] - '0');
    ok = ok && n >= least;
    rest.remove_prefix(n);
    return value;
  }
  size_t digit_run() const {
    size_t n = 0;
    while (n < rest.size() && rest[n] >= '0' && rest[n] <= '9') ++n;
    return n;
  }
};

std::optional<double> midnight(int year, int month, int day) {
  using namespace std::chrono;
  const year_month_day date{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
                            std::chrono::day{static_cast<unsigned>(day)}};
  if (year < 1 || !date.ok()) return std::nullopt;
  return static_cast<double>(sys_days{date}.time_since_epoch().count()) * 86400.0;
}

/// am is 0 and pm 12; -1 when neither follows.
int half_day(Scan& scan) {
  Scan ahead = scan;
  ahead.take(' ');
  if (ahead.rest.size() < 2 || (ahead.rest[1] | 0x20) != 'm') return -1;
  const char letter = static_cast<char>(ahead.rest[0] | 0x20);
  if (letter != 'a' && letter != 'p') return -1;
  ahead.rest.remove_prefix(2);
  scan = ahead;
  return letter == 'p' ? 12 : 0;
}

/// Seconds to take off for an offset east of Greenwich: Z, +HH, +HHMM or +HH:MM.
double zone(Scan& scan) {
  if (scan.take('Z') || scan.take('z')) return 0;
  Scan ahead = scan;
  ahead.take(' ');
  const bool minus = ahead.peek('-');
  if (!ahead.take('-') && !ahead.take('+')) return 0;
  const int hours = ahead.digits(2, 2);
  const int minutes = ahead.take(':') || ahead.digit_run() == 2 ? ahead.digits(2, 2) : 0;
  ahead.ok = ahead.ok && hours <= 15 && minutes < 60;
  scan = ahead;
  const double seconds = hours * 3600.0 + minutes * 60.0;
  return minus ? -seconds : seconds;
}

/// Seconds after midnight UTC; the rest of the cell must be a time.
double time_of_day(Scan& scan) {
  int hour = scan.digits(1, 2);
  scan.expect(':');
  const int minute = scan.digits(2, 2);
  double second = 0;
  if (scan.take(':')) {
    second = scan.digits(2, 2);
    if (scan.take('.') || scan.take(',')) {
      const size_t run = scan.digit_run();
      scan.ok = scan.ok && run >= 1 && run <= 9;
      double unit = 0.1;
      for (size_t i = 0; scan.ok && i < run; ++i, unit /= 10) second += scan.digits(1, 1) * unit;
    }
  }
  if (const int half = half_day(scan); half >= 0) {
    scan.ok = scan.ok && hour >= 1 && hour <= 12;
    hour = hour % 12 + half;
  }
  const double offset = zone(scan);
  scan.ok = scan.ok && hour < 24 && minute < 60 && second < 60;
  return hour * 3600.0 + minute * 60.0 + second - offset;
}

/// What may follow a date: nothing, or a separator and a time.
double rest_of_day(Scan& scan) {
  if (scan.rest.empty()) return 0;
  if (!scan.take('T') && !scan.take('t')) {
    scan.take(',');
    scan.expect(' ');
  }
  const double seconds = scan.ok ? time_of_day(scan) : 0;
  scan.ok = scan.ok && scan.rest.empty();
  return seconds;
}

std::optional<DateTime> one_reading(std::optional<double> day, Scan& scan) {
  const double seconds = rest_of_day(scan);
  if (!day || !scan.ok) return std::nullopt;
  DateTime result;
  result.month_first_seconds = result.day_first_seconds = *day + seconds;
  return result;
}

/// YYYY-MM-DD, YYYY/MM/DD or YYYY-MM.
std::optional<DateTime> year_first(Scan scan) {
  const int year = scan.digits(4, 4);
  const char separator = scan.peek('/') ? '/' : '-';
  scan.expect(separator);
  const int month = scan.digits(1, 2);
  int day = 1;
  if (!scan.rest.empty() || separator == '/') {
    scan.expect(separator);
    day = scan.digits(1, 2);
  }
  return one_reading(midnight(year, month, day), scan);
}

/// DD.MM.YYYY, or a/b/YYYY and a-b-YYYY whose order may be open.
std::optional<DateTime> year_last(Scan scan) {
  const int first = scan.digits(1, 2);
  const char separator = scan.rest.empty() ? '\0' : scan.rest[0];
  if (separator != '.' && separator != '/' && separator != '-') return std::nullopt;
  scan.expect(separator);
  const int second = scan.digits(1, 2);
  scan.expect(separator);
  const int year = scan.digits(4, 4);
  if (!scan.ok) return std::nullopt;
  const auto day_first = midnight(year, second, first);
  if (separator == '.') return one_reading(day_first, scan);
  const auto month_first = midnight(year, first, second);
  const double seconds = rest_of_day(scan);
  if (!scan.ok || (!day_first && !month_first)) return std::nullopt;
  DateTime result;
  result.open_order = day_first && month_first && first != second;
  result.day_first = !month_first;
  result.month_first = !day_first;
  result.month_first_seconds = (month_first ? *month_first : *day_first) + seconds;
  result.day_first_seconds = (day_first ? *day_first : *month_first) + seconds;
  return result;
}

/// YYYY-MM-DD, perhaps with HH:MM or HH:MM:SS after a space or a T: what most columns hold, read by place. Empty for
/// all else, which the readings above may still take.
std::optional<DateTime> by_place(std::string_view cell) {
  constexpr std::string_view kShape = "0000-00-00 00:00:00";
  if (cell.size() != 10 && cell.size() != 16 && cell.size() != kShape.size()) return std::nullopt;
  for (size_t i = 0; i < cell.size(); ++i) {
    const bool digit = cell[i] >= '0' && cell[i] <= '9';
    if (kShape[i] == '0' ? !digit : cell[i] != kShape[i] && !(i == 10 && cell[i] == 'T')) return std::nullopt;
  }
  const auto two = [&](size_t i) { return i < cell.size() ? (cell[i] - '0') * 10 + (cell[i + 1] - '0') : 0; };
  const auto day = midnight(two(0) * 100 + two(2), two(5), two(8));
  const int hour = two(11), minute = two(14), second = two(17);
  if (!day || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  DateTime result;
  result.month_first_seconds = result.day_first_seconds = *day + (hour * 3600 + minute * 60 + second);
  return result;
}

}  // namespace

std::optional<DateTime> parse_datetime(std::string_view cell) {
  if (cell.size() < 7 || cell.size() > 40) return std::nullopt;
  if (const auto plain = by_place(cell)) return plain;
  const Scan scan{cell};
  const size_t run = scan.digit_run();
  if (run == 4) return year_first(scan);
  return run == 1 || run == 2 ? year_last(scan) : std::nullopt;
}

}  // namespace sg

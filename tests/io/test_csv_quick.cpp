// The quick ways of the reader of delimited text against the slow ones: both must come to the same, whatever the bytes.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "io/column_stats.h"
#include "io/csv_lexer.h"
#include "io/csv_scan.h"
#include "io/csv_types.h"

using namespace sg;

namespace {

/// Every record with the line and the state of its fields, then every repair.
std::string told(std::string_view text, const std::function<size_t()>& piece, CsvLexer::Settings settings = {}) {
  std::string all;
  Repairs repairs;
  CsvLexer lexer(settings, repairs, [&](const CsvRecord& record) {
    all += std::to_string(record.line) + (record.blank ? " blank" : "") + (record.comment ? " comment" : "") + ":";
    for (const CsvField& field : record.fields)
      all += "[" + std::string(field.text) + "|" + std::to_string(field.line) + (field.quoted ? "|q]" : "]");
    all += "\n";
  });
  try {
    while (!text.empty()) {
      const size_t n = std::min(text.size(), piece());
      lexer.feed(text.substr(0, n));
      text.remove_prefix(n);
    }
    lexer.finish();
  } catch (const Error& error) {
    all += error.code() + " " + std::to_string(error.line()) + " " + std::to_string(error.column()) + "\n";
  }
  for (const Repair& repair : repairs.first)
    all += std::to_string(repair.line) + " " + std::to_string(repair.column) + " " + repair.kind + "\n";
  return all + std::to_string(repairs.total);
}

/// Mostly words, with everything that means something between them.
std::string hostile(std::mt19937& random, size_t pieces) {
  static const std::vector<std::string> kPieces = {",",
                                                   ",",
                                                   "\n",
                                                   "\n",
                                                   "\r\n",
                                                   "\r",
                                                   "\"",
                                                   "\"\"",
                                                   ";",
                                                   "\t",
                                                   " ",
                                                   "#",
                                                   "12.5",
                                                   "-7",
                                                   "word",
                                                   "",
                                                   "é",
                                                   "\xFF",
                                                   "\xE2",
                                                   "\x80",
                                                   "longer than a block",
                                                   std::string(1, '\0'),
                                                   "2020-01-01",
                                                   "\"a,b\"",
                                                   "\"x\ny\""};
  std::string text;
  for (size_t i = 0; i < pieces; ++i) text += kPieces[random() % kPieces.size()];
  return text;
}

/// A table as most are, so that the quick way is taken line after line, with one odd byte somewhere.
std::string tame(std::mt19937& random) {
  std::string text;
  for (int row = 0; row < 12; ++row) {
    for (int c = 0; c < 5; ++c) text += (c > 0 ? "," : "") + std::string(random() % 21, static_cast<char>('a' + c));
    text += "\n";
  }
  if (random() % 3 == 0) std::replace(text.begin(), text.end(), ',', ' ');
  if (random() % 2 == 0) text[random() % text.size()] = ",\n\r\"\0\xC3 "[random() % 7];
  return text;
}

}  // namespace

TEST_CASE("sixteen bytes at a time show the same marks as one by one, at every offset", "[io]") {
  std::mt19937 random(16);
  for (const char quote : {'"', '\'', '\0'}) {
    for (const char delimiter : {',', ';', '\t', '|', ' '}) {
      const CsvScan scan(delimiter, quote, delimiter == ' ' ? '\t' : delimiter);
      std::string text(400, 'x');
      for (char& c : text) c = static_cast<char>(random() % 3 == 0 ? random() : (",;\t|\n\r\"'\0 a"[random() % 11]));
      for (size_t at = 0; at + CsvScan::kBlock <= text.size(); ++at) {
        const CsvScan::Bits quick = scan.at(text.data() + at), slow = scan.at_bytes(text.data() + at, CsvScan::kBlock);
        REQUIRE(quick.marks == slow.marks);
        REQUIRE(quick.non_ascii == slow.non_ascii);
      }
    }
  }
}

TEST_CASE("whole lines and single bytes make the same records, whatever they hold", "[io]") {
  std::mt19937 random(7);
  const auto one = [] { return size_t{1}; };
  const auto all = [] { return size_t{1} << 20; };
  const auto some = [&] { return 1 + random() % 40; };
  for (int round = 0; round < 4000; ++round) {
    const std::string text = round % 2 == 0 ? hostile(random, random() % 60) : tame(random);
    CsvLexer::Settings settings;
    if (round % 3 == 0) settings.delimiter = ' ';
    if (round % 5 == 0) settings.quote = '\0';
    if (round % 7 == 0) settings.max_line_bytes = 1 + random() % 40;
    if (round % 11 == 0) settings.max_columns = 1 + random() % 6;
    INFO(text);
    const std::string slow = told(text, one, settings);
    REQUIRE(told(text, all, settings) == slow);
    REQUIRE(told(text, some, settings) == slow);
  }
}

TEST_CASE("a plain number is the double that its digits are nearest to", "[io]") {
  std::mt19937_64 random(64);
  for (int round = 0; round < 20'000; ++round) {
    std::string cell = std::to_string(random() % 1'000'000'000'000'000 >> random() % 50);
    if (const size_t point = random() % (cell.size() + 2); point > 0 && point < cell.size()) cell.insert(point, ".");
    if (random() % 3 == 0) cell.insert(0, "-");
    const double nearest = std::strtod(cell.c_str(), nullptr);
    const auto plain = parse_plain_number(cell, '.');
    INFO(cell);
    REQUIRE(plain == nearest);
    // With an exponent the cell leaves the plain way.
    const auto by_power = parse_number(cell + "e-3", '.');
    REQUIRE(by_power);
    REQUIRE(by_power->value == std::strtod((cell + "e-3").c_str(), nullptr));
  }
}

TEST_CASE("numbers of more digits than a double holds come from their text without its marks", "[io]") {
  for (const std::string cell : {"1,234,567,890,123,456,789.25", "-1,234,567,890,123,456,789", "+12345678901234567890",
                                 "0.1234567890123456789e-30", "1,234e300"}) {
    std::string text = cell;
    text.erase(std::remove(text.begin(), text.end(), ','), text.end());
    INFO(cell);
    REQUIRE(parse_number(cell, '.'));
    CHECK(parse_number(cell, '.')->value == std::strtod(text.c_str(), nullptr));
  }
  CHECK(parse_number("1.234.567.890.123.456.789,25", ',')->value == 1234567890123456789.25);
}

TEST_CASE("a date read by place is the one that is read part by part", "[io]") {
  std::mt19937 random(3);
  const auto digits = [&](int most) {
    const int value = static_cast<int>(random() % static_cast<unsigned>(most));
    return (value < 10 ? "0" : "") + std::to_string(value);
  };
  for (int round = 0; round < 20'000; ++round) {
    const std::string year = digits(100) + digits(100);
    const std::string day = year + "-" + digits(14) + "-" + digits(33);
    std::string time = (random() % 2 == 0 ? " " : "T") + digits(26) + ":" + digits(62);
    if (random() % 2 == 0) time += ":" + digits(62);
    INFO(day << time);
    // A zone at the end takes the cell off the quick way, and Z is no shift.
    const auto quick = parse_datetime(day + time), slow = parse_datetime(day + time + "Z");
    REQUIRE(quick.has_value() == slow.has_value());
    if (quick) REQUIRE(quick->month_first_seconds == slow->month_first_seconds);
    if (quick) REQUIRE(quick->day_first_seconds == slow->day_first_seconds);
    if (quick) REQUIRE_FALSE((quick->open_order || quick->day_first || quick->month_first));
    std::string slashed = day;
    slashed[4] = slashed[7] = '/';
    const auto date = parse_datetime(day), other = parse_datetime(slashed);
    REQUIRE(date.has_value() == other.has_value());
    if (date) REQUIRE(date->month_first_seconds == other->month_first_seconds);
  }
  for (const std::string bad : {"2020-01-01x12:00", "2020-01-01 12-00", "2020_01-01", "2020-01-0 ", "2020-01-01  1:00"})
    CHECK_FALSE(parse_datetime(bad));
}

TEST_CASE("steps between times are counted alike in runs and one by one", "[io]") {
  TimeStats stats;
  double now = 1000;
  // Sixty times a minute, then thrice back and forth, then sixty times a minute with one gap.
  for (int i = 0; i < 60; ++i) stats.add(now += 60);
  for (int i = 0; i < 3; ++i) stats.add(now -= 30), stats.add(now += 90);
  for (int i = 0; i < 60; ++i) stats.add(now += i == 30 ? 600 : 60);
  ColumnStats told;
  stats.write(told);
  CHECK(told.count == 126);
  CHECK(told.first == 1060);
  CHECK(told.step_seconds == 60);
  CHECK(told.out_of_order == 3);
  CHECK(told.gaps == 1);
}

#pragma once
// Shared by the CSV tests: tables from text, and the repair of a kind.

#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "io/csv_options.h"
#include "io/table_json.h"

namespace sg {

inline std::span<const uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

/// `n` rows "begin,i,end" style lines made by a function of the row.
inline std::string lines_of(size_t n, const std::function<std::string(size_t)>& line) {
  std::string text;
  for (size_t i = 0; i < n; ++i) text += line(i) + "\n";
  return text;
}

inline const Repair& repair_of(const Table& table, const std::string& kind) {
  for (const Repair& repair : table.repairs.first) {
    if (repair.kind == kind) return repair;
  }
  FAIL("no repair of kind " << kind << " in " << describe(table)["repairs"].dump());
  return table.repairs.first.front();
}

inline std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const Column& column : table.columns) names.push_back(column.name);
  return names;
}

/// The error that the text gives; fails when it gives none.
inline Error csv_error(std::string_view text, CsvOptions options = {}) {
  try {
    read_csv(text, std::move(options));
  } catch (const Error& error) {
    return error;
  }
  FAIL("no error for: " << text.substr(0, 60));
  return Error("", "");
}

inline std::string utf16(std::string_view ascii, bool little, bool mark) {
  std::string bytes;
  const auto unit = [&](unsigned value) {
    const char low = static_cast<char>(value & 0xFF), high = static_cast<char>(value >> 8);
    bytes += little ? low : high;
    bytes += little ? high : low;
  };
  if (mark) unit(0xFEFF);
  for (const char c : ascii) unit(static_cast<unsigned char>(c));
  return bytes;
}

}  // namespace sg

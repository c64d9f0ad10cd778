#include "io/table.h"

#include <algorithm>

#include "io/csv_types.h"

namespace sg {
namespace {

constexpr ColumnType kTypes[] = {ColumnType::number, ColumnType::datetime, ColumnType::category, ColumnType::text,
                                 ColumnType::elements};

}  // namespace

std::string_view to_string(ColumnType type) {
  switch (type) {
    case ColumnType::number:
      return "number";
    case ColumnType::datetime:
      return "datetime";
    case ColumnType::category:
      return "category";
    case ColumnType::text:
      return "text";
    case ColumnType::elements:
      return "elements";
  }
  return "text";
}

ColumnType column_type_named(std::string_view name) {
  for (const ColumnType type : kTypes)
    if (name == to_string(type)) return type;
  throw Error("table.bad_type", "'" + shorten(name, 40) + "' is no type of a column");
}

size_t Column::row_elements() const {
  size_t elements = 1;
  for (const size_t n : shape) elements *= n;
  return elements;
}

void Repairs::add(uint64_t line, uint64_t column, const std::string& kind, std::string text) {
  ++total;
  ++by_kind[kind];
  if (first.size() < kept) first.push_back({line, column, kind, std::move(text)});
}

uint64_t line_of_row(const LineJumps& jumps, uint64_t row) {
  const auto after =
      std::upper_bound(jumps.begin(), jumps.end(), row, [](uint64_t r, const auto& jump) { return r < jump.first; });
  if (after == jumps.begin()) return row + 1;
  const auto& [start, line] = *std::prev(after);
  return line + (row - start);
}

void add_lines(LineJumps& jumps, const LineJumps& more) {
  for (const auto& [row, line] : more) {
    const bool follows = !jumps.empty() && line == jumps.back().second + (row - jumps.back().first);
    if (!follows) jumps.emplace_back(row, line);
  }
}

size_t Table::index_of(std::string_view column) const {
  std::string known;
  for (const Column& c : columns) {
    if (c.name == column) return c.index;
    if (c.index < 20) known += (known.empty() ? "'" : ", '") + shorten(c.name, 40) + "'";
  }
  throw Error("table.no_such_column", "there is no column '" + shorten(column, 80) + "'; there are " +
                                          std::to_string(columns.size()) + ": " + known +
                                          (columns.size() > 20 ? ", ..." : ""));
}

}  // namespace sg

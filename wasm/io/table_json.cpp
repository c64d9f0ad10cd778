#include "io/table_json.h"

#include <algorithm>

#include "io/csv_types.h"

namespace sg {
namespace {

using nlohmann::json;

template <typename T>
void put(json& object, const char* key, const std::optional<T>& value) {
  if (value) object[key] = *value;
}

json describe_column(const Column& column) {
  json result = {{"index", column.index},           {"name", column.name},
                 {"type", to_string(column.type)},  {"count", column.stats.count},
                 {"missing", column.stats.missing}, {"examples", column.examples}};
  put(result, "min", column.stats.min);
  put(result, "max", column.stats.max);
  put(result, "mean", column.stats.mean);
  put(result, "std", column.stats.std);
  put(result, "distinct", column.stats.distinct);
  put(result, "first", column.stats.first);
  put(result, "last", column.stats.last);
  put(result, "stepSeconds", column.stats.step_seconds);
  put(result, "gaps", column.stats.gaps);
  put(result, "outOfOrder", column.stats.out_of_order);
  if (column.ambiguous) result["ambiguous"] = true;
  if (column.type == ColumnType::elements) result["shape"] = column.shape;
  return result;
}

json describe_preview(const Table& table, size_t columns, const DescribeLimits& limits) {
  json preview = json::array();
  size_t bytes = 0, cells_left = limits.preview_cells;
  for (const auto& row : table.preview) {
    if (columns > cells_left && !preview.empty()) break;
    cells_left -= std::min(cells_left, columns);
    json cells = json::array();
    for (size_t c = 0; c < std::min(columns, row.size()); ++c) {
      cells.push_back(row[c]);
      bytes += row[c].size() + 3;
    }
    if (preview.size() == limits.preview_rows || (bytes > limits.preview_bytes && !preview.empty())) break;
    preview.push_back(std::move(cells));
  }
  return preview;
}

}  // namespace

json describe(const Table& table, const DescribeLimits& limits) {
  const size_t columns = std::min(limits.columns, table.columns.size());
  json result = table.facts;
  result["format"] = table.format;
  result["rows"] = table.rows;
  result["columnCount"] = table.columns.size();
  result["columns"] = json::array();
  result["preview"] = describe_preview(table, columns, limits);
  if (!table.name.empty()) result["name"] = table.name;
  for (size_t c = 0; c < columns; ++c) result["columns"].push_back(describe_column(table.columns[c]));
  json first = json::array();
  for (const Repair& repair : table.repairs.first) {
    first.push_back({{"line", repair.line}, {"column", repair.column}, {"kind", repair.kind}, {"text", repair.text}});
  }
  result["repairs"] = {{"total", table.repairs.total}, {"byKind", table.repairs.by_kind}, {"first", std::move(first)}};
  return result;
}

}  // namespace sg

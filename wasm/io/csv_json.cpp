#include "io/csv_json.h"

#include <algorithm>

#include "io/csv_types.h"

namespace sg {
namespace {

using nlohmann::json;

template <typename T>
void put(json& object, const char* key, const std::optional<T>& value) {
  if (value) object[key] = *value;
}

json describe_column(const CsvColumn& column) {
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
  return result;
}

json describe_preview(const CsvTable& table, size_t columns, const DescribeLimits& limits) {
  json preview = json::array();
  size_t bytes = 0;
  for (const auto& row : table.preview) {
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

[[noreturn]] void bad_option(const std::string& field, const std::string& wanted) {
  throw Error("csv.bad_option", "option '" + field + "' must be " + wanted);
}

std::optional<char> character(const json& value, const std::string& field) {
  if (!value.is_string() || value.get_ref<const std::string&>().size() > 1) bad_option(field, "one ASCII character");
  const std::string& text = value.get_ref<const std::string&>();
  const char c = text.empty() ? '\0' : text[0];
  if (static_cast<unsigned char>(c) >= 0x80 || c == '\n' || c == '\r') bad_option(field, "one ASCII character");
  if (c == '\0' && field == "delimiter") bad_option(field, "one ASCII character");
  return c;
}

bool boolean(const json& value, const std::string& field) {
  if (!value.is_boolean()) bad_option(field, "true or false");
  return value.get<bool>();
}

Encoding encoding(const json& value) {
  for (const Encoding e : {Encoding::utf8, Encoding::utf16le, Encoding::utf16be, Encoding::windows1252}) {
    if (value == to_string(e)) return e;
  }
  bad_option("encoding", "utf-8, utf-16le, utf-16be or windows-1252");
}

ColumnType column_type(const json& value, const std::string& field) {
  for (const ColumnType t : {ColumnType::number, ColumnType::datetime, ColumnType::category, ColumnType::text}) {
    if (value == to_string(t)) return t;
  }
  bad_option(field, "number, datetime, category or text");
}

std::map<size_t, ColumnType> column_types(const json& value) {
  if (!value.is_object()) bad_option("types", "an object of column index to type");
  std::map<size_t, ColumnType> types;
  for (const auto& [key, type] : value.items()) {
    if (key.empty() || key.size() > 6 || key.find_first_not_of("0123456789") != std::string::npos) {
      bad_option("types", "an object of column index to type");
    }
    types[std::stoul(key)] = column_type(type, "types." + key);
  }
  return types;
}

}  // namespace

json describe(const CsvTable& table, const DescribeLimits& limits) {
  const size_t columns = std::min(limits.columns, table.columns.size());
  json result = {{"rows", table.rows},
                 {"columnCount", table.columns.size()},
                 {"delimiter", std::string(1, table.dialect.delimiter)},
                 {"quote", table.dialect.quote == '\0' ? "" : std::string(1, table.dialect.quote)},
                 {"header", table.dialect.header},
                 {"decimalComma", table.dialect.decimal_comma},
                 {"encoding", to_string(table.dialect.encoding)},
                 {"columns", json::array()},
                 {"preview", describe_preview(table, columns, limits)}};
  if (!table.name.empty()) result["name"] = table.name;
  for (size_t c = 0; c < columns; ++c) result["columns"].push_back(describe_column(table.columns[c]));
  json first = json::array();
  for (const CsvRepair& repair : table.repairs.first) {
    first.push_back({{"line", repair.line}, {"column", repair.column}, {"kind", repair.kind}, {"text", repair.text}});
  }
  result["repairs"] = {{"total", table.repairs.total}, {"byKind", table.repairs.by_kind}, {"first", std::move(first)}};
  return result;
}

CsvOptions csv_options_from_json(const json& options) {
  CsvOptions result;
  if (options.is_null()) return result;
  if (!options.is_object()) throw Error("csv.bad_option", "options must be an object");
  for (const auto& [field, value] : options.items()) {
    if (value.is_null()) continue;
    if (field == "delimiter") {
      result.delimiter = character(value, field);
    } else if (field == "quote") {
      result.quote = character(value, field);
    } else if (field == "header") {
      result.header = boolean(value, field);
    } else if (field == "decimalComma") {
      result.decimal_comma = boolean(value, field);
    } else if (field == "dayFirst") {
      result.day_first = boolean(value, field);
    } else if (field == "encoding") {
      result.encoding = encoding(value);
    } else if (field == "types") {
      result.types = column_types(value);
    } else if (field == "previewRows") {
      if (!value.is_number_unsigned() || value.get<uint64_t>() > 1000) bad_option(field, "a number from 0 to 1000");
      result.preview_rows = value.get<size_t>();
    } else if (field == "name") {
      if (!value.is_string()) bad_option(field, "text");
      result.name = value.get<std::string>();
    } else {
      throw Error("csv.bad_option", "there is no option '" + shorten(field, 80) + "'");
    }
  }
  return result;
}

}  // namespace sg

#include "io/csv_options.h"

#include "io/csv_types.h"

namespace sg {
namespace {

using nlohmann::json;

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

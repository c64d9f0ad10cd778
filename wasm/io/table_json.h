#pragma once
// The description of a table as the pages and the host send it, and the options as they arrive. One place, so that
// both doors to a file show the same thing.

#include <nlohmann/json.hpp>

#include "io/table.h"

namespace sg {

/// A message has a size limit: a wide table is described up to these bounds, and `columnCount` tells the whole.
struct DescribeLimits {
  size_t columns = 1000;
  size_t preview_rows = 50;
  size_t preview_cells = 5'000;  // a page makes an element of each
  size_t preview_bytes = 256 * 1024;
};

/// {name?, rows, columnCount, delimiter, quote, header, decimalComma, encoding,
///  columns: [{index, name, type, count, missing, min?, max?, mean?, std?, distinct?, first?, last?, stepSeconds?,
///             gaps?, outOfOrder?, ambiguous?, examples}],
///  preview: [[...]], repairs: {total, byKind: {}, first: [{line, column, kind, text}]}}
/// An absent statistic is left out; datetimes are epoch seconds.
nlohmann::json describe(const Table& table, const DescribeLimits& limits = {});

}  // namespace sg

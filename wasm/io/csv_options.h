#pragma once
// The options of delimited text as they arrive from a page or a message.

#include <nlohmann/json.hpp>

#include "io/csv.h"

namespace sg {

/// From {name?, delimiter?, quote?, header?, decimalComma?, dayFirst?, encoding?, types?: {"0": "number"},
/// previewRows?}; throws csv.bad_option naming the field.
CsvOptions csv_options_from_json(const nlohmann::json& json);

}  // namespace sg

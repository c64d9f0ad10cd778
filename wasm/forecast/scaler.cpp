#include "forecast/scaler.h"

#include <algorithm>
#include <cmath>

namespace sg {
namespace {

ColumnScale fit_column(const SeriesColumn& column, uint64_t training_rows) {
  ColumnFit fit;
  for (size_t r = 0; r < std::min<uint64_t>(training_rows, column.values.size()); ++r) fit.add(column.values[r]);
  return fit.result(column.name, training_rows);
}

void check_names(const std::vector<std::string>& names, const std::vector<ColumnScale>& scales,
                 const std::string& role) {
  bool same = names.size() == scales.size();
  for (size_t c = 0; same && c < names.size(); ++c) same = names[c] == scales[c].name;
  if (same) return;
  std::string wanted;
  for (const ColumnScale& scale : scales) wanted += (wanted.empty() ? "'" : ", '") + scale.name + "'";
  throw Error("checkpoint.mismatch", "the checkpoint was trained with the " + role + " columns " + wanted +
                                         "; choose a file and columns with these names, in this order");
}

nlohmann::json columns_to_json(const std::vector<ColumnScale>& columns) {
  nlohmann::json list = nlohmann::json::array();
  for (const ColumnScale& c : columns) list.push_back({{"name", c.name}, {"mean", c.mean}, {"std", c.std}});
  return list;
}

[[noreturn]] void bad_scaler(const std::string& field) {
  throw Error("checkpoint.corrupt", "the scaler's field '" + field + "' is missing or wrong");
}

std::vector<ColumnScale> columns_from_json(const nlohmann::json& json, const std::string& field) {
  if (!json.is_object() || !json.contains(field) || !json[field].is_array() || json[field].empty()) bad_scaler(field);
  std::vector<ColumnScale> columns;
  for (const nlohmann::json& entry : json[field]) {
    const bool shaped = entry.is_object() && entry.contains("name") && entry["name"].is_string() &&
                        entry.contains("mean") && entry["mean"].is_number() && entry.contains("std") &&
                        entry["std"].is_number();
    if (!shaped) bad_scaler(field + "[" + std::to_string(columns.size()) + "]");
    const ColumnScale column{entry["name"], entry["mean"], entry["std"]};
    if (!std::isfinite(column.mean) || !std::isfinite(column.std) || column.std <= 0) bad_scaler(field + ".std");
    columns.push_back(column);
  }
  return columns;
}

}  // namespace

ColumnScale ColumnFit::result(const std::string& name, uint64_t training_rows) const {
  if (count_ == 0) {
    throw Error("forecast.empty_column", "column '" + name + "' has no value in the training part (rows 1 to " +
                                             std::to_string(training_rows) + "); choose another column");
  }
  const double std = std::sqrt(squares_ / static_cast<double>(count_));
  // What rounding leaves of a constant column is no variation.
  return {name, mean_, std > std::abs(mean_) * 1e-12 ? std : 1.0};
}

void Scaler::check_columns(const std::vector<std::string>& feature_names,
                           const std::vector<std::string>& target_names) const {
  check_names(feature_names, features, "feature");
  check_names(target_names, targets, "target");
}

Scaler Scaler::fit(const SeriesTable& table, uint64_t training_rows) {
  Scaler scaler;
  for (const SeriesColumn& c : table.features) scaler.features.push_back(fit_column(c, training_rows));
  for (const SeriesColumn& c : table.targets) scaler.targets.push_back(fit_column(c, training_rows));
  return scaler;
}

void Scaler::restore_targets(std::span<float> y) const {
  for (size_t i = 0; i < y.size(); ++i) y[i] = static_cast<float>(targets[i % targets.size()].restore(y[i]));
}

nlohmann::json Scaler::to_json() const {
  return {{"kind", "standard"}, {"features", columns_to_json(features)}, {"targets", columns_to_json(targets)}};
}

Scaler Scaler::from_json(const nlohmann::json& json) {
  if (!json.is_object() || json.value("kind", nlohmann::json()) != "standard") bad_scaler("kind");
  return {columns_from_json(json, "features"), columns_from_json(json, "targets")};
}

}  // namespace sg

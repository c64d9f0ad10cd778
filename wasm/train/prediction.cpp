#include "train/prediction.h"

#include <algorithm>
#include <cmath>

#include "forecast/series.h"
#include "io/typed_column.h"

namespace sg::train {
namespace {

constexpr size_t kRowsAtOnce = 256;

/// As RFC 4180 has it.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string written(float value) { return format_number(double{value}); }

/// The indices of those names; all that are missing are told at once.
std::vector<size_t> columns_of(const Table& table, const std::vector<std::string>& names) {
  std::vector<size_t> found;
  std::string missing;
  for (const std::string& name : names) {
    const auto at = std::find_if(table.columns.begin(), table.columns.end(),
                                 [&](const Column& column) { return column.name == name; });
    if (at == table.columns.end())
      missing += (missing.empty() ? "'" : ", '") + name + "'";
    else
      found.push_back(static_cast<size_t>(at - table.columns.begin()));
  }
  if (!missing.empty())
    throw Error("predict.missing_column", "'" + table.name + "' lacks " + missing +
                                              ", which the model learnt from: choose a file that has the same columns");
  return found;
}

std::vector<std::string> features_of(const Session& session) {
  if (const TableEncoding* table = session.data().encoding()) return table->features;
  std::vector<std::string> names;
  for (const ColumnScale& feature : session.data().scaler().features) names.push_back(feature.name);
  return names;
}

}  // namespace

Prediction::Prediction(Session& session, const Table& table, size_t request_floats)
    : session_(session),
      table_(session.data().encoding()),
      of_(table.rows),
      feed_(columns_of(table, features_of(session)), request_floats) {
  const std::vector<size_t> at = columns_of(table, features_of(session));
  for (const size_t c : at) {
    const Column& column = table.columns[c];
    const bool category = column.type == ColumnType::category;
    if (column.type != ColumnType::number && !(table_ && category))
      throw Error("table.column_type", "column '" + column.name + "' holds " + std::string(to_string(column.type)) +
                                           ", and the model learnt from " + (table_ ? "another type" : "numbers") +
                                           " there");
    columns_.push_back({column.name, category, column.categories, {}});
  }
  if (table_) {
    encoder_.emplace(*table_, columns_);
    text_ = "row,prediction";
    for (const std::string& name : table_->classes) text_ += "," + cell("p(" + name + ")");
    text_ += "\n";
    feed_.ask({{0, of_}});
    return;
  }
  const auto time = static_cast<uint64_t>(session.config().look_back);
  if (of_ < time)
    throw Error("predict.too_few_rows", "'" + table.name + "' has " + std::to_string(of_) +
                                            " rows, and a forecast is made from " + std::to_string(time));
  text_ = "row,ahead,prediction\n";
  series_.resize(columns_.size());
  feed_.ask({{of_ - time, time}});
}

void Prediction::fed() {
  const RowChunk chunk = feed_.fed();
  if (table_)
    say_table(chunk);
  else
    say_series(chunk);
}

void Prediction::feed_from(const Table& table) {
  const auto need = feed_.need();
  if (!need) return;
  for (size_t k = 0; k < need->columns.size(); ++k) {
    const Column& column = table.columns[need->columns[k]];
    if (column.numbers.size() + column.codes.size() != table.rows)
      throw Error("table.no_values", "the table was read without keeping its columns");
    float* to = need->values + k * need->rows;
    for (size_t r = 0; r < need->rows; ++r) {
      const size_t row = static_cast<size_t>(need->first) + r;
      to[r] = column.type == ColumnType::number   ? column.numbers[row]
              : column.codes[row] == kMissingCode ? NAN
                                                  : static_cast<float>(column.codes[row]);
    }
  }
  fed();
}

void Prediction::say_table(const RowChunk& chunk) {
  const size_t width = table_->width(), classes = table_->classes.size();
  std::vector<std::span<const float>> cells(columns_.size());
  for (size_t first = 0; first < chunk.rows; first += kRowsAtOnce) {
    const size_t n = std::min(kRowsAtOnce, chunk.rows - first);
    // A column that was chosen once stands once in a chunk.
    for (size_t c = 0; c < columns_.size(); ++c) cells[c] = chunk.column(c).subspan(first, n);
    std::vector<float> x(n * width);
    encoder_->encode(cells, n, x);
    Forecast f = session_.outputs(x, std::vector<float>(n, 0.0f));
    if (classes > 0)
      to_probabilities(f.values, classes);
    else
      session_.data().scaler().restore_targets(f.values);
    for (size_t r = 0; r < n; ++r) {
      text_ += std::to_string(chunk.first + first + r + 1) + ",";
      if (classes == 0) {
        text_ += written(f.values[r]) + "\n";
        continue;
      }
      const std::span<const float> row = std::span(f.values).subspan(r * classes, classes);
      text_ += cell(table_->classes[predicted_class(row)]);
      for (const float p : row) text_ += "," + written(p);
      text_ += "\n";
    }
  }
  rows_ += chunk.rows;
}

void Prediction::say_series(const RowChunk& chunk) {
  for (size_t f = 0; f < series_.size(); ++f) {
    const std::span<const float> values = chunk.column(f);
    for (size_t r = 0; r < values.size(); ++r)
      if (std::isnan(values[r]))
        throw Error("predict.gap", "column '" + columns_[f].name + "' has no value in row " +
                                       std::to_string(chunk.first + r + 1) +
                                       ", and a forecast needs all of the last rows: fill the gap");
    series_[f].insert(series_[f].end(), values.begin(), values.end());
  }
  if (feed_.need()) return;
  const Scaler& scaler = session_.data().scaler();
  const size_t time = static_cast<size_t>(session_.config().look_back), features = series_.size();
  std::vector<float> x(time * features);
  for (size_t t = 0; t < time; ++t)
    for (size_t f = 0; f < features; ++f) x[t * features + f] = scaler.features[f].scale(series_[f][t]);
  const size_t horizon = static_cast<size_t>(session_.config().horizon), targets = scaler.targets.size();
  Forecast f = session_.outputs(x, std::vector<float>(horizon * targets, 0.0f));
  scaler.restore_targets(f.values);
  for (size_t h = 0; h < horizon; ++h)
    text_ += std::to_string(of_ + h + 1) + "," + std::to_string(h + 1) + "," + written(f.values[h * targets]) + "\n";
  rows_ = horizon;
}

std::vector<RowEncoder::Unseen> Prediction::unseen() const {
  std::vector<RowEncoder::Unseen> all;
  if (encoder_)
    for (const RowEncoder::Unseen& u : encoder_->unseen())
      if (u.rows > 0) all.push_back(u);
  return all;
}

}  // namespace sg::train

#include "tables/table_data.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/random.h"
#include "io/scalars.h"
#include "io/typed_column.h"

namespace sg {
namespace {

TableColumn usable(const Table& table, size_t index, const std::string& role) {
  if (index >= table.columns.size()) throw Error("table.no_such_column", "there is no column " + std::to_string(index));
  const Column& column = table.columns[index];
  if (column.type != ColumnType::number && column.type != ColumnType::category)
    throw Error("table.not_usable",
                "column '" + column.name + "' holds " + std::string(to_string(column.type)) + ", and a " + role +
                    " must be numbers or categories: leave it out, or import the file with another type for it",
                0, index + 1);
  return {column.name, column.type == ColumnType::category, column.categories, {}};
}

std::vector<float> cells_of(const Column& column, uint64_t rows) {
  std::vector<float> cells = column.numbers;
  for (const uint32_t code : column.codes) cells.push_back(code == kMissingCode ? NAN : static_cast<float>(code));
  if (cells.size() != rows) throw Error("table.no_values", "the table was read without keeping its columns");
  return cells;
}

/// Fisher and Yates, from the seed alone.
void shuffle(std::vector<uint32_t>& rows, uint64_t seed, uint32_t what) {
  const Generator g{seed, 0};
  for (size_t i = rows.size(); i > 1; --i) {
    const uint32_t bits =
        philox({static_cast<uint32_t>(i), static_cast<uint32_t>(Stream::shuffle), what, 1}, g.low(), g.high())[0];
    std::swap(rows[i - 1], rows[static_cast<size_t>((uint64_t{bits} * i) >> 32)]);
  }
}

}  // namespace

TableChoice choose_table(const Table& table, const std::vector<size_t>& features, size_t target, bool classification) {
  TableChoice choice;
  choice.rows = table.rows;
  choice.target = usable(table, target, "target");
  if (choice.target.category && !classification)
    throw Error("table.target_type", "column '" + choice.target.name +
                                         "' holds categories, and a regression predicts numbers: choose another "
                                         "column, or the task classification");
  for (const size_t f : features) {
    if (f == target)
      throw Error("table.leak", "column '" + choice.target.name +
                                    "' is the target, and learning from it would give the answer away: leave it out "
                                    "of the columns to learn from");
    choice.features.push_back(usable(table, f, "feature"));
    choice.columns.push_back(f);
  }
  if (choice.features.empty()) throw Error("table.no_feature", "choose at least one column to learn from");
  choice.columns.push_back(target);
  return choice;
}

TableChoice table_columns(const Table& table, TableChoice choice) {
  for (size_t f = 0; f < choice.features.size(); ++f)
    choice.features[f].cells = cells_of(table.columns[choice.columns[f]], table.rows);
  choice.target.cells = cells_of(table.columns[choice.columns.back()], table.rows);
  return choice;
}

TableData::TableData(const TableChoice& choice, const TableConfig& config)
    : TableData(choice, config, std::nullopt, 0) {}

TableData::TableData(const TableChoice& choice, const TableConfig& config, TableEncoding encoding)
    : TableData(choice, config, std::optional(std::move(encoding)), 0) {}

TableData::TableData(const TableChoice& choice, const TableConfig& config, std::optional<TableEncoding> encoding, int)
    : ForecastData(static_cast<size_t>(choice.rows), {1, 1, config.validation_fraction, true}, {}) {
  const bool fresh = !encoding;
  if (encoding) {
    encoding_ = std::move(*encoding);
    bool same = encoding_.features.size() == choice.features.size() && encoding_.target.name == choice.target.name &&
                encoding_.classes.empty() != config.classification;
    for (size_t f = 0; same && f < choice.features.size(); ++f) same = encoding_.features[f] == choice.features[f].name;
    if (!same) throw Error("checkpoint.mismatch", "the checkpoint was trained on other columns, or for another task");
  } else {
    encoding_.target = {choice.target.name, 0, 1};
    encoding_.target_category = choice.target.category;
    if (config.classification) {
      std::set<float> seen;
      for (const float v : choice.target.cells)
        if (!std::isnan(v) && seen.insert(v).second && seen.size() > kMostClasses)
          throw Error("table.too_many_classes", "column '" + choice.target.name + "' has more than " +
                                                    std::to_string(kMostClasses) +
                                                    " different values: choose another target, or the task regression");
      for (const float v : seen)
        encoding_.classes.push_back(choice.target.category ? choice.target.categories[static_cast<size_t>(v)]
                                                           : format_number(v));
      if (seen.size() < 2)
        throw Error("table.one_class", "column '" + choice.target.name +
                                           "' has the same value in every row: there is nothing to tell apart");
    }
  }
  std::vector<float> truth = labels(choice.target);
  split(truth, config);
  if (fresh) {
    fit_features(encoding_, choice.features, windows_.training, config.scaling);
    if (!config.classification) {
      ColumnFit fit;
      for (const uint32_t row : windows_.training) fit.add(truth[row]);
      encoding_.target = fit.result(choice.target.name, windows_.training.size());
    }
  }
  scaler_ = encoding_.scaler();
  std::vector<std::span<const float>> cells;
  for (const TableColumn& column : choice.features) cells.emplace_back(column.cells);
  features_.assign(rows_ * features(), 0.0f);
  RowEncoder(encoding_, choice.features).encode(cells, rows_, features_);
  if (config.classification && config.balanced) weigh(truth);
  for (float& v : truth) v = encoding_.target.scale(v);
  targets_ = std::move(truth);
}

/// The number of each row's class, or its number; NaN where the target is missing or of no known class.
std::vector<float> TableData::labels(const TableColumn& target) {
  if (encoding_.classes.empty()) return target.cells;
  const auto number_of = [&](const std::string& name) {
    const auto found = std::find(encoding_.classes.begin(), encoding_.classes.end(), name);
    return found == encoding_.classes.end() ? NAN : static_cast<float>(found - encoding_.classes.begin());
  };
  std::vector<float> of_code;
  for (const std::string& name : target.categories) of_code.push_back(number_of(name));
  std::vector<float> labels;
  labels.reserve(target.cells.size());
  for (const float v : target.cells) {
    if (std::isnan(v))
      labels.push_back(NAN);
    else
      labels.push_back(target.category ? of_code.at(static_cast<size_t>(v)) : number_of(format_number(v)));
  }
  return labels;
}

void TableData::split(const std::vector<float>& labels, const TableConfig& config) {
  const Split how = config.split != Split::automatic ? config.split
                    : config.classification          ? Split::stratified
                                                     : Split::random;
  if (how == Split::stratified && !config.classification)
    throw Error("config.bad_field", "data.split is stratified, which needs classes: choose random or order");
  std::vector<std::vector<uint32_t>> groups(how == Split::stratified ? encoding_.classes.size() : 1);
  uint64_t known = 0;
  for (size_t row = 0; row < labels.size(); ++row) {
    if (std::isnan(labels[row])) continue;
    groups[how == Split::stratified ? static_cast<size_t>(labels[row]) : 0].push_back(static_cast<uint32_t>(row));
    ++known;
  }
  windows_.skipped_training = static_cast<size_t>(labels.size() - known);
  for (size_t g = 0; g < groups.size(); ++g) {
    std::vector<uint32_t>& rows = groups[g];
    if (how != Split::order) shuffle(rows, config.seed, static_cast<uint32_t>(g));
    const auto held_out =
        static_cast<size_t>(std::llround(static_cast<double>(rows.size()) * config.validation_fraction));
    const size_t kept = rows.size() - std::min(held_out, rows.size() - std::min<size_t>(rows.size(), 1));
    windows_.training.insert(windows_.training.end(), rows.begin(), rows.begin() + static_cast<ptrdiff_t>(kept));
    windows_.validation.insert(windows_.validation.end(), rows.begin() + static_cast<ptrdiff_t>(kept), rows.end());
  }
  std::sort(windows_.training.begin(), windows_.training.end());
  std::sort(windows_.validation.begin(), windows_.validation.end());
  windows_.split_row = rows_;
  if (windows_.training.size() < 2 || windows_.validation.empty())
    throw Error("table.too_few_rows", std::to_string(known) +
                                          " rows with a target are too few to train on some and "
                                          "hold others out");
}

/// Rows / (classes * rows of the class), as scikit-learn's "balanced".
void TableData::weigh(const std::vector<float>& labels) {
  std::vector<double> times(encoding_.classes.size(), 0);
  for (const uint32_t row : windows_.training) times[static_cast<size_t>(labels[row])] += 1;
  const double present = static_cast<double>(std::count_if(times.begin(), times.end(), [](double n) { return n > 0; }));
  for (const double n : times)
    class_weights_.push_back(n > 0 ? static_cast<float>(static_cast<double>(windows_.training.size()) / (present * n))
                                   : 0);
}

}  // namespace sg

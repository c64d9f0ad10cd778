#include "train/task.h"

#include <algorithm>
#include <cmath>

namespace sg::train {
namespace {

bool is_zero_or_one(const ColumnStats& s) {
  if (!s.min || !s.max || !s.mean || !s.std || *s.min != 0 || *s.max != 1) return false;
  const double variance = *s.std * *s.std, expected = *s.mean * (1 - *s.mean);
  return std::abs(variance - expected) <= 1e-9 * expected;
}

bool has_dates(const Table& table) {
  return std::any_of(table.columns.begin(), table.columns.end(),
                     [](const Column& c) { return c.type == ColumnType::datetime; });
}

Task found(const TrainConfig& config, const Table& table, const Column& target) {
  const bool classes = target.type == ColumnType::category || is_zero_or_one(target.stats);
  const Task of_table = classes ? Task::classification : Task::regression;
  if (config.model_named) return models::find(config.model).task == models::Task::table ? of_table : Task::forecast;
  if (target.type == ColumnType::category) return Task::classification;
  return has_dates(table) ? Task::forecast : of_table;
}

}  // namespace

void resolve_task(TrainConfig& config, const Table& table) {
  if (config.target.empty()) throw Error("config.bad_field", "data.target is empty: choose the column to predict");
  const Column& target = table.columns[table.index_of(config.target)];
  if (config.task == Task::automatic) config.task = found(config, table, target);
  if (config.features.empty())
    for (const Column& c : table.columns) {
      const bool usable = c.type == ColumnType::number || (config.is_table() && c.type == ColumnType::category);
      if (usable && !(config.is_table() && c.name == config.target)) config.features.push_back(c.name);
    }
  if (!config.is_table()) return;
  config.look_back = config.horizon = 1;
  if (!config.model_named && config.model != kTableModel) {
    config.model = kTableModel;
    config.values = models::validated(models::find(config.model), {});
  }
}

TableConfig table_config(const TrainConfig& config) {
  return {config.task == Task::classification,
          config.scaling,
          config.split,
          config.validation_fraction,
          config.class_weights == ClassWeights::balanced,
          config.seed};
}

}  // namespace sg::train

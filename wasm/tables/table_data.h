// The rows of a table as a run learns from them: encoded, with the rows that train and the rows that are held out. A
// row is a window of one row whose target stands in it, so that batches, steps, checkpoints and resuming are those of a
// series. Scalings, codes and masks come from the training rows alone.
#pragma once
#include <vector>

#include "forecast/windows.h"
#include "tables/encoding.h"

namespace sg {

enum class Split { automatic, random, stratified, order };

struct TableConfig {
  bool classification = false;
  Scaling scaling = Scaling::standard;
  Split split = Split::automatic;  // by class where there are classes, else at random
  double validation_fraction = 0.2;
  bool balanced = false;  // each class weighs as much as any other
  uint64_t seed = 1;
};

/// Most classes that a target may have.

/// The chosen columns of a table whose values may lie elsewhere.
struct TableChoice {
  uint64_t rows = 0;
  std::vector<size_t> columns;        // of the table, each once
  std::vector<TableColumn> features;  // without cells
  TableColumn target;
};

/// By index. Throws table.not_usable for a column that is neither numbers nor categories, table.no_feature, and
/// table.target_type where the target does not go with the task.
TableChoice choose_table(const Table& table, const std::vector<size_t>& features, size_t target, bool classification);
/// With the values of a table that has them; throws table.no_values.
TableChoice table_columns(const Table& table, TableChoice choice);

class TableData final : public ForecastData {
 public:
  /// The choice has its cells. Throws table.too_few_rows, table.one_class, table.too_many_classes, table.empty_column.
  TableData(const TableChoice& choice, const TableConfig& config);
  /// With the encoding of a checkpoint; throws checkpoint.mismatch where its columns are others.
  TableData(const TableChoice& choice, const TableConfig& config, TableEncoding encoding);

  const TableEncoding* encoding() const override { return &encoding_; }
  const std::vector<float>& class_weights() const override { return class_weights_; }

 private:
  TableData(const TableChoice& choice, const TableConfig& config, std::optional<TableEncoding> encoding, int);
  std::vector<float> labels(const TableColumn& target);
  void split(const std::vector<float>& labels, const TableConfig& config);
  void weigh(const std::vector<float>& labels);

  TableEncoding encoding_;
  std::vector<float> class_weights_;
};

}  // namespace sg

// Which task a configuration stands for, once the data is known. Where it is left open: a model that was named decides
// between a series and a table; else a target of categories is classified, a table with a column of dates is a series,
// and any other is a table. A table's target is a class where it holds categories or nothing but 0 and 1 (its variance
// is then mean * (1 - mean), and only then), else a number.
#pragma once
#include "io/table.h"
#include "train/config.h"

namespace sg::train {

/// Fills in the task, and with it the model, the loss, the columns to learn from and, of a table, the sizes of a
/// window. Throws config.bad_field without a target.
void resolve_task(TrainConfig& config, const Table& table);

TableConfig table_config(const TrainConfig& config);

}  // namespace sg::train

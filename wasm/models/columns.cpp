#include "models/columns.h"

#include <algorithm>
#include <array>

#include "ops/ops.h"

namespace sg::models {

void need_targets_among_features(const char* model, const Sizes& sizes) {
  if (std::count(sizes.targets.begin(), sizes.targets.end(), -1) > 0)
    bad_field("data.features", "lack the column to forecast, and " + std::string(model) +
                                   " forecasts a column from its own past: learn from that column too, or choose "
                                   "another model");
}

Tensor target_columns(const Tensor& x, const Sizes& sizes) {
  bool all = sizes.target_count() == x.dim(2);
  std::vector<Tensor> columns;
  for (int k = 0; k < sizes.target_count(); ++k) {
    const int column = sizes.targets[static_cast<size_t>(k)];
    all = all && column == k;
    columns.push_back(ops::narrow(x, 2, column, 1));
  }
  if (all) return x;
  return columns.size() == 1 ? columns[0] : ops::cat(columns, 2);
}

Tensor forecast_order(const Tensor& y, const Sizes& sizes) {
  const int batch = y.dim(0), targets = sizes.target_count();
  const Shape flat{batch, sizes.outputs()};
  if (targets == 1) return ops::reshape(y, flat);
  constexpr std::array<int, 4> kRowsFirst{0, 2, 1, 3};
  return ops::reshape(ops::permute(ops::reshape(y, Shape{batch, targets, sizes.horizon, sizes.values}), kRowsFirst),
                      flat);
}

}  // namespace sg::models

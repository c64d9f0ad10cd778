// For models that forecast each column from its own past: taking the targets out of the features, and putting what
// was forecast in the order of the outputs.
#pragma once
#include "models/model.h"

namespace sg::models {

/// Throws config.bad_field where a target is not among the features.
void need_targets_among_features(const char* model, const Sizes& sizes);
/// x[N, T, F] -> the targets' columns [N, T, K]
Tensor target_columns(const Tensor& x, const Sizes& sizes);
/// y[N, K, horizon * values] -> [N, outputs]
Tensor forecast_order(const Tensor& y, const Sizes& sizes);

}  // namespace sg::models

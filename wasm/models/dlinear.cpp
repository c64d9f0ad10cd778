// DLinear (Zeng et al., "Are Transformers Effective for Time Series Forecasting?", AAAI 2023): a moving average splits
// each column into trend and rest, and one linear layer carries each of the two on. All columns share the layers.
#include "models/columns.h"
#include "models/model.h"
#include "nn/layers.h"
#include "ops/ops.h"

namespace sg::models {
namespace {

class Dlinear : public nn::Module {
 public:
  Dlinear(nn::Init& init, const Sizes& sizes, int kernel)
      : sizes_(sizes),
        kernel_(kernel),
        seasonal_(init, sizes.time, sizes.horizon * sizes.values),
        trend_(init, sizes.time, sizes.horizon * sizes.values) {
    child("Linear_Seasonal", seasonal_);
    child("Linear_Trend", trend_);
  }

  /// x[N, T, F] -> [N, outputs]
  Tensor forward(const Tensor& x, nn::Context& context) const override {
    const Tensor series = ops::transpose(target_columns(x, sizes_), 1, 2);
    const Tensor trend = moving_average(series);
    const Tensor y = ops::add(seasonal_.forward(ops::sub(series, trend), context), trend_.forward(trend, context));
    return forecast_order(y, sizes_);
  }

 private:
  /// Over kernel_ rows around each; beyond the ends stand the first and the last row again. [N, K, T] -> [N, K, T]
  Tensor moving_average(const Tensor& series) const {
    const int batch = series.dim(0), columns = series.dim(1), time = series.dim(2);
    const auto repeated = [&](int row, int times) {
      return ops::expand(ops::narrow(series, 2, row, 1), {batch, columns, times});
    };
    const int before = (kernel_ - 1) / 2, after = kernel_ / 2;
    std::vector<Tensor> parts;
    if (before > 0) parts.push_back(repeated(0, before));
    parts.push_back(series);
    if (after > 0) parts.push_back(repeated(time - 1, after));
    return ops::avg_pool1d(parts.size() == 1 ? series : ops::cat(parts, 2), kernel_, 1);
  }

  Sizes sizes_;
  int kernel_;
  nn::Linear seasonal_, trend_;
};

}  // namespace

const ModelInfo dlinear_model{
    "dlinear",
    "DLinear",
    Task::forecast,
    "Splits a column into trend and rest and carries each on in a straight way: tiny, quick, and hard to beat on "
    "series with a regular rhythm.",
    {Field::integer("kernel", 25, 1, 1001, "rows that the trend is averaged over: about one season")},
    [](nn::Init& init, const Sizes& sizes, const Values& v) -> std::unique_ptr<nn::Module> {
      need_targets_among_features("dlinear", sizes);
      return std::make_unique<Dlinear>(init, sizes, whole(v, "kernel"));
    }};

}  // namespace sg::models

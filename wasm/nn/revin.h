// Reversible instance normalisation (Kim et al., ICLR 2022): each window of a series is normalised by its own mean and
// deviation before the model sees it, and the forecasts are brought back by the same numbers, so that a level that
// shifts over the years costs nothing. As in the authors' code the statistics stand outside the tape.
#pragma once
#include "nn/module.h"

namespace sg::nn {

class RevIN : public Module {
 public:
  /// weight[F] and bias[F] start as 1 and 0, under the authors' names.
  RevIN(Init& init, int features, float eps = 1e-5f);

  /// What a window was normalised by, both [N, 1, F].
  struct Statistics {
    Tensor mean, deviation;
  };
  Statistics statistics(const Tensor& x) const;
  /// x[N, T, F] -> (x - mean) / deviation · weight + bias
  Tensor normalise(const Tensor& x, const Statistics& statistics) const;
  /// The inverse, for any number of rows: y[N, M, F] -> (y - bias) / (weight + eps²) · deviation + mean
  Tensor restore(const Tensor& y, const Statistics& statistics) const;

  /// Normalises by x's own statistics.
  Tensor forward(const Tensor& x, Context& context) const override;

 private:
  float eps_;
  Tensor weight_, bias_;
};

}  // namespace sg::nn

// Patches of a series as tokens (Nie et al., PatchTST, ICLR 2023): each column is cut into overlapping stretches of
// `length` rows, `stride` apart. With `padding` the last row is repeated `stride` times first, as the authors do, so
// that the newest rows are in one patch more.
#pragma once
#include "nn/module.h"

namespace sg::nn {

class Patching : public Module {
 public:
  Patching(int length, int stride, bool padding = true);
  /// Patches of a series of `time` rows; 0 where it is shorter than one patch.
  int count(int time) const;
  /// x[N, T, C] -> [N, C, count(T), length]
  Tensor forward(const Tensor& x, Context& context) const override;

 private:
  int length_, stride_;
  bool padding_;
};

}  // namespace sg::nn

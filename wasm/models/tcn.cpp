// A temporal convolutional network (Bai et al. 2018): causal convolutions whose reach doubles with each block, then one
// linear layer from the last row's values to all forecasts at once.
#include "models/model.h"
#include "nn/convolution.h"
#include "nn/layers.h"
#include "ops/ops.h"

namespace sg::models {
namespace {

class Tcn : public nn::Module {
 public:
  Tcn(nn::Init& init, const Sizes& sizes, int channels, int blocks, int kernel, float dropout)
      : head_(init, channels, sizes.outputs()) {
    for (int i = 0; i < blocks; ++i) {
      blocks_.push_back(std::make_unique<nn::TemporalBlock>(init, i == 0 ? sizes.features : channels, channels, kernel,
                                                            1 << i, dropout));
      child("blocks." + std::to_string(i), *blocks_.back());
    }
    child("head", head_);
  }

  /// x[N, T, F] -> [N, outputs]
  Tensor forward(const Tensor& x, nn::Context& context) const override {
    Tensor h = ops::transpose(x, 1, 2);
    for (const auto& block : blocks_) h = block->forward(h, context);
    return head_.forward(ops::select(h, 2, -1), context);
  }

 private:
  std::vector<std::unique_ptr<nn::TemporalBlock>> blocks_;
  nn::Linear head_;
};

}  // namespace

const ModelInfo tcn_model{
    "tcn",
    "TCN",
    Task::forecast,
    "Looks for shapes in the series, near ones first and far ones later: sees all rows at once, where lstm goes "
    "through "
    "them one by one.",
    {Field::integer("channels", 32, 1, 512, "shapes that each block looks for"),
     Field::integer("blocks", 4, 1, 10, "blocks on top of each other; each looks twice as far back"),
     Field::integer("kernel", 3, 2, 16, "points that a shape consists of"), dropout_field()},
    [](nn::Init& init, const Sizes& sizes, const Values& v) -> std::unique_ptr<nn::Module> {
      return std::make_unique<Tcn>(init, sizes, whole(v, "channels"), whole(v, "blocks"), whole(v, "kernel"),
                                   real(v, "dropout"));
    }};

}  // namespace sg::models

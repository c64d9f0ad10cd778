// A transformer encoder (Vaswani et al. 2017) over the rows of the window: each row becomes a token with its place
// added, pre-norm layers let the rows attend to each other, and one linear layer reads the forecasts off what is pooled
// from them.

#include "models/encoder.h"
#include "models/model.h"
#include "nn/layers.h"
#include "ops/ops.h"

namespace sg::models {
namespace {

class Transformer : public nn::Module {
 public:
  Transformer(nn::Init& init, const Sizes& sizes, const nn::TransformerOptions& options, int layers, bool last)
      : embedding_(init, sizes.features, options.width),
        positions_(init, sizes.time, options.width),
        dropout_(options.dropout),
        norm_(init, options.width),
        head_(init, options.width, sizes.outputs()),
        last_(last) {
    child("embedding", embedding_);
    child("positions", positions_);
    for (int l = 0; l < layers; ++l) {
      layers_.push_back(std::make_unique<nn::TransformerEncoderLayer>(init, options));
      child("layers." + std::to_string(l), *layers_.back());
    }
    child("norm", norm_);
    child("head", head_);
  }

  /// x[N, T, F] -> [N, outputs]
  Tensor forward(const Tensor& x, nn::Context& context) const override {
    Tensor h = dropout_.forward(positions_.forward(embedding_.forward(x, context), context), context);
    for (const auto& layer : layers_) h = layer->forward(h, context);
    h = norm_.forward(h, context);
    return head_.forward(last_ ? ops::select(h, 1, -1) : ops::mean(h, 1), context);
  }

 private:
  nn::Linear embedding_;
  nn::LearnedPositions positions_;
  nn::Dropout dropout_;
  std::vector<std::unique_ptr<nn::TransformerEncoderLayer>> layers_;
  nn::LayerNorm norm_;
  nn::Linear head_;
  bool last_;
};

}  // namespace

const ModelInfo transformer_model{
    "transformer",
    "Transformer",
    Task::forecast,
    "Lets every row look at every other: can find far connections, and wants much data.",
    {Field::integer("width", 64, 1, 1024, "numbers that a row is told by"), heads_field(),
     Field::integer("layers", 2, 1, 12, "layers on top of each other"),
     Field::choice("pooling", {"mean", "last"}, "whether the forecast reads all rows alike or the last one"),
     dropout_field(0.1)},
    [](nn::Init& init, const Sizes& sizes, const Values& v) -> std::unique_ptr<nn::Module> {
      const nn::TransformerOptions options = encoder_options(v);
      return std::make_unique<Transformer>(init, sizes, options, whole(v, "layers"), whole(v, "pooling") == 1);
    }};

}  // namespace sg::models

// PatchTST (Nie et al., ICLR 2023): each column to forecast is a series of its own, normalised by its window's mean and
// deviation and cut into patches; a transformer encoder that all columns share reads the patches as tokens, and one
// linear layer over all of them gives the forecast.
#include "models/columns.h"
#include "models/encoder.h"
#include "models/model.h"
#include "nn/layers.h"
#include "nn/patching.h"
#include "nn/revin.h"
#include "ops/ops.h"

namespace sg::models {
namespace {

struct PatchTstConfig {
  int patch, stride, layers;
  bool revin;
  nn::TransformerOptions encoder;
};

class PatchTst : public nn::Module {
 public:
  PatchTst(nn::Init& init, const Sizes& sizes, const PatchTstConfig& config)
      : sizes_(sizes),
        revin_(config.revin ? std::make_unique<nn::RevIN>(init, sizes.target_count()) : nullptr),
        patching_(config.patch, config.stride),
        patches_(patching_.count(sizes.time)),
        embedding_(init, config.patch, config.encoder.width),
        positions_(parameter("positions", init.uniform({patches_, config.encoder.width}, 0.02f))),
        dropout_(config.encoder.dropout),
        norm_(init, config.encoder.width),
        head_(init, patches_ * config.encoder.width, sizes.horizon * sizes.values) {
    if (revin_) child("revin", *revin_);
    child("embedding", embedding_);
    for (int l = 0; l < config.layers; ++l) {
      layers_.push_back(std::make_unique<nn::TransformerEncoderLayer>(init, config.encoder));
      child("layers." + std::to_string(l), *layers_.back());
    }
    child("norm", norm_);
    child("head", head_);
  }

  /// x[N, T, F] -> [N, outputs]
  Tensor forward(const Tensor& x, nn::Context& context) const override {
    const Tensor series = target_columns(x, sizes_);
    if (!revin_) return forecast_order(forecast(series, context), sizes_);
    const nn::RevIN::Statistics statistics = revin_->statistics(series);
    return forecast_order(restored(forecast(revin_->normalise(series, statistics), context), statistics), sizes_);
  }

 private:
  /// series[N, T, K] -> [N, K, H · values]
  Tensor forecast(const Tensor& series, nn::Context& context) const {
    const int batch = series.dim(0), columns = series.dim(2);
    const Tensor patches = embedding_.forward(patching_.forward(series, context), context);
    const int width = patches.dim(3);
    Tensor h = ops::reshape(ops::add(patches, positions_), Shape{batch * columns, patches_, width});
    h = dropout_.forward(h, context);
    for (const auto& layer : layers_) h = layer->forward(h, context);
    h = ops::reshape(norm_.forward(h, context), Shape{batch, columns, patches_ * width});
    return head_.forward(dropout_.forward(h, context), context);
  }

  /// In the columns' own scale, what is a place on their axis; the other values as they are.
  Tensor restored(const Tensor& y, const nn::RevIN::Statistics& statistics) const {
    const int batch = y.dim(0), columns = y.dim(1), rows = sizes_.horizon, all = sizes_.values, places = sizes_.places;
    const auto restore = [&](const Tensor& part) {  // [N, K, rows]
      return ops::transpose(revin_->restore(ops::transpose(part, 1, 2), statistics), 1, 2);
    };
    if (places == all) return restore(y);
    const Tensor split = ops::reshape(y, Shape{batch, columns, rows, all});
    const Tensor first = ops::reshape(ops::narrow(split, 3, 0, places), Shape{batch, columns, rows * places});
    const std::vector<Tensor> parts{ops::reshape(restore(first), Shape{batch, columns, rows, places}),
                                    ops::narrow(split, 3, places, all - places)};
    return ops::reshape(ops::cat(parts, 3), y.shape());
  }

  Sizes sizes_;
  std::unique_ptr<nn::RevIN> revin_;
  nn::Patching patching_;
  int patches_;
  nn::Linear embedding_;
  Tensor positions_;
  nn::Dropout dropout_;
  std::vector<std::unique_ptr<nn::TransformerEncoderLayer>> layers_;
  nn::LayerNorm norm_;
  nn::Linear head_;
};

}  // namespace

const ModelInfo patchtst_model{
    "patchtst",
    "PatchTST",
    Task::forecast,
    "Reads a column in stretches of rows rather than row by row: strong on long windows. Forecasts a column from its "
    "own past alone.",
    {Field::integer("patch", 16, 1, 512, "rows in a stretch"),
     Field::integer("stride", 8, 1, 512, "rows from one stretch to the next"),
     Field::integer("width", 64, 1, 1024, "numbers that a stretch is told by"), heads_field(),
     Field::integer("layers", 3, 1, 12, "layers on top of each other"),
     Field::boolean("revin", true, "takes each window's own level and spread out first, and puts them back at the end"),
     dropout_field(0.1)},
    [](nn::Init& init, const Sizes& sizes, const Values& v) -> std::unique_ptr<nn::Module> {
      need_targets_among_features("patchtst", sizes);
      const PatchTstConfig config{whole(v, "patch"), whole(v, "stride"), whole(v, "layers"), flag(v, "revin"),
                                  encoder_options(v)};
      if (sizes.time < config.patch)
        bad_field("data.lookBack", "is " + std::to_string(sizes.time) + ", shorter than model.patch, now " +
                                       std::to_string(config.patch) +
                                       ": look back further, or choose shorter stretches");
      return std::make_unique<PatchTst>(init, sizes, config);
    }};

}  // namespace sg::models

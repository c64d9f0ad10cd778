// N-BEATS in its generic form (Oreshkin et al., ICLR 2020): a stack of small fully connected blocks. Each explains a
// part of the window (the backcast, taken away from what the next block sees) and adds its part of the forecast.
// Several columns stand side by side as one long window, as in Darts, so that every column may help.
#include "models/model.h"
#include "nn/layers.h"
#include "ops/ops.h"

namespace sg::models {
namespace {

/// Expansion coefficients and the curves that they combine, learnt alike.
class Expansion : public nn::Module {
 public:
  Expansion(nn::Init& init, int hidden, int basis, int out)
      : theta_(init, hidden, basis, false), basis_(init, basis, out) {
    child("theta", theta_);
    child("basis", basis_);
  }
  Tensor forward(const Tensor& h, nn::Context& context) const override {
    return basis_.forward(theta_.forward(h, context), context);
  }

 private:
  nn::Linear theta_, basis_;
};

/// Four layers with ReLU, then an expansion for the forecast and, except in the last block, one for the backcast.
class NbeatsBlock : public nn::Module {
 public:
  NbeatsBlock(nn::Init& init, int window, int outputs, int hidden, int basis, bool last)
      : forecast_(init, hidden, basis, outputs) {
    for (int i = 0; i < 4; ++i) {
      layers_.push_back(std::make_unique<nn::Linear>(init, i == 0 ? window : hidden, hidden));
      child("fc." + std::to_string(i), *layers_.back());
    }
    child("forecast", forecast_);
    if (last) return;
    backcast_ = std::make_unique<Expansion>(init, hidden, basis, window);
    child("backcast", *backcast_);
  }

  /// [N, window] -> the hidden values that both ends are made from
  Tensor forward(const Tensor& x, nn::Context& context) const override {
    Tensor h = x;
    for (const auto& layer : layers_) h = ops::relu(layer->forward(h, context));
    return h;
  }
  Tensor forecast(const Tensor& h, nn::Context& context) const { return forecast_.forward(h, context); }
  /// What the next block sees; the last block has none.
  Tensor rest(const Tensor& x, const Tensor& h, nn::Context& context) const {
    return backcast_ ? ops::sub(x, backcast_->forward(h, context)) : Tensor();
  }

 private:
  std::vector<std::unique_ptr<nn::Linear>> layers_;
  Expansion forecast_;
  std::unique_ptr<Expansion> backcast_;
};

class Nbeats : public nn::Module {
 public:
  Nbeats(nn::Init& init, const Sizes& sizes, int blocks, int hidden, int basis) {
    for (int i = 0; i < blocks; ++i) {
      blocks_.push_back(std::make_unique<NbeatsBlock>(init, sizes.time * sizes.features, sizes.outputs(), hidden, basis,
                                                      i == blocks - 1));
      child("blocks." + std::to_string(i), *blocks_.back());
    }
  }

  /// x[N, T, F] -> [N, outputs]
  Tensor forward(const Tensor& x, nn::Context& context) const override {
    Tensor rest = ops::reshape(x, Shape{x.dim(0), x.dim(1) * x.dim(2)}), sum;
    for (const auto& block : blocks_) {
      const Tensor h = block->forward(rest, context), part = block->forecast(h, context);
      sum = sum.defined() ? ops::add(sum, part) : part;
      rest = block->rest(rest, h, context);
    }
    return sum;
  }

 private:
  std::vector<std::unique_ptr<NbeatsBlock>> blocks_;
};

}  // namespace

const ModelInfo nbeats_model{
    "nbeats",
    "N-BEATS",
    Task::forecast,
    "Peels the series layer by layer: each block explains a part of the window and forecasts it on.",
    {Field::integer("blocks", 4, 1, 30, "blocks, each working on what those before left unexplained"),
     Field::integer("hidden", 128, 1, 2048, "numbers in each hidden layer of a block"),
     Field::integer("basis", 8, 1, 512, "curves that a block may combine its parts from")},
    [](nn::Init& init, const Sizes& sizes, const Values& v) -> std::unique_ptr<nn::Module> {
      return std::make_unique<Nbeats>(init, sizes, whole(v, "blocks"), whole(v, "hidden"), whole(v, "basis"));
    }};

}  // namespace sg::models

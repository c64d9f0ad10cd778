// A multi-layer perceptron over the whole look-back window at once: every row and column is an input of its own.
#include "models/model.h"
#include "nn/activation.h"
#include "nn/layers.h"
#include "ops/ops.h"

namespace sg::models {
namespace {

class Mlp : public nn::Module {
 public:
  Mlp(nn::Init& init, const Sizes& sizes, int hidden, int layers, int activation, float dropout)
      : activation_(activation), dropout_(dropout) {
    int in = sizes.time * sizes.features;
    for (int i = 0; i < layers; ++i, in = hidden) {
      layers_.push_back(std::make_unique<nn::Linear>(init, in, hidden));
      child("layers." + std::to_string(i), *layers_.back());
    }
    head_ = std::make_unique<nn::Linear>(init, in, sizes.outputs());
    child("head", *head_);
  }

  /// x[N, T, F] -> [N, outputs]
  Tensor forward(const Tensor& x, nn::Context& context) const override {
    Tensor h = ops::reshape(x, Shape{x.dim(0), x.dim(1) * x.dim(2)});
    for (const auto& layer : layers_)
      h = dropout_.forward(activation_.forward(layer->forward(h, context), context), context);
    return head_->forward(h, context);
  }

 private:
  nn::Activation activation_;
  nn::Dropout dropout_;
  std::vector<std::unique_ptr<nn::Linear>> layers_;
  std::unique_ptr<nn::Linear> head_;
};

}  // namespace

const ModelInfo mlp_model{
    "mlp",
    "MLP",
    Task::forecast,
    "Sees the whole window at once, without a notion of order: quick to train, a good yardstick for the others.",
    {Field::integer("hidden", 64, 1, 4096, "numbers in each hidden layer: more can learn more and train slower"),
     Field::integer("layers", 2, 1, 8, "hidden layers on top of each other"),
     Field::choice("activation", nn::activation_names(), "what bends the straight lines between the layers"),
     dropout_field()},
    [](nn::Init& init, const Sizes& sizes, const Values& v) -> std::unique_ptr<nn::Module> {
      return std::make_unique<Mlp>(init, sizes, whole(v, "hidden"), whole(v, "layers"), whole(v, "activation"),
                                   real(v, "dropout"));
    }};

}  // namespace sg::models

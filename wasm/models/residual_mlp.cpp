// A multi-layer perceptron with residual blocks over the mixed columns of a table (Gorishniy et al. 2021): numbers as
// they are, categories by vectors that are learnt, then h + W2(drop(act(W1(norm(h))))) a block.
#include <array>

#include "models/model.h"
#include "nn/activation.h"
#include "nn/layers.h"
#include "nn/norm.h"
#include "ops/ops.h"

namespace sg::models {
namespace {

enum Categories { embedding, one_hot };

/// h[N, width] + W2(drop(act(W1(norm(h)))))
class Block : public nn::Module {
 public:
  Block(nn::Init& init, int width, int activation, float dropout)
      : norm_(init, width),
        first_(init, width, 2 * width),
        second_(init, 2 * width, width),
        activation_(activation),
        dropout_(dropout) {
    child("norm", norm_);
    child("first", first_);
    child("second", second_);
  }

  Tensor forward(const Tensor& h, nn::Context& context) const override {
    const Tensor inner = activation_.forward(first_.forward(norm_.forward(h, context), context), context);
    return ops::add(h, second_.forward(dropout_.forward(inner, context), context));
  }

 private:
  nn::LayerNorm norm_;
  nn::Linear first_, second_;
  nn::Activation activation_;
  nn::Dropout dropout_;
};

class ResidualMlp : public nn::Module {
 public:
  ResidualMlp(nn::Init& init, const Sizes& sizes, int width, int blocks, bool one_hot, int embedding, int activation,
              float dropout)
      : numbers_(sizes.features - sizes.categories),
        categories_(sizes.categories),
        one_hot_(one_hot),
        norm_(init, width),
        activation_(activation) {
    const int embedded = one_hot ? 0 : categories_ * embedding;
    // A category's values start as equals, so that one which training never sees stays out of what is said.
    if (categories_ > 0) codes_ = parameter("codes", init.zeros({sizes.codes, one_hot ? width : embedding}));
    if (numbers_ + embedded > 0) {
      input_ = std::make_unique<nn::Linear>(init, numbers_ + embedded, width);
      child("input", *input_);
    }
    for (int i = 0; i < blocks; ++i) {
      blocks_.push_back(std::make_unique<Block>(init, width, activation, dropout));
      child("blocks." + std::to_string(i), *blocks_.back());
    }
    child("norm", norm_);
    head_ = std::make_unique<nn::Linear>(init, width, sizes.outputs());
    child("head", *head_);
  }

  /// x[N, 1, F] -> [N, outputs]
  Tensor forward(const Tensor& x, nn::Context& context) const override {
    Tensor h = entered(ops::reshape(x, Shape{x.dim(0), x.dim(2)}), context);
    for (const auto& block : blocks_) h = block->forward(h, context);
    return head_->forward(activation_.forward(norm_.forward(h, context), context), context);
  }

 private:
  /// x[N, F] -> [N, width]. The sum of a row of weights for each category is a layer over its one-hot codes.
  Tensor entered(const Tensor& x, nn::Context& context) const {
    if (categories_ == 0) return input_->forward(x, context);
    const int batch = x.dim(0);
    const Tensor looked_up =
        ops::embedding(ops::narrow(x, 1, numbers_, categories_), codes_);  // [N, categories, width]
    if (one_hot_) {
      const Tensor summed = ops::sum(looked_up, 1);
      return input_ ? ops::add(input_->forward(ops::narrow(x, 1, 0, numbers_), context), summed) : summed;
    }
    const Tensor flat = ops::reshape(looked_up, Shape{batch, categories_ * looked_up.dim(2)});
    if (numbers_ == 0) return input_->forward(flat, context);
    const std::array<Tensor, 2> parts{ops::narrow(x, 1, 0, numbers_), flat};
    return input_->forward(ops::cat(parts, 1), context);
  }

  int numbers_, categories_;
  bool one_hot_;
  Tensor codes_;
  std::unique_ptr<nn::Linear> input_, head_;
  std::vector<std::unique_ptr<Block>> blocks_;
  nn::LayerNorm norm_;
  nn::Activation activation_;
};

}  // namespace

const ModelInfo residual_mlp_model{
    "residual_mlp",
    "Residual MLP",
    Task::table,
    "Looks at all columns of a row together: numbers, categories and what is missing. A strong start for tables.",
    {Field::integer("width", 64, 4, 1024, "numbers in each layer: more can learn more and train slower"),
     Field::integer("blocks", 2, 1, 16, "residual blocks on top of each other"),
     Field::choice("categories", {"embedding", "one_hot"},
                   "how a category's value enters: by a short vector that is learnt, or by a switch of its own"),
     Field::integer("embedding", 8, 1, 64, "numbers in the vector of a category's value"),
     Field::choice("activation", nn::activation_names(), "what bends the straight lines between the layers"),
     dropout_field(0.1)},
    [](nn::Init& init, const Sizes& sizes, const Values& v) -> std::unique_ptr<nn::Module> {
      return std::make_unique<ResidualMlp>(init, sizes, whole(v, "width"), whole(v, "blocks"),
                                           whole(v, "categories") == one_hot, whole(v, "embedding"),
                                           whole(v, "activation"), real(v, "dropout"));
    }};

}  // namespace sg::models

// A convolutional network for pictures: stages of convolution, batch norm, ReLU and pooling that halve the picture and
// double the channels, then the mean over what is left and one linear layer to the classes.
#include <algorithm>

#include "models/model.h"
#include "nn/convolution.h"
#include "nn/layers.h"
#include "nn/norm.h"
#include "ops/ops.h"

namespace sg::models {
namespace {

class Stage : public nn::Module {
 public:
  Stage(nn::Init& init, int in, int out) : conv_(init, in, out, {3, 3}, {.padding = {1, 1}}, false), norm_(init, out) {
    child("conv", conv_);
    child("norm", norm_);
  }

  /// x[N, C, H, W] -> [N, out, H / 2, W / 2]
  Tensor forward(const Tensor& x, nn::Context& context) const override {
    return ops::max_pool2d(ops::relu(norm_.forward(conv_.forward(x, context), context)), {2, 2}, {2, 2});
  }

 private:
  nn::Conv2d conv_;
  nn::BatchNorm2d norm_;
};

class Convnet : public nn::Module {
 public:
  Convnet(nn::Init& init, const Sizes& sizes, int channels, int stages, float dropout)
      : dropout_(dropout), head_(init, channels << (stages - 1), sizes.classes) {
    for (int i = 0; i < stages; ++i) {
      stages_.push_back(std::make_unique<Stage>(init, i == 0 ? sizes.channels : channels << (i - 1), channels << i));
      child("stages." + std::to_string(i), *stages_.back());
    }
    child("head", head_);
  }

  /// x[N, C, H, W] -> logits[N, classes]
  Tensor forward(const Tensor& x, nn::Context& context) const override {
    Tensor h = x;
    for (const auto& stage : stages_) h = stage->forward(h, context);
    constexpr int kPlaces[]{2, 3};
    return head_.forward(dropout_.forward(ops::mean(h, kPlaces), context), context);
  }

 private:
  std::vector<std::unique_ptr<Stage>> stages_;
  nn::Dropout dropout_;
  nn::Linear head_;
};

}  // namespace

const ModelInfo convnet_model{
    "convnet",
    "ConvNet",
    Task::image,
    "Looks for small shapes in a picture, and for shapes made of them, to tell what it shows.",
    {Field::integer("channels", 16, 1, 256, "shapes that the first stage looks for; each later one twice as many"),
     Field::integer("stages", 3, 1, 6, "stages on top of each other; each halves the picture"), dropout_field()},
    [](nn::Init& init, const Sizes& sizes, const Values& v) -> std::unique_ptr<nn::Module> {
      const int stages = whole(v, "stages");
      int most = 0;
      while ((std::min(sizes.height, sizes.width) >> (most + 1)) > 0) ++most;
      if (stages > most)
        bad_field("model.stages", "is " + std::to_string(stages) + ", and pictures of " + std::to_string(sizes.height) +
                                      " x " + std::to_string(sizes.width) + " can be halved at most " +
                                      std::to_string(most) + " times: choose at most " + std::to_string(most));
      return std::make_unique<Convnet>(init, sizes, whole(v, "channels"), stages, real(v, "dropout"));
    }};

}  // namespace sg::models

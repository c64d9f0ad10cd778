// LSTM over the look-back window, then one linear layer from the last hidden state to all forecasts at once
// (Hochreiter and Schmidhuber 1997; direct multi-horizon forecasts).
#include "models/model.h"
#include "nn/recurrent.h"
#include "ops/ops.h"

namespace sg::models {
namespace {

class Lstm : public nn::Module {
 public:
  Lstm(nn::Init& init, const Sizes& sizes, int hidden, int layers, float dropout)
      : lstm_(init, sizes.features, hidden, {.layers = layers, .dropout = dropout}),
        dropout_(dropout),
        head_(init, hidden, sizes.outputs()) {
    child("lstm", lstm_);
    child("head", head_);
  }

  /// x[N, T, F] -> [N, outputs]
  Tensor forward(const Tensor& x, nn::Context& context) const override {
    const Tensor last = ops::select(lstm_.forward(x, context), 1, -1);
    return head_.forward(dropout_.forward(last, context), context);
  }

 private:
  nn::LSTM lstm_;
  nn::Dropout dropout_;
  nn::Linear head_;
};

}  // namespace

const ModelInfo lstm_model{
    "lstm",
    "LSTM",
    Task::forecast,
    "Reads the series step by step and remembers what matters: a good first choice for sensor logs and other "
    "sequences.",
    {Field::integer("hidden", 32, 1, 1024, "numbers in the memory: more can learn more and train slower"),
     Field::integer("layers", 1, 1, 8, "LSTM layers stacked on each other"), dropout_field()},
    [](nn::Init& init, const Sizes& sizes, const Values& v) -> std::unique_ptr<nn::Module> {
      return std::make_unique<Lstm>(init, sizes, whole(v, "hidden"), whole(v, "layers"), real(v, "dropout"));
    }};

}  // namespace sg::models

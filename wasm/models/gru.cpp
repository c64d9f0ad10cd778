// GRU over the look-back window, then one linear layer from the last hidden state to all forecasts at once (Cho et al.
// 2014; direct multi-horizon forecasts).
#include "models/model.h"
#include "nn/layers.h"
#include "nn/recurrent.h"
#include "ops/ops.h"

namespace sg::models {
namespace {

class Gru : public nn::Module {
 public:
  Gru(nn::Init& init, const Sizes& sizes, int hidden, const nn::RecurrentOptions& options)
      : gru_(init, sizes.features, hidden, options), dropout_(options.dropout), head_(init, hidden, sizes.outputs()) {
    child("gru", gru_);
    child("head", head_);
  }

  /// x[N, T, F] -> [N, outputs]
  Tensor forward(const Tensor& x, nn::Context& context) const override {
    const Tensor last = ops::select(gru_.forward(x, context), 1, -1);
    return head_.forward(dropout_.forward(last, context), context);
  }

 private:
  nn::GRU gru_;
  nn::Dropout dropout_;
  nn::Linear head_;
};

}  // namespace

const ModelInfo gru_model{
    "gru",
    "GRU",
    Task::forecast,
    "Like lstm with a simpler memory: a quarter fewer weights, often as good.",
    {Field::integer("hidden", 32, 1, 1024, "numbers in the memory: more can learn more and train slower"),
     Field::integer("layers", 1, 1, 8, "GRU layers stacked on each other"),
     Field::boolean("orthogonal", false, "first weights that keep the memory's size: can help on long windows"),
     dropout_field()},
    [](nn::Init& init, const Sizes& sizes, const Values& v) -> std::unique_ptr<nn::Module> {
      const nn::RecurrentOptions options{
          .layers = whole(v, "layers"), .dropout = real(v, "dropout"), .orthogonal = flag(v, "orthogonal")};
      return std::make_unique<Gru>(init, sizes, whole(v, "hidden"), options);
    }};

}  // namespace sg::models

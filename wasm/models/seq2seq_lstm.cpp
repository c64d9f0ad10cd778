// An encoder and a decoder (Sutskever et al., NIPS 2014): one LSTM reads the window, another goes on from its state and
// writes the forecast row by row, each row from the one that it wrote before. It starts from the last known row. The
// recurrent weights start orthogonal, so that over many rows neither the state nor its gradient grows or fades.
#include "models/model.h"
#include "nn/layers.h"
#include "nn/recurrent.h"
#include "ops/ops.h"

namespace sg::models {
namespace {

class Seq2seqLstm : public nn::Module {
 public:
  Seq2seqLstm(nn::Init& init, const Sizes& sizes, int hidden, const nn::RecurrentOptions& options)
      : sizes_(sizes),
        encoder_(init, sizes.features, hidden, options),
        decoder_(init, row_size(), hidden, options),
        dropout_(options.dropout),
        head_(init, hidden, row_size()) {
    child("encoder", encoder_);
    child("decoder", decoder_);
    child("head", head_);
  }

  /// x[N, T, F] -> [N, outputs]
  Tensor forward(const Tensor& x, nn::Context& context) const override {
    nn::RecurrentState state = encoder_.forward_states(x, context).state;
    Tensor row = last_row(x);
    std::vector<Tensor> rows;
    for (int step = 0; step < sizes_.horizon; ++step) {
      const nn::RecurrentOutput next = decoder_.forward_states(row, context, {}, state);
      state = next.state;
      row = head_.forward(dropout_.forward(next.y, context), context);
      rows.push_back(row);
    }
    return ops::reshape(rows.size() == 1 ? row : ops::cat(rows, 1), Shape{x.dim(0), sizes_.outputs()});
  }

 private:
  int row_size() const { return sizes_.target_count() * sizes_.values; }

  /// What the decoder sees first, [N, 1, row_size()]: the targets' last values where they are known, else 0, the mean.
  Tensor last_row(const Tensor& x) const {
    const NoGrad off;
    const Tensor last = ops::narrow(x, 1, x.dim(1) - 1, 1), zero = Tensor::full(x.device(), {x.dim(0), 1, 1}, 0);
    std::vector<Tensor> parts;
    for (const int column : sizes_.targets)
      for (int v = 0; v < sizes_.values; ++v)
        parts.push_back(column >= 0 && v < sizes_.places ? ops::narrow(last, 2, column, 1) : zero);
    return parts.size() == 1 ? parts[0] : ops::cat(parts, 2);
  }

  Sizes sizes_;
  nn::LSTM encoder_, decoder_;
  nn::Dropout dropout_;
  nn::Linear head_;
};

}  // namespace

const ModelInfo seq2seq_lstm_model{
    "seq2seq_lstm",
    "Seq2seq LSTM",
    Task::forecast,
    "One memory reads the window, another writes the forecast row after row: for forecasts many rows ahead whose rows "
    "hang together. Slower than lstm.",
    {Field::integer("hidden", 32, 1, 512, "numbers in each memory: more can learn more and train slower"),
     Field::integer("layers", 1, 1, 4, "LSTM layers stacked on each other, in reader and writer alike"),
     dropout_field()},
    [](nn::Init& init, const Sizes& sizes, const Values& v) -> std::unique_ptr<nn::Module> {
      const nn::RecurrentOptions options{
          .layers = whole(v, "layers"), .dropout = real(v, "dropout"), .orthogonal = true};
      return std::make_unique<Seq2seqLstm>(init, sizes, whole(v, "hidden"), options);
    }};

}  // namespace sg::models

// Attention as layers: multi-head attention, the transformer's encoder and decoder layers and positions, with PyTorch's
// parameter names. Sequences are batch first: x[N, T, E].
#pragma once
#include "nn/layers.h"
#include "nn/norm.h"

namespace sg::nn {

/// What a query may look at: `causal` hides the keys after it, key_padding[N, S] (may be undefined) those where it is
/// not 0.
struct Mask {
  bool causal = false;
  Tensor key_padding = {};
};

/// torch.nn.MultiheadAttention(width, heads, batch_first=True): in_proj_weight[3E, E] (queries, keys, values),
/// in_proj_bias[3E], out_proj. The weights of attention are not dropped out. `rotary`: queries and keys are rotated by
/// their positions.
class MultiheadAttention : public Module {
 public:
  MultiheadAttention(Init& init, int width, int heads, bool rotary = false);
  /// x[N, T, E] attends to itself, unmasked.
  Tensor forward(const Tensor& x, Context& context) const override { return forward(x, Mask{}, context); }
  Tensor forward(const Tensor& x, const Mask& mask, Context& context) const;
  /// x[N, T, E] attends to memory[N, S, E].
  Tensor forward(const Tensor& x, const Tensor& memory, const Mask& mask, Context& context) const;

 private:
  Tensor project(const Tensor& x, int first, int parts) const;

  int width_, heads_;
  bool rotary_;
  Tensor in_proj_weight_, in_proj_bias_;
  Linear out_proj_;
};

struct TransformerOptions {
  int width = 64, heads = 4, feedforward = 256;
  float dropout = 0;
  bool norm_first = false;
  bool gelu = false;  // else relu
  bool rotary = false;
};

/// What both kinds of transformer layer do after attention: linear2(dropout(activation(linear1(x)))).
class FeedForward {
 public:
  FeedForward(Init& init, const TransformerOptions& options);
  Tensor forward(const Tensor& x, Context& context) const;

  const Linear linear1, linear2;

 private:
  Dropout dropout_;
  bool gelu_;
};

/// torch.nn.TransformerEncoderLayer: self_attn, linear1, linear2, norm1, norm2.
class TransformerEncoderLayer : public Module {
 public:
  TransformerEncoderLayer(Init& init, const TransformerOptions& options);
  Tensor forward(const Tensor& x, Context& context) const override { return forward(x, Mask{}, context); }
  Tensor forward(const Tensor& x, const Mask& mask, Context& context) const;

 private:
  MultiheadAttention self_attn_;
  FeedForward feedforward_;
  LayerNorm norm1_, norm2_;
  Dropout dropout_;
  bool norm_first_;
};

/// torch.nn.TransformerDecoderLayer: self_attn (causal), multihead_attn over the encoder's memory[N, S, E], linear1,
/// linear2, norm1, norm2, norm3.
class TransformerDecoderLayer : public Module {
 public:
  TransformerDecoderLayer(Init& init, const TransformerOptions& options);
  /// Refused: a decoder layer needs a memory.
  Tensor forward(const Tensor& x, Context& context) const override;
  /// `mask` hides keys of x beside those after a query, `memory_mask` keys of the memory.
  Tensor forward(const Tensor& x, const Tensor& memory, const Mask& mask, const Mask& memory_mask,
                 Context& context) const;

 private:
  MultiheadAttention self_attn_, multihead_attn_;
  FeedForward feedforward_;
  LayerNorm norm1_, norm2_, norm3_;
  Dropout dropout_;
  bool norm_first_;
};

/// Adds to x[N, T, E] the sines and cosines of position t at wavelengths from 2π to 20000π (Vaswani et al. 2017):
/// column 2i is sin(t / 10000^(2i/E)), column 2i + 1 its cosine. No parameters; T up to `longest`.
class SinusoidalPositions : public Module {
 public:
  SinusoidalPositions(Device& device, int longest, int width);
  Tensor forward(const Tensor& x, Context& context) const override;

 private:
  Tensor table_;
};

/// Adds to x[N, T, E] the first T rows of weight[longest, E], which starts normal with deviation 0.02.
class LearnedPositions : public Module {
 public:
  LearnedPositions(Init& init, int longest, int width);
  Tensor forward(const Tensor& x, Context& context) const override;

 private:
  Tensor weight_;
};

}  // namespace sg::nn

#include "nn/attention.h"

#include <cmath>

#include "core/check.h"
#include "ops/ops.h"

namespace sg::nn {
namespace {

float uniform_bound(int n) { return 1.0f / std::sqrt(static_cast<float>(n)); }

/// x[N, T, E] plus the first T rows of table[longest, E].
Tensor add_positions(const char* layer, const Tensor& x, const Tensor& table) {
  SG_CHECK(x.rank() == 3 && x.dim(1) <= table.dim(0) && x.dim(2) == table.dim(1),
           std::string(layer) + ": x " + str(x.shape()) + " must be [N, T, E] with the positions " +
               str(table.shape()) + " at least as long");
  return ops::add(x, x.dim(1) == table.dim(0) ? table : ops::narrow(table, 0, 0, x.dim(1)));
}

/// The residual step of a transformer, x + dropout(f(x)), with the norm before f or after the sum.
template <class F>
Tensor step(const Tensor& x, const LayerNorm& norm, const Dropout& dropout, bool norm_first, Context& context, F f) {
  if (norm_first) return ops::add(x, dropout.forward(f(norm.forward(x, context)), context));
  return norm.forward(ops::add(x, dropout.forward(f(x), context)), context);
}

}  // namespace

MultiheadAttention::MultiheadAttention(Init& init, int width, int heads, bool rotary)
    : width_(width),
      heads_(heads),
      rotary_(rotary),
      in_proj_weight_(parameter("in_proj_weight", init.xavier_uniform({3 * width, width}))),
      in_proj_bias_(parameter("in_proj_bias", init.zeros({3 * width}))),
      out_proj_(init.uniform({width, width}, uniform_bound(width)), init.zeros({width})) {
  SG_CHECK(width > 0 && heads > 0 && width % heads == 0, "MultiheadAttention: a width of " + std::to_string(width) +
                                                             " for " + std::to_string(heads) +
                                                             " heads: it must be a multiple");
  SG_CHECK(!rotary || width / heads % 2 == 0,
           "MultiheadAttention: rotary positions need an even width a head, not " + std::to_string(width / heads));
  child("out_proj", out_proj_);
}

/// Parts first .. first + parts - 1 of queries, keys and values side by side: [N, T, parts E].
Tensor MultiheadAttention::project(const Tensor& x, int first, int parts) const {
  SG_CHECK(x.rank() == 3 && x.dim(2) == width_,
           "MultiheadAttention: x " + str(x.shape()) + " must be [N, T, " + std::to_string(width_) + "]");
  const auto part = [&](const Tensor& t) { return parts == 3 ? t : ops::narrow(t, 0, first * width_, parts * width_); };
  const Tensor z = ops::linear(x, part(in_proj_weight_), part(in_proj_bias_));
  const int turned = (first == 0) + (first + parts >= 2 && first <= 1);  // queries and keys, not values
  return rotary_ ? ops::rotary_heads(z, parts * heads_, turned * heads_) : z;
}

Tensor MultiheadAttention::forward(const Tensor& x, const Mask& mask, Context& context) const {
  return out_proj_.forward(ops::multi_head_attention(project(x, 0, 3), heads_, mask.causal, mask.key_padding), context);
}

Tensor MultiheadAttention::forward(const Tensor& x, const Tensor& memory, const Mask& mask, Context& context) const {
  const Tensor q = project(x, 0, 1), kv = project(memory, 1, 2);
  return out_proj_.forward(ops::multi_head_attention(q, kv, heads_, mask.causal, mask.key_padding), context);
}

FeedForward::FeedForward(Init& init, const TransformerOptions& options)
    : linear1(init, options.width, options.feedforward),
      linear2(init, options.feedforward, options.width),
      dropout_(options.dropout),
      gelu_(options.gelu) {}

Tensor FeedForward::forward(const Tensor& x, Context& context) const {
  const Tensor inner = linear1.forward(x, context);
  return linear2.forward(dropout_.forward(gelu_ ? ops::gelu(inner) : ops::relu(inner), context), context);
}

TransformerEncoderLayer::TransformerEncoderLayer(Init& init, const TransformerOptions& options)
    : self_attn_(init, options.width, options.heads, options.rotary),
      feedforward_(init, options),
      norm1_(init, options.width),
      norm2_(init, options.width),
      dropout_(options.dropout),
      norm_first_(options.norm_first) {
  child("self_attn", self_attn_);
  child("linear1", feedforward_.linear1);
  child("linear2", feedforward_.linear2);
  child("norm1", norm1_);
  child("norm2", norm2_);
}

Tensor TransformerEncoderLayer::forward(const Tensor& x, const Mask& mask, Context& context) const {
  const Tensor y = step(x, norm1_, dropout_, norm_first_, context,
                        [&](const Tensor& t) { return self_attn_.forward(t, mask, context); });
  return step(y, norm2_, dropout_, norm_first_, context,
              [&](const Tensor& t) { return feedforward_.forward(t, context); });
}

TransformerDecoderLayer::TransformerDecoderLayer(Init& init, const TransformerOptions& options)
    : self_attn_(init, options.width, options.heads, options.rotary),
      multihead_attn_(init, options.width, options.heads),
      feedforward_(init, options),
      norm1_(init, options.width),
      norm2_(init, options.width),
      norm3_(init, options.width),
      dropout_(options.dropout),
      norm_first_(options.norm_first) {
  child("self_attn", self_attn_);
  child("multihead_attn", multihead_attn_);
  child("linear1", feedforward_.linear1);
  child("linear2", feedforward_.linear2);
  child("norm1", norm1_);
  child("norm2", norm2_);
  child("norm3", norm3_);
}

Tensor TransformerDecoderLayer::forward(const Tensor& x, Context&) const {
  throw Error("shape.mismatch",
              "TransformerDecoderLayer: x " + str(x.shape()) + " comes without a memory to attend to");
}

Tensor TransformerDecoderLayer::forward(const Tensor& x, const Tensor& memory, const Mask& mask,
                                        const Mask& memory_mask, Context& context) const {
  const Mask own{true, mask.key_padding};
  const Tensor y = step(x, norm1_, dropout_, norm_first_, context,
                        [&](const Tensor& t) { return self_attn_.forward(t, own, context); });
  const Tensor z = step(y, norm2_, dropout_, norm_first_, context,
                        [&](const Tensor& t) { return multihead_attn_.forward(t, memory, memory_mask, context); });
  return step(z, norm3_, dropout_, norm_first_, context,
              [&](const Tensor& t) { return feedforward_.forward(t, context); });
}

SinusoidalPositions::SinusoidalPositions(Device& device, int longest, int width) {
  std::vector<float> table;
  for (int t = 0; t < longest; ++t) {
    for (int i = 0; i < width; ++i) {
      const double angle = t * std::pow(10000.0, -static_cast<double>(i / 2 * 2) / width);
      table.push_back(static_cast<float>(i % 2 ? std::cos(angle) : std::sin(angle)));
    }
  }
  table_ = constant(Tensor::from(device, Shape{longest, width}, table));
}

Tensor SinusoidalPositions::forward(const Tensor& x, Context&) const {
  return add_positions("SinusoidalPositions", x, table_);
}

LearnedPositions::LearnedPositions(Init& init, int longest, int width)
    : weight_(parameter("weight", init.normal({longest, width}, 0.02))) {}

Tensor LearnedPositions::forward(const Tensor& x, Context&) const {
  return add_positions("LearnedPositions", x, weight_);
}

}  // namespace sg::nn

// A GPT over characters (Radford et al. 2019, as in Karpathy's nanoGPT, with its parameter names; first weights normal,
// scaled to the width): a token's embedding plus that of its place, pre-norm blocks of causal attention and a GELU
// layer, and logits by the embedding itself (Press and Wolf 2017).
#include <array>
#include <cmath>

#include "models/encoder.h"
#include "models/model.h"
#include "nn/layers.h"
#include "nn/norm.h"
#include "ops/ops.h"

namespace sg::models {
namespace {

constexpr float kEps = 1e-5f;

struct CharConfig {
  int layers, heads, width;
  float dropout;
  bool bias;
  /// Of the first weights. It is GPT-2's 0.02 at GPT-2's width of 768; at widths of a hundred or two that would be far
  /// too small, and the model would spend its first hundreds of steps on growing.
  double std() const { return 1 / std::sqrt(3.0 * width); }
  /// Of the layers that write into the residual stream: it is a sum of 2 · layers of them.
  double residual_std() const { return std() / std::sqrt(2.0 * layers); }
};

Tensor bias(nn::Init& init, const CharConfig& config, int out) { return config.bias ? init.zeros({out}) : Tensor(); }

class CausalSelfAttention : public nn::Module {
 public:
  CausalSelfAttention(nn::Init& init, const CharConfig& config)
      : heads_(config.heads),
        c_attn_(init.normal({3 * config.width, config.width}, config.std()), bias(init, config, 3 * config.width)),
        c_proj_(init.normal({config.width, config.width}, config.residual_std()), bias(init, config, config.width)),
        dropout_(config.dropout) {
    child("c_attn", c_attn_);
    child("c_proj", c_proj_);
  }

  /// x[N, T, C] -> [N, T, C]
  Tensor forward(const Tensor& x, nn::Context& context) const override {
    const int batch = x.dim(0), time = x.dim(1), width = x.dim(2);
    constexpr std::array<int, 5> kPartsFirst{2, 0, 3, 1, 4};
    const Tensor parts = ops::permute(
        ops::reshape(c_attn_.forward(x, context), Shape{batch, time, 3, heads_, width / heads_}), kPartsFirst);
    const Tensor y = ops::scaled_dot_product_attention(ops::select(parts, 0, 0), ops::select(parts, 0, 1),
                                                       ops::select(parts, 0, 2), true);
    return dropout_.forward(c_proj_.forward(ops::reshape(ops::transpose(y, 1, 2), x.shape()), context), context);
  }

 private:
  int heads_;
  nn::Linear c_attn_, c_proj_;
  nn::Dropout dropout_;
};

class CharMlp : public nn::Module {
 public:
  CharMlp(nn::Init& init, const CharConfig& config)
      : c_fc_(init.normal({4 * config.width, config.width}, config.std()), bias(init, config, 4 * config.width)),
        c_proj_(init.normal({config.width, 4 * config.width}, config.residual_std()), bias(init, config, config.width)),
        dropout_(config.dropout) {
    child("c_fc", c_fc_);
    child("c_proj", c_proj_);
  }

  Tensor forward(const Tensor& x, nn::Context& context) const override {
    return dropout_.forward(c_proj_.forward(ops::gelu(c_fc_.forward(x, context)), context), context);
  }

 private:
  nn::Linear c_fc_, c_proj_;
  nn::Dropout dropout_;
};

class CharBlock : public nn::Module {
 public:
  CharBlock(nn::Init& init, const CharConfig& config)
      : ln_1_(init, config.width, kEps, config.bias),
        attn_(init, config),
        ln_2_(init, config.width, kEps, config.bias),
        mlp_(init, config) {
    child("ln_1", ln_1_);
    child("attn", attn_);
    child("ln_2", ln_2_);
    child("mlp", mlp_);
  }

  Tensor forward(const Tensor& x, nn::Context& context) const override {
    const Tensor y = ops::add(x, attn_.forward(ln_1_.forward(x, context), context));
    return ops::add(y, mlp_.forward(ln_2_.forward(y, context), context));
  }

 private:
  nn::LayerNorm ln_1_;
  CausalSelfAttention attn_;
  nn::LayerNorm ln_2_;
  CharMlp mlp_;
};

class CharTransformer : public nn::Module {
 public:
  CharTransformer(nn::Init& init, const Sizes& sizes, const CharConfig& config)
      : wte_(parameter("wte.weight", init.normal({sizes.vocabulary, config.width}, config.std()))),
        wpe_(parameter("wpe.weight", init.normal({sizes.time, config.width}, config.std()))),
        dropout_(config.dropout),
        ln_f_(init, config.width, kEps, config.bias) {
    for (int l = 0; l < config.layers; ++l) {
      blocks_.push_back(std::make_unique<CharBlock>(init, config));
      child("h." + std::to_string(l), *blocks_.back());
    }
    child("ln_f", ln_f_);
  }

  /// tokens[N, T], T up to the block -> logits[N, T, V]
  Tensor forward(const Tensor& tokens, nn::Context& context) const override {
    const Tensor places = ops::narrow(wpe_, 0, 0, tokens.dim(1));
    Tensor x = dropout_.forward(ops::add(ops::embedding(tokens, wte_), places), context);
    for (const auto& block : blocks_) x = block->forward(x, context);
    return ops::linear(ln_f_.forward(x, context), wte_, {});
  }

 private:
  Tensor wte_, wpe_;
  nn::Dropout dropout_;
  std::vector<std::unique_ptr<CharBlock>> blocks_;
  nn::LayerNorm ln_f_;
};

}  // namespace

const ModelInfo char_transformer_model{
    "char_transformer",
    "Character transformer",
    Task::text,
    "Writes text character by character: a small GPT.",
    {Field::integer("layers", 4, 1, 24, "blocks on top of each other"), heads_field(),
     Field::integer("width", 128, 1, 2048, "numbers that a character is told by"), dropout_field(),
     Field::boolean("bias", false, "offsets in the layers, as GPT-2 has them: without, it is a bit better and faster")},
    [](nn::Init& init, const Sizes& sizes, const Values& v) -> std::unique_ptr<nn::Module> {
      const CharConfig config{whole(v, "layers"), whole(v, "heads"), whole(v, "width"), real(v, "dropout"),
                              flag(v, "bias")};
      need_multiple("model.width", config.width, "model.heads", config.heads);
      return std::make_unique<CharTransformer>(init, sizes, config);
    }};

}  // namespace sg::models

#include "tests/bench/bench_nets.h"

#include <array>

#include "ops/ops.h"

namespace sg::bench {

Tensor Net::take(const Shape& shape) {
  Tensor t = Tensor::from(*device_, shape, {from_, static_cast<size_t>(shape.size())});
  from_ += shape.size();
  parameters_.push_back({"w" + std::to_string(parameters_.size()), t.set_requires_grad()});
  return t;
}

Net::Net(Device& device, const Workload& w, const float* weights) : w_(w), device_(&device), from_(weights) {
  using Kind = Workload::Kind;
  const bool text = w.kind == Kind::gpt, image = w.kind == Kind::cnn, flat = w.kind == Kind::mlp;
  const Shape x = text    ? Shape{w.batch, w.time}
                  : image ? Shape{w.batch, w.height, w.height, w.units[0]}
                  : flat  ? Shape{w.batch, w.features}
                          : Shape{w.batch, w.time, w.features};
  const bool classes = text || image || flat;
  x_ = Tensor::empty(device, x);
  y_ = Tensor::empty(device, classes ? Shape{text ? w.batch * w.time : w.batch} : Shape{w.batch, w.outputs});
}

namespace {

/// x[..., in] · kernel[in, out] + bias[out].
struct Dense {
  Tensor kernel, bias;
  Tensor operator()(const Tensor& x) const { return ops::addmm(bias, x, kernel); }
};

class Lstm final : public Net {
 public:
  Lstm(Device& device, const Workload& w, const float* weights) : Net(device, w, weights) {
    int in = w.features;
    for (const int h : w.units) {
      layers_.push_back({take({in, 4 * h}), take({h, 4 * h}), take({4 * h})});
      in = h;
    }
    head_ = {take({in, w.outputs}), take({w.outputs})};
  }
  Tensor loss(const Tensor& x, const Tensor& y) const override {
    Tensor h = x;
    for (const Layer& l : layers_) h = ops::lstm(ops::addmm(l.bias, h, l.kernel), ops::transpose(l.recurrent, 0, 1));
    return ops::mse_loss(head_(ops::select(h, 1, -1)), y);
  }

 private:
  struct Layer {
    Tensor kernel, recurrent, bias;
  };
  std::vector<Layer> layers_;
  Dense head_;
};

class Mlp final : public Net {
 public:
  Mlp(Device& device, const Workload& w, const float* weights) : Net(device, w, weights) {
    int in = w.features;
    for (const int width : w.units) {
      layers_.push_back({take({in, width}), take({width})});
      in = width;
    }
    head_ = {take({in, w.outputs}), take({w.outputs})};
  }
  Tensor loss(const Tensor& x, const Tensor& y) const override {
    Tensor h = x;
    for (const Dense& layer : layers_) h = ops::relu(layer(h));
    return ops::cross_entropy(head_(h), y);
  }

 private:
  std::vector<Dense> layers_;
  Dense head_;
};

/// Pre-norm blocks over width numbers a place: the encoder of a series, or a GPT over tokens.
class Transformer final : public Net {
 public:
  Transformer(Device& device, const Workload& w, const float* weights) : Net(device, w, weights) {
    const int d = w.width;
    if (text())
      tokens_ = take({w.outputs, d});
    else
      in_ = {take({w.features, d}), take({d})};
    places_ = take({w.time, d});
    for (int b = 0; b < w.blocks; ++b) {
      Block block;
      block.norm1 = norm();
      block.qkv = {take({d, 3 * d}), take({3 * d})};
      block.proj = {take({d, d}), take({d})};
      block.norm2 = norm();
      block.up = {take({d, w.inner}), take({w.inner})};
      block.down = {take({w.inner, d}), take({d})};
      blocks_.push_back(block);
    }
    last_ = norm();
    head_ = {take({d, w.outputs}), take({w.outputs})};
  }
  Tensor loss(const Tensor& x, const Tensor& y) const override {
    const int n = w_.batch, t = w_.time;
    Tensor h = text() ? ops::embedding(x, tokens_) : in_(x);
    h = ops::add(h, places_);
    for (const Block& b : blocks_) {
      h = ops::add(h, b.proj(ops::multi_head_attention(b.qkv(b.norm1(h)), w_.heads, text())));
      const Tensor up = b.up(b.norm2(h));
      h = ops::add(h, b.down(text() ? ops::gelu_tanh(up) : ops::relu(up)));
    }
    h = last_(h);
    if (!text()) return ops::mse_loss(head_(ops::mean(h, 1)), y);
    return ops::cross_entropy(ops::reshape(head_(h), Shape{n * t, w_.outputs}), y);
  }

 private:
  struct Norm {
    Tensor gain, shift;
    Tensor operator()(const Tensor& x) const { return ops::layer_norm(x, gain, shift); }
  };
  struct Block {
    Norm norm1, norm2;
    Dense qkv, proj, up, down;
  };
  bool text() const { return w_.kind == Workload::Kind::gpt; }
  Norm norm() { return {take({w_.width}), take({w_.width})}; }

  Tensor tokens_, places_;
  Dense in_, head_;
  std::vector<Block> blocks_;
  Norm last_;
};

/// Convolutions of one size with ReLU and 2 x 2 maxima, then two dense layers. Images are [N, H, W, C].
class Cnn final : public Net {
 public:
  Cnn(Device& device, const Workload& w, const float* weights) : Net(device, w, weights) {
    int side = w.height;
    for (size_t l = 1; l < w.units.size(); ++l) {
      kernels_.push_back(take({w.kernel, w.kernel, w.units[l - 1], w.units[l]}));
      biases_.push_back(take({w.units[l]}));
      side /= 2;
    }
    const int flat = side * side * w.units.back();
    dense_ = {take({flat, w.dense}), take({w.dense})};
    head_ = {take({w.dense, w.outputs}), take({w.outputs})};
  }
  Tensor loss(const Tensor& x, const Tensor& y) const override {
    static constexpr std::array<int, 4> kChannelsFirst{0, 3, 1, 2}, kChannelsLast{0, 2, 3, 1}, kOutFirst{3, 2, 0, 1};
    const int pad = w_.kernel / 2;
    Tensor h = ops::permute(x, kChannelsFirst);
    for (size_t l = 0; l < kernels_.size(); ++l) {
      h = ops::relu(ops::conv2d(h, ops::permute(kernels_[l], kOutFirst), biases_[l], {.padding = {pad, pad}}));
      h = ops::max_pool2d(h, {2, 2}, {2, 2});
    }
    h = ops::permute(h, kChannelsLast);
    h = ops::relu(dense_(ops::reshape(h, Shape{w_.batch, static_cast<int>(h.size() / w_.batch)})));
    return ops::cross_entropy(head_(h), y);
  }

 private:
  std::vector<Tensor> kernels_, biases_;
  Dense dense_, head_;
};

}  // namespace

std::unique_ptr<Net> make_net(Device& device, const Workload& workload, const float* weights) {
  switch (workload.kind) {
    case Workload::Kind::mlp:
      return std::make_unique<Mlp>(device, workload, weights);
    case Workload::Kind::encoder:
    case Workload::Kind::gpt:
      return std::make_unique<Transformer>(device, workload, weights);
    case Workload::Kind::cnn:
      return std::make_unique<Cnn>(device, workload, weights);
    case Workload::Kind::lstm:
      break;
  }
  return std::make_unique<Lstm>(device, workload, weights);
}

}  // namespace sg::bench

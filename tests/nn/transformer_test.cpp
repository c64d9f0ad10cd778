// A transformer's encoder layer against its definition, in double and one number after the other.
#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "cpu/cpu_device.h"
#include "nn/attention.h"
#include "ops/ops.h"

using namespace sg;

namespace {

using Row = std::vector<double>;
using Matrix = std::vector<Row>;

struct Weights {
  std::map<std::string, std::vector<float>> all;

  explicit Weights(const nn::Module& module) {
    for (const Parameter& p : module.parameters()) all[p.name] = p.value.values();
  }
  double at(const std::string& name, size_t i) const { return static_cast<double>(all.at(name)[i]); }

  /// Outputs first .. first + count - 1 of the linear layer whose tensors are prefix + "weight" and prefix + "bias".
  Row linear(const std::string& prefix, const Row& x, size_t first, size_t count) const {
    Row y(count);
    for (size_t o = 0; o < count; ++o) {
      y[o] = at(prefix + "bias", first + o);
      for (size_t i = 0; i < x.size(); ++i) y[o] += at(prefix + "weight", (first + o) * x.size() + i) * x[i];
    }
    return y;
  }
  Row norm(const std::string& prefix, const Row& x) const {
    const auto n = static_cast<double>(x.size());
    double mean = 0, var = 0;
    for (const double v : x) mean += v / n;
    for (const double v : x) var += (v - mean) * (v - mean) / n;
    Row y(x.size());
    for (size_t i = 0; i < x.size(); ++i)
      y[i] = (x[i] - mean) / std::sqrt(var + 1e-5) * at(prefix + ".weight", i) + at(prefix + ".bias", i);
    return y;
  }
};

/// The pairs (i, i + D/2) of each head turned by t / 10000^(2i/D).
Row turned(const Row& x, size_t heads, size_t t) {
  const size_t width = x.size() / heads, half = width / 2;
  Row y(x);
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t in_head = i % width, pair = in_head % half;
    const double angle =
        static_cast<double>(t) / std::pow(10000.0, 2.0 * static_cast<double>(pair) / static_cast<double>(width));
    const double other = in_head < half ? -x[i + half] : x[i - half];
    y[i] = x[i] * std::cos(angle) + other * std::sin(angle);
  }
  return y;
}

Matrix attention(const Weights& w, const Matrix& x, size_t heads, bool causal, bool rotary) {
  const size_t width = x[0].size(), each = width / heads;
  Matrix q, k, v, y;
  for (size_t t = 0; t < x.size(); ++t) {
    q.push_back(w.linear("self_attn.in_proj_", x[t], 0, width));
    k.push_back(w.linear("self_attn.in_proj_", x[t], width, width));
    v.push_back(w.linear("self_attn.in_proj_", x[t], 2 * width, width));
    if (rotary) q[t] = turned(q[t], heads, t), k[t] = turned(k[t], heads, t);
  }
  for (size_t t = 0; t < x.size(); ++t) {
    Row joined(width);
    for (size_t i = 0; i < width; ++i) {
      double sum = 0, all = 0;
      for (size_t s = 0; s < (causal ? t + 1 : x.size()); ++s) {
        double score = 0;
        for (size_t d = i / each * each; d < (i / each + 1) * each; ++d) score += q[t][d] * k[s][d];
        const double e = std::exp(score / std::sqrt(static_cast<double>(each)));
        sum += e * v[s][i];
        all += e;
      }
      joined[i] = sum / all;
    }
    y.push_back(w.linear("self_attn.out_proj.", joined, 0, width));
  }
  return y;
}

Row sum(Row a, const Row& b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

Matrix encoder(const Weights& w, const Matrix& x, const nn::TransformerOptions& o, bool causal) {
  const auto feed_forward = [&](const Row& row) {
    Row inner = w.linear("linear1.", row, 0, static_cast<size_t>(o.feedforward));
    for (double& v : inner) v = o.gelu ? 0.5 * v * (1 + std::erf(v / std::sqrt(2.0))) : std::max(v, 0.0);
    return w.linear("linear2.", inner, 0, row.size());
  };
  const auto heads = static_cast<size_t>(o.heads);
  Matrix normed, y;
  for (const Row& row : x) normed.push_back(w.norm("norm1", row));
  const Matrix attended = attention(w, o.norm_first ? normed : x, heads, causal, o.rotary);
  for (size_t t = 0; t < x.size(); ++t) {
    const Row a = sum(x[t], attended[t]);
    if (o.norm_first) {
      y.push_back(sum(a, feed_forward(w.norm("norm2", a))));
    } else {
      const Row b = w.norm("norm1", a);
      y.push_back(w.norm("norm2", sum(b, feed_forward(b))));
    }
  }
  return y;
}

}  // namespace

TEST_CASE("an encoder layer computes what its definition says, whatever its options", "[nn]") {
  const auto device = make_cpu_device();
  for (int kind = 0; kind < 16; ++kind) {
    const nn::TransformerOptions options{.width = 8,
                                         .heads = 2,
                                         .feedforward = 12,
                                         .dropout = 0.5f,  // rests outside training
                                         .norm_first = (kind & 1) != 0,
                                         .gelu = (kind & 2) != 0,
                                         .rotary = (kind & 4) != 0};
    const bool causal = (kind & 8) != 0;
    INFO("options " << kind);
    nn::Init init{*device, Generator{static_cast<uint64_t>(kind), 0}};
    const nn::TransformerEncoderLayer layer(init, options);
    uint32_t draw = 100;
    for (Parameter& p : layer.parameters())  // the first biases and norms would hide mistakes: 0 and 1
      p.value.set_value(ops::uniform(*device, p.value.shape(), -0.8f, 0.9f, init.generator, Stream::weights, draw++));
    const Tensor x = ops::uniform(*device, {2, 5, 8}, -1, 1, init.generator, Stream::weights, draw);
    nn::Context context;
    const std::vector<float> got = layer.forward(x, nn::Mask{.causal = causal, .key_padding = {}}, context).values();
    const std::vector<float> given = x.values();
    const Weights weights(layer);
    for (size_t n = 0; n < 2; ++n) {
      Matrix rows;
      for (size_t t = 0; t < 5; ++t) {
        const auto start = given.begin() + static_cast<std::ptrdiff_t>((n * 5 + t) * 8);
        rows.emplace_back(start, start + 8);
      }
      const Matrix want = encoder(weights, rows, options, causal);
      for (size_t i = 0; i < 40; ++i) CHECK(got[n * 40 + i] == Approx(want[i / 8][i % 8]).margin(2e-5));
    }
  }
}

// LSTM and GRU stacks: PyTorch's names and states, and every option against a reference that runs each sequence alone,
// cut to its length. What lies in the padding is NaN in all of them.
#include "nn/recurrent.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <memory>

#include "io/error.h"
#include "tests/ops/compare.h"
#include "tests/ops/devices.h"
#include "tests/reference/recurrent.h"

namespace sg::tests {
namespace {

constexpr int kBatch = 4, kSteps = 6, kFeatures = 3, kHidden = 5, kLayers = 2;
const std::vector<int> kLengths{6, 1, 4, 3};

using reference::each;
using reference::Index;

struct Kind {
  bool lstm, bidirectional;
  int gates() const { return lstm ? 4 : 3; }
  int directions() const { return bidirectional ? 2 : 1; }
  std::string name() const { return std::string(bidirectional ? "bidirectional " : "") + (lstm ? "LSTM" : "GRU"); }
};
const Kind kKinds[]{{true, false}, {true, true}, {false, false}, {false, true}};

std::unique_ptr<nn::Recurrent> make(const Kind& kind, nn::Init& init, const nn::RecurrentOptions& options) {
  if (kind.lstm) return std::make_unique<nn::LSTM>(init, kFeatures, kHidden, options);
  return std::make_unique<nn::GRU>(init, kFeatures, kHidden, options);
}

std::unique_ptr<nn::Recurrent> make(const Kind& kind, Device& device) {
  nn::Init init{device, Generator{11, 0}};
  return make(kind, init, {.layers = kLayers, .bidirectional = kind.bidirectional});
}

/// Everything that a run depends on, by name: the parameters, "x", "h0" and "c0".
using Named = std::map<std::string, Array>;

Array drawn(const std::string& seed, const Sizes& sizes) {
  OpCase c;
  c.op = seed;
  c.inputs = {{sizes, -1.5, 1.5}};
  const std::vector<float> values = input_values(c)[0];
  return Array(sizes, std::vector<double>(values.begin(), values.end()));
}

Named values_of(const Kind& kind, const nn::Module& module) {
  Named all;
  for (const Parameter& p : module.parameters()) {
    const std::vector<float> values = p.value.values();
    Sizes sizes;
    for (int i = 0; i < p.value.rank(); ++i) sizes.push_back(p.value.dim(i));
    all[p.name] = Array(sizes, std::vector<double>(values.begin(), values.end()));
  }
  const Sizes state{kLayers * kind.directions(), kBatch, kHidden};
  all["x"] = drawn("x", {kBatch, kSteps, kFeatures});
  all["h0"] = drawn("h0", state);
  if (kind.lstm) all["c0"] = drawn("c0", state);
  return all;
}

struct Result {
  Array y, h, c;
};

/// Row n of entry `at` of a state [entries, N, H], as [1, H].
Array row(const Array& state, int at, int n) {
  Array r({1, kHidden});
  for (int j = 0; j < kHidden; ++j) r.at({0, j}) = state.at({at, n, j});
  return r;
}

Array flipped(const Array& x) {
  Array y(x.sizes);
  each(x.sizes, [&](const Index& i) { y.at(i) = x.at({i[0], x.sizes[1] - 1 - i[1], i[2]}); });
  return y;
}

/// The states [1, T, 1 or 2, H] of one direction of one layer over one sequence x[1, T, F].
Array run_alone(const Kind& kind, const Named& v, const std::string& suffix, const Array& x, const Array& h0,
                const Array* c0) {
  const Array &bias_hh = v.at("bias_hh" + suffix), &weight_hh = v.at("weight_hh" + suffix);
  Array bias = v.at("bias_ih" + suffix);
  for (size_t i = 0; kind.lstm && i < bias.values.size(); ++i) bias.values[i] += bias_hh.values[i];
  const Array z = reference::linear(x, v.at("weight_ih" + suffix), &bias);
  if (kind.lstm) return reference::lstm_states(z, weight_hh, &h0, c0);
  Array y = reference::gru(z, weight_hh, bias_hh, &h0);
  y.sizes = {1, y.sizes[1], 1, kHidden};
  return y;
}

Result reference_run(const Kind& kind, const Named& v) {
  const int directions = kind.directions();
  const Sizes state{kLayers * directions, kBatch, kHidden};
  Result result{Array({kBatch, kSteps, directions * kHidden}), Array(state), Array(kind.lstm ? state : Sizes{0})};
  for (int n = 0; n < kBatch; ++n) {
    const int length = kLengths[static_cast<size_t>(n)];
    Array x({1, length, kFeatures});
    each(x.sizes, [&](const Index& i) { x.at(i) = v.at("x").at({n, i[1], i[2]}); });
    for (int l = 0; l < kLayers; ++l) {
      Array y({1, length, directions * kHidden});
      for (int d = 0; d < directions; ++d) {
        const int at = l * directions + d;
        const Array h0 = row(v.at("h0"), at, n), c0 = kind.lstm ? row(v.at("c0"), at, n) : Array();
        const Array states = run_alone(kind, v, "_l" + std::to_string(l) + (d ? "_reverse" : ""), d ? flipped(x) : x,
                                       h0, kind.lstm ? &c0 : nullptr);
        for (int t = 0; t < length; ++t)
          for (int j = 0; j < kHidden; ++j)
            y.at({0, d ? length - 1 - t : t, d * kHidden + j}) = states.at({0, t, 0, j});
        for (int j = 0; j < kHidden; ++j) {
          result.h.at({at, n, j}) = states.at({0, length - 1, 0, j});
          if (kind.lstm) result.c.at({at, n, j}) = states.at({0, length - 1, 1, j});
        }
      }
      x = y;
    }
    each(x.sizes, [&](const Index& i) { result.y.at({n, i[1], i[2]}) = x.at(i); });
  }
  return result;
}

/// x with `padding` beyond the lengths.
std::vector<float> padded(const Array& x, float padding) {
  std::vector<float> values;
  each(x.sizes, [&](const Index& i) {
    values.push_back(i[1] < kLengths[static_cast<size_t>(i[0])] ? static_cast<float>(x.at(i)) : padding);
  });
  return values;
}

Tensor leaf(Device& d, const Array& a) {
  return Tensor::from(d, shape_of(a.sizes), std::vector<float>(a.values.begin(), a.values.end())).set_requires_grad();
}

struct DeviceRun {
  std::map<std::string, Tensor> leaves;
  nn::RecurrentOutput output;
};

DeviceRun run_on(Device& d, const Kind& kind, const nn::Recurrent& module, const Named& v, float padding) {
  DeviceRun run;
  for (const Parameter& p : module.parameters()) run.leaves[p.name] = p.value;
  run.leaves["x"] = Tensor::from(d, shape_of(v.at("x").sizes), padded(v.at("x"), padding)).set_requires_grad();
  run.leaves["h0"] = leaf(d, v.at("h0"));
  if (kind.lstm) run.leaves["c0"] = leaf(d, v.at("c0"));
  const Tensor lengths = Tensor::from(d, {kBatch}, std::vector<float>(kLengths.begin(), kLengths.end()));
  nn::Context context;
  const nn::RecurrentState initial{run.leaves["h0"], kind.lstm ? run.leaves["c0"] : Tensor()};
  run.output = module.forward_states(run.leaves["x"], context, lengths, initial);
  return run;
}

std::string wrong(const Tensor& got, const Array& want) {
  if (str(got.shape()) != text(want.sizes)) return str(got.shape()) + " instead of " + text(want.sizes);
  return difference(got.values(), want.values, 2e-5, 0.1);
}

void check_values(const std::string& device_name) {
  for (const Kind& kind : kKinds) {
    INFO(kind.name() << " on " << device_name);
    Device& d = device(device_name);
    const auto module = make(kind, d);
    const Named v = values_of(kind, *module);
    const Result want = reference_run(kind, v);
    const DeviceRun got = run_on(d, kind, *module, v, std::nanf(""));
    CHECK(wrong(got.output.y, want.y) == "");
    CHECK(wrong(got.output.state.h, want.h) == "");
    CHECK(got.output.state.c.defined() == kind.lstm);
    if (kind.lstm) CHECK(wrong(got.output.state.c, want.c) == "");
    nn::Context context;
    const Tensor lengths = Tensor::from(d, {kBatch}, std::vector<float>(kLengths.begin(), kLengths.end()));
    const Tensor alone = module->forward(got.leaves.at("x"), context, lengths);
    Named zeros = v;
    for (const char* state : {"h0", "c0"})
      if (v.count(state)) zeros[state] = Array(v.at(state).sizes);
    CHECK(wrong(alone, reference_run(kind, zeros).y) == "");
  }
}

/// Σ w · y + Σ w · h_n + Σ w · c_n with weights of the test's own.
double projected(const Kind& kind, const Result& r) {
  double sum = 0;
  const auto add = [&](const char* seed, const Array& a) {
    const Array w = drawn(seed, a.sizes);
    for (size_t i = 0; i < w.values.size(); ++i) sum += w.values[i] * a.values[i];
  };
  add("y", r.y), add("h_n", r.h);
  if (kind.lstm) add("c_n", r.c);
  return sum;
}

void backward(Device& d, const Kind& kind, const nn::RecurrentOutput& out) {
  const auto dot = [&](const char* seed, const Tensor& t) {
    Sizes sizes;
    for (int i = 0; i < t.rank(); ++i) sizes.push_back(t.dim(i));
    return ops::sum(ops::mul(t, leaf(d, drawn(seed, sizes)).detach()));
  };
  Tensor total = ops::add(dot("y", out.y), dot("h_n", out.state.h));
  if (kind.lstm) total = ops::add(total, dot("c_n", out.state.c));
  total.backward();
}

void check_gradients(const std::string& device_name) {
  for (const Kind& kind : kKinds) {
    Device& d = device(device_name);
    const auto module = make(kind, d);
    const Named v = values_of(kind, *module);
    const DeviceRun run = run_on(d, kind, *module, v, std::nanf(""));
    backward(d, kind, run.output);
    for (const auto& [name, value] : v) {
      INFO("the gradient to " << name << " of a " << kind.name() << " on " << device_name);
      const std::vector<float> got = run.leaves.at(name).grad().values();
      const Array direction = drawn("direction " + name, value.sizes);
      double slope = 0, along = 0;
      for (const double step : {1e-6, -1e-6}) {
        Named moved = v;
        for (size_t i = 0; i < direction.values.size(); ++i) moved[name].values[i] += step * direction.values[i];
        slope += projected(kind, reference_run(kind, moved)) / (2 * step);
      }
      for (size_t i = 0; i < got.size(); ++i) along += static_cast<double>(got[i]) * direction.values[i];
      CHECK(along == Approx(slope).epsilon(1e-4).margin(1e-4));
    }
    const std::vector<float> dx = run.leaves.at("x").grad().values(), inside = padded(v.at("x"), 0);
    for (size_t i = 0; i < dx.size(); ++i)
      if (inside[i] == 0) CHECK(dx[i] == 0);
  }
}

TEST_CASE("stacks with lengths and states are what each sequence gives alone, on cpu", "[nn]") { check_values("cpu"); }
TEST_CASE("stacks with lengths and states are what each sequence gives alone, on webgl", "[nn][webgl]") {
  check_values("webgl");
}
TEST_CASE("gradients of stacks reach weights, inputs and states, and nothing from the padding, on cpu", "[nn]") {
  check_gradients("cpu");
}
TEST_CASE("gradients of stacks reach weights, inputs and states, and nothing from the padding, on webgl",
          "[nn][webgl]") {
  check_gradients("webgl");
}

TEST_CASE("without lengths a stack is the same as with full ones", "[nn]") {
  Device& d = device("cpu");
  for (const Kind& kind : kKinds) {
    INFO(kind.name());
    const auto module = make(kind, d);
    const Tensor x = leaf(d, drawn("x", {kBatch, kSteps, kFeatures}));
    const Tensor full = Tensor::full(d, {kBatch}, kSteps);
    nn::Context context;
    CHECK(module->forward(x, context).values() == module->forward(x, context, full).values());
    const nn::RecurrentOutput a = module->forward_states(x, context), b = module->forward_states(x, context, full);
    CHECK(a.state.h.values() == b.state.h.values());
    if (kind.lstm) CHECK(a.state.c.values() == b.state.c.values());
  }
}

TEST_CASE("a stack goes on from the state that it ended in", "[nn]") {
  Device& d = device("cpu");
  for (const Kind& kind : {kKinds[0], kKinds[2]}) {
    INFO(kind.name());
    const auto module = make(kind, d);
    const Tensor x = leaf(d, drawn("x", {kBatch, kSteps, kFeatures}));
    nn::Context context;
    const nn::RecurrentOutput whole = module->forward_states(x, context);
    const nn::RecurrentOutput first = module->forward_states(ops::narrow(x, 1, 0, 2), context);
    const nn::RecurrentOutput rest = module->forward_states(ops::narrow(x, 1, 2, kSteps - 2), context, {}, first.state);
    CHECK(rest.state.h.values() == whole.state.h.values());
    CHECK(rest.y.values() == ops::narrow(whole.y, 1, 2, kSteps - 2).values());
  }
}

TEST_CASE("stacks have PyTorch's parameter names and shapes in its order", "[nn]") {
  Device& d = device("cpu");
  for (const Kind& kind : kKinds) {
    INFO(kind.name());
    const auto parameters = make(kind, d)->parameters();
    REQUIRE(static_cast<int>(parameters.size()) == 4 * kLayers * kind.directions());
    size_t at = 0;
    const int gates = kind.gates() * kHidden;
    for (const std::string layer : {"_l0", "_l1"}) {
      const int features = layer == "_l0" ? kFeatures : kind.directions() * kHidden;
      for (int direction = 0; direction < kind.directions(); ++direction) {
        const std::string suffix = layer + (direction ? "_reverse" : "");
        const std::pair<std::string, Shape> expected[]{{"weight_ih" + suffix, {gates, features}},
                                                       {"weight_hh" + suffix, {gates, kHidden}},
                                                       {"bias_ih" + suffix, {gates}},
                                                       {"bias_hh" + suffix, {gates}}};
        for (const auto& [name, shape] : expected) {
          CHECK(parameters[at].name == name);
          CHECK(parameters[at].value.shape() == shape);
          for (const float w : parameters[at++].value.values()) CHECK(std::abs(w) <= 1 / std::sqrt(5.0f));
        }
      }
    }
  }
}

TEST_CASE("recurrent weights can start as an orthogonal matrix a gate", "[nn]") {
  for (const Kind& kind : {kKinds[1], kKinds[3]}) {
    nn::Init init{device("cpu"), Generator{3, 0}};
    const auto module = make(kind, init, {.bidirectional = true, .orthogonal = true});
    for (const Parameter& p : module->parameters()) {
      if (p.name.rfind("weight_hh", 0) != 0) continue;
      const std::vector<float> w = p.value.values();
      const auto at = [&](int r, int c) { return w[static_cast<size_t>(r * kHidden + c)]; };
      for (int r = 0; r < kind.gates() * kHidden; ++r) {
        for (int s = r - r % kHidden; s < r - r % kHidden + kHidden; ++s) {
          float dot = 0;
          for (int c = 0; c < kHidden; ++c) dot += at(r, c) * at(s, c);
          CHECK(dot == Approx(r == s ? 1 : 0).margin(1e-5));
        }
      }
    }
  }
}

TEST_CASE("dropout lies between the layers only, and only while training", "[nn]") {
  Device& d = device("cpu");
  nn::Init init{d, Generator{11, 0}}, single{d, Generator{11, 0}};
  const nn::GRU two(init, kFeatures, kHidden, {.layers = 2, .dropout = 0.5f});
  const nn::GRU one(single, kFeatures, kHidden, {.dropout = 0.5f});
  const Tensor x = leaf(d, drawn("x", {kBatch, kSteps, kFeatures}));
  nn::Context training{.training = true, .generator = {9, 0}}, still;
  CHECK(two.forward(x, training).values() != two.forward(x, still).values());
  CHECK(training.generator.draws == 1);
  CHECK(one.forward(x, training).values() == one.forward(x, still).values());
  CHECK(training.generator.draws == 1);
}

TEST_CASE("a stack says what does not fit", "[nn]") {
  Device& d = device("cpu");
  nn::Init init{d, Generator{11, 0}};
  const nn::LSTM lstm(init, kFeatures, kHidden);
  const nn::GRU gru(init, kFeatures, kHidden);
  const auto zeros = [&](const Shape& shape) { return Tensor::full(d, shape, 0); };
  const Tensor x = zeros({2, 3, kFeatures}), lengths = Tensor::full(d, {2}, 3);
  nn::Context context;
  using Catch::Matchers::Contains;
  const auto said = [](const std::function<void()>& call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      return error.message();
    }
    return "nothing";
  };
  CHECK_THAT(said([&] { lstm.forward(zeros({2, 3, 4}), context); }), Contains("LSTM") && Contains("[2, 3, 4]"));
  CHECK_THAT(said([&] { gru.forward(x, context, zeros({3})); }), Contains("GRU") && Contains("lengths [3]"));
  CHECK_THAT(said([&] {
               lstm.forward_states(x, context, lengths, {zeros({2, 2, kHidden})});
             }),
             Contains("LSTM") && Contains("[2, 2, 5]") && Contains("[1, 2, 5]"));
  CHECK_THAT(said([&] {
               gru.forward_states(x, context, lengths, {{}, zeros({1, 2, kHidden})});
             }),
             Contains("GRU") && Contains("cells"));
  CHECK_THAT(said([&] { gru.forward(x, context, Tensor::full(d, {2}, 4)); }), Contains("length") && Contains("4"));
  CHECK_THAT(said([&] { nn::GRU(init, kFeatures, 0); }), Contains("GRU"));
}

}  // namespace
}  // namespace sg::tests

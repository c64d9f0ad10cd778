// A recorded step on the webgl device: what it computes, where its values lie, what it makes and when, and a context
// that goes away at any of its draws.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "core/plan.h"
#include "ops/ops.h"
#include "tests/webgl/kernel_runner.h"
#include "webgl/texture_plan.h"

using namespace sg;
using namespace sg::test;
using webgl::Extent;
using webgl::Need;
using webgl::TexturePlan;

namespace {

template <class Action>
std::string code_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.code();
  }
  return "";
}

Tensor tensor(Device& device, const Shape& shape, uint32_t seed) {
  return Tensor::from(device, shape, numbers(static_cast<size_t>(shape.size()), seed, -0.5f, 0.5f));
}

/// A network with what it learns from, and a training step that takes a share of the gradient from each weight.
class Training {
 public:
  virtual ~Training() = default;
  virtual Tensor step() = 0;
  const std::vector<Tensor>& carried() const { return parameters_; }
  const std::vector<Tensor>& inputs() const { return inputs_; }
  Floats weights() const {
    Floats all;
    for (const Tensor& p : parameters_) {
      const Floats values = p.values();
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  }

 protected:
  Tensor parameter(const Tensor& values) {
    parameters_.push_back(values);
    return parameters_.back().set_requires_grad();
  }
  Tensor update(const Tensor& loss) {
    loss.backward();
    const NoGrad off;
    for (Tensor& p : parameters_) {
      const Tensor rate = Tensor::full(loss.device(), Shape{1}, 0.1f);
      p.set_value(ops::sub(p, ops::mul(p.grad(), rate)));
      p.clear_grad();
    }
    return loss.detach();
  }
  std::vector<Tensor> inputs_;
  std::vector<Tensor> parameters_;
};

/// Kernels with six outputs, with axes long enough for several draws, with sums in pieces.
class Recurrent final : public Training {
 public:
  explicit Recurrent(Device& device) {
    inputs_ = {tensor(device, {6, 5, 3}, 1), tensor(device, {30, 700}, 2)};
    w_ = parameter(tensor(device, {3, 20}, 3)), u_ = parameter(tensor(device, {20, 5}, 4));
    b_ = parameter(tensor(device, {20}, 5)), head_ = parameter(tensor(device, {5, 700}, 6));
  }
  Tensor step() override {
    const Tensor z = ops::add(ops::reshape(ops::matmul(ops::reshape(inputs_[0], {30, 3}), w_), {6, 5, 20}), b_);
    const Tensor h = ops::tanh(ops::reshape(ops::lstm(z, u_), {30, 5}));
    return update(ops::mse_loss(ops::softmax(ops::matmul(h, head_), 1), inputs_[1]));
  }

 private:
  Tensor w_, u_, b_, head_;
};

class Small final : public Training {
 public:
  explicit Small(Device& device) {
    inputs_ = {tensor(device, {4, 3}, 1), tensor(device, {4, 2}, 2)};
    w_ = parameter(tensor(device, {3, 2}, 3));
  }
  Tensor step() override { return update(ops::mse_loss(ops::matmul(inputs_[0], w_), inputs_[1])); }

 private:
  Tensor w_;
};

/// A training whose step was recorded.
template <class Net>
struct Recorded {
  explicit Recorded(Device& device) : net(device), carried(device, net.carried()) {
    step = carried.record(net.inputs(), [this] { return net.step(); });
  }
  float run() {
    step->run();
    return step->result().item();
  }
  Net net;
  Carried carried;
  std::unique_ptr<RecordedStep> step;
};

void finish(RecordedStep& step) {
  for (Progress p = step.prepare(); p.done < p.total;) p = step.prepare();
}

/// Whether two needs of the plan that share a texture are needed at once, or one is larger than its texture.
bool is_sound(std::span<const Need> needs, const TexturePlan& plan) {
  for (size_t a = 0; a < needs.size(); ++a) {
    const Extent& have = plan.textures[plan.of[a]].extent;
    const Extent& want = needs[a].extent;
    if (needs[a].exact && have != want) return false;
    if (have.width < want.width || have.height < want.height || have.layers < want.layers) return false;
    for (size_t b = 0; b < a; ++b) {
      if (plan.of[a] == plan.of[b] && needs[a].first <= needs[b].last && needs[b].first <= needs[a].last) return false;
    }
  }
  return true;
}

int64_t bytes_of(const TexturePlan& plan) {
  int64_t bytes = 0;
  for (const TexturePlan::Wanted& t : plan.textures) bytes += t.extent.bytes();
  return bytes;
}

}  // namespace

TEST_CASE("values that are never needed at once share a texture", "[webgl][replay]") {
  // Each draw reads what the one before it made.
  std::vector<Need> chain;
  for (uint32_t i = 0; i < 10; ++i) chain.push_back({{100, 1, 1}, i, i + 1});
  const TexturePlan plan = plan_textures(chain);
  CHECK(plan.textures.size() == 2);
  CHECK(is_sound(chain, plan));
  chain.push_back({{100, 1, 1}, 0, 10});
  CHECK(plan_textures(chain).textures.size() == 3);
}

TEST_CASE(
    "a texture serves values down to a quarter of its size, no larger ones, and targets drawn together at their size",
    "[webgl][replay]") {
  const std::vector<Need> needs{{{64, 8, 1}, 0, 0}, {{64, 3, 1}, 1, 1}, {{60, 1, 1}, 2, 2}};
  CHECK(plan_textures(needs).textures.size() == 2);
  CHECK(plan_textures(std::span(needs).first(2)).textures.size() == 1);
  CHECK(plan_textures(needs).textures[0].extent == Extent{64, 8, 1});
  const std::vector<Need> wide{{{64, 1, 1}, 0, 0}, {{65, 1, 1}, 1, 1}, {{8, 8, 2}, 2, 2}, {{8, 4, 1}, 3, 3}};
  CHECK(plan_textures(wide).textures.size() == 2);
  std::vector<Need> exact = needs;
  exact[1].exact = true;
  CHECK(plan_textures(exact).textures.size() == 2);
  exact[1].extent = exact[0].extent;
  CHECK(plan_textures(std::span(exact).first(2)).textures.size() == 1);
}

TEST_CASE("textures planned for any lifetimes hold every value while it is needed", "[webgl][replay]") {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<Need> needs;
    std::vector<int64_t> at(101);
    for (int i = 0; i < 60; ++i) {
      const uint32_t first = random() % 90, last = first + random() % 10;
      const bool wide = random() % 2 == 0;
      needs.push_back(
          {{wide ? 256 : 1 + static_cast<int>(random() % 256), wide ? 1 + static_cast<int>(random() % 20) : 1, 1},
           first,
           last,
           random() % 4 == 0});
      for (uint32_t draw = first; draw <= last; ++draw) at[draw] += needs.back().extent.bytes();
    }
    const TexturePlan plan = plan_textures(needs);
    CHECK(is_sound(needs, plan));
    CHECK(bytes_of(plan) >= *std::max_element(at.begin(), at.end()));
    int64_t apart = 0;
    for (const Need& need : needs) apart += need.extent.bytes();
    CHECK(bytes_of(plan) < apart / 2);
  }
}

TEST_CASE("a replayed step computes the bits of the eager one", "[webgl][replay]") {
  const auto options = GENERATE(WebglOptions{.check_errors = true},
                                WebglOptions{.max_outputs = 4, .max_texture_size = 64, .check_errors = true},
                                WebglOptions{.max_outputs = 1, .max_texture_size = 4, .check_errors = true});
  const auto device = make_webgl_device(options), other = make_webgl_device(options);
  Recurrent eager(*device);
  Recorded<Recurrent> recorded(*other);
  const uint64_t before = device->counters().draws, before_other = other->counters().draws;
  for (int step = 0; step < 5; ++step) {
    CHECK(recorded.run() == eager.step().item());
    CHECK(recorded.net.weights() == eager.weights());
  }
  CHECK(other->counters().draws > before_other + 5 * 20);
  CHECK(other->counters().draws - before_other <= device->counters().draws - before);
}

TEST_CASE("a step between others leaves what is bound as it should be", "[webgl][replay]") {
  const auto device = make_webgl_device({.check_errors = true}), plain = make_webgl_device();
  Recorded<Recurrent> first(*device);
  Recorded<Small> second(*device);
  Recurrent expected(*plain);
  Small expected_too(*plain);
  for (int round = 0; round < 3; ++round) {
    CHECK(first.run() == expected.step().item());
    CHECK(second.run() == expected_too.step().item());
    // An eager kernel in between, whose parameters lie elsewhere.
    const Tensor squares = ops::mul(second.net.inputs()[0], second.net.inputs()[0]);
    CHECK(squares.values() == ops::mul(expected_too.inputs()[0], expected_too.inputs()[0]).values());
  }
}

TEST_CASE("everything is made before the first run, and nothing after it", "[webgl][replay]") {
  lose_webgl_context();  // no program is there yet
  const auto device = make_webgl_device();
  Recorded<Recurrent> recorded(*device);
  CHECK(recorded.step->bytes() > 0);
  const uint64_t programs = device->counters().programs;
  Progress progress, last;
  do {
    last = progress;
    progress = recorded.step->prepare();
    CHECK(progress.done >= last.done);
    CHECK(progress.total > 10);
  } while (progress.done < progress.total);
  const Counters ready = device->counters();
  CHECK(ready.programs > programs);
  for (int step = 0; step < 6; ++step) recorded.step->run();
  const Counters after = device->counters();
  CHECK(after.programs == ready.programs);
  CHECK(after.allocations == ready.allocations);
  CHECK(after.live_buffers == ready.live_buffers);
  CHECK(after.live_bytes == ready.live_bytes);
  CHECK((after.draws - ready.draws) % 6 == 0);
  CHECK(after.kernels - ready.kernels == 6 * recorded.step->calls());
}

TEST_CASE("a step that was not made ready compiles its programs in its first run", "[webgl][replay]") {
  lose_webgl_context();
  const auto device = make_webgl_device();
  Recorded<Small> recorded(*device);
  Small eager(*device);
  CHECK(recorded.run() == eager.step().item());
  const Progress progress = recorded.step->prepare();
  CHECK(progress.done == progress.total);
}

TEST_CASE("steps of one device lie in the same textures, which go when the last step goes", "[webgl][replay]") {
  const auto device = make_webgl_device(), plain = make_webgl_device();
  Recurrent net(*device), expected(*plain);
  Carried carried(*device, net.carried());
  const auto record = [&] { return carried.record(net.inputs(), [&] { return net.step(); }); };
  const auto live = [&] { return device->counters().live_bytes; };
  auto first = record();
  const uint64_t with_first = live();
  auto second = record();
  const uint64_t own = live() - with_first;  // the second step's result and constants
  CHECK(first->bytes() > second->bytes());
  const uint64_t shared = first->bytes() - second->bytes();
  CHECK(shared > 100000);
  first.reset();
  CHECK(live() == with_first);
  second->run();
  CHECK(second->result().item() == expected.step().item());
  second.reset();
  CHECK(live() == with_first - own - shared);
}

TEST_CASE("a context lost at any draw of a replay is an error, and a new device repeats the step",
          "[webgl][replay][loss]") {
  const auto train = [](Device& device) {
    Recorded<Small> recorded(device);
    finish(*recorded.step);
    const float first = recorded.run();
    return std::pair(first, recorded.run());
  };
  const auto undisturbed = train(*make_webgl_device());
  uint64_t draws = 0;
  for (uint64_t at = 1; draws == 0 || at <= draws; ++at) {
    INFO("lost at draw " << at);
    const auto device = make_webgl_device({.check_errors = true});
    Recorded<Small> recorded(*device);
    finish(*recorded.step);
    recorded.run();
    if (draws == 0) {
      const uint64_t before = device->counters().draws;
      recorded.step->run();
      draws = device->counters().draws - before;
      CHECK(draws >= 6);
    }
    lose_webgl_context_at_draw(at);
    CHECK(code_of([&] { recorded.run(); }) == "webgl.context_lost");
    CHECK(code_of([&] { recorded.step->run(); }) == "webgl.context_lost");
    CHECK(code_of([&] { recorded.step->prepare(); }) == "webgl.context_lost");
    CHECK(train(*make_webgl_device()) == undisturbed);
  }
}

TEST_CASE("a context lost while programs are compiled is an error", "[webgl][replay][loss]") {
  const auto device = make_webgl_device();
  Recorded<Small> recorded(*device);
  recorded.step->prepare();
  lose_webgl_context();
  CHECK(code_of([&] { recorded.step->prepare(); }) == "webgl.context_lost");
  CHECK(code_of([&] { recorded.step->run(); }) == "webgl.context_lost");
  CHECK(code_of([&] { recorded.net.step(); }) == "webgl.context_lost");
}

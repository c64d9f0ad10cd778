// A context that goes away: at once or in the midst of a read-back, at every kernel, with devices and readings left
// over. Natively a lost context goes on computing, but what it brings back is spoilt.
#include <catch2/catch.hpp>
#include <map>

#include "optim/optimizer.h"
#include "tests/ops/compare.h"
#include "tests/ops/devices.h"
#include "tests/webgl/kernel_runner.h"

using namespace sg;
using namespace sg::test;

namespace {

/// Loses the context just before the first call of one kernel.
class Losing final : public Device {
 public:
  Losing(std::unique_ptr<Device> inner, Kernel at) : inner_(std::move(inner)), at_(at) {}
  std::string name() const override { return inner_->name(); }
  Buffer allocate(int64_t floats) override { return inner_->allocate(floats); }
  void release(Buffer buffer) override { inner_->release(buffer); }
  int64_t size(Buffer buffer) const override { return inner_->size(buffer); }
  void upload(Buffer buffer, std::span<const float> values) override { inner_->upload(buffer, values); }
  void download(Buffer buffer, std::span<float> values) override { inner_->download(buffer, values); }
  void run(const Call& call) override {
    if (call.kernel == at_) lose_webgl_context();
    inner_->run(call);
  }
  uint32_t begin_read(Buffer buffer, int64_t floats) override { return inner_->begin_read(buffer, floats); }
  bool finish_read(uint32_t reading, std::span<float> values) override { return inner_->finish_read(reading, values); }

 private:
  std::unique_ptr<Device> inner_;
  Kernel at_;
};

template <class Action>
std::string code_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.code();
  }
  return "";
}

template <class Params>
void run_on(Device& device, const Params& p, std::vector<Buffer> in, Buffer out) {
  device.run({Params::kernel, in, {&out, 1}, std::as_bytes(std::span(&p, 1))});
}

Buffer filled(Device& device, int64_t floats, float value) {
  const Buffer buffer = device.allocate(floats);
  run_on(device, params::fill{.value = value}, {}, buffer);
  return buffer;
}

void wait_for(Device& device, uint32_t reading, std::span<float> values) {
  while (!device.finish_read(reading, values)) {
  }
}

/// Whether a new device computes.
bool works(Device& device) {
  const Buffer buffer = filled(device, 5000, 3);
  Floats values(5000);
  device.download(buffer, values);
  device.release(buffer);
  return values == Floats(5000, 3);
}

/// A training step of an LSTM with dropout and its loss after it: the numbers of two steps.
Floats train(Device& device) {
  const auto tensor = [&](const Shape& shape, uint32_t seed) {
    return Tensor::from(device, shape, numbers(static_cast<size_t>(shape.size()), seed, -0.5f, 0.5f));
  };
  const Tensor x = tensor({6, 5, 3}, 1), target = tensor({30, 1}, 2);
  std::vector<Parameter> parameters{{"weight_ih", tensor({3, 16}, 3)},
                                    {"weight_hh", tensor({16, 4}, 4)},
                                    {"bias", tensor({16}, 5)},
                                    {"head", tensor({4, 1}, 6)}};
  for (Parameter& p : parameters) p.value.set_requires_grad();
  optim::Config config;
  config.clip_norm = 1;
  optim::Optimizer optimizer(parameters, config);
  Floats losses;
  for (uint32_t step = 0; step < 2; ++step) {
    const Tensor flat = ops::matmul(ops::reshape(x, {30, 3}), parameters[0].value);
    const Tensor z = ops::add(ops::reshape(flat, {6, 5, 16}), parameters[2].value);
    const Tensor states = ops::dropout(ops::lstm(z, parameters[1].value), 0.2f, Generator{.seed = 7}, step);
    const Tensor squashed = ops::tanh(ops::reshape(states, {30, 4}));
    const Tensor loss = ops::mse_loss(ops::matmul(squashed, parameters[3].value), target);
    loss.backward();
    optimizer.step(0.01f, loss);
    losses.push_back(loss.item());
  }
  return losses;
}

}  // namespace

TEST_CASE("on a lost context every call says so, and buffers can still be released", "[webgl][loss]") {
  auto device = make_webgl_device(), other = make_webgl_device();
  const Buffer x = filled(*device, 10, 1), y = device->allocate(10), z = filled(*other, 10, 2);
  const uint32_t begun = device->begin_read(x, 10);
  lose_webgl_context();
  Floats values(10);
  const std::string lost = "webgl.context_lost";
  CHECK(code_of([&] { device->allocate(10); }) == lost);
  CHECK(code_of([&] { device->upload(x, values); }) == lost);
  CHECK(code_of([&] { device->download(x, values); }) == lost);
  CHECK(code_of([&] { run_on(*device, params::unary{}, {x}, y); }) == lost);
  CHECK(code_of([&] { device->begin_read(x, 10); }) == lost);
  CHECK(code_of([&] { device->finish_read(begun, values); }) == lost);
  CHECK(code_of([&] { other->download(z, values); }) == lost);
  CHECK(device->size(x) == 10);
  device->release(x);
  CHECK(device->counters().live_buffers == 1);
  SECTION("a new device works after the old ones are gone") {
    device.reset();
    other.reset();
    CHECK(works(*make_webgl_device()));
  }
  SECTION("a new device works beside the old ones, and after them") {
    const auto next = make_webgl_device();
    CHECK(works(*next));
    CHECK(code_of([&] { device->allocate(10); }) == lost);
    CHECK(works(*next));
    device.reset();
    CHECK(works(*next));
    other.reset();
    CHECK(works(*next));
    CHECK(works(*make_webgl_device()));
  }
}

TEST_CASE("what a context brings back while it goes away is never taken for values", "[webgl][loss]") {
  const auto device = make_webgl_device();
  const Buffer x = filled(*device, 10, 1);
  Floats values(10);
  SECTION("by a download") {
    lose_webgl_context(Loss::at_next_read);
    CHECK(code_of([&] { device->download(x, values); }) == "webgl.context_lost");
  }
  SECTION("by a reading, whose fence signals") {
    const uint32_t reading = device->begin_read(x, 10);
    lose_webgl_context(Loss::at_next_read);
    CHECK(code_of([&] { wait_for(*device, reading, values); }) == "webgl.context_lost");
    CHECK(code_of([&] { device->finish_read(reading, values); }) == "webgl.context_lost");
  }
  CHECK(code_of([&] { device->allocate(1); }) == "webgl.context_lost");
  CHECK(works(*make_webgl_device()));
}

TEST_CASE("contexts can be lost many times in a row", "[webgl][loss]") {
  std::unique_ptr<Device> old;
  for (int i = 0; i < 12; ++i) {
    auto device = make_webgl_device();
    CHECK(works(*device));
    lose_webgl_context();
    CHECK(code_of([&] { device->allocate(1); }) == "webgl.context_lost");
    if (i % 3 == 0) old = std::move(device);
  }
  old.reset();
  CHECK(works(webgl()));
}

TEST_CASE("a training step ends with the error wherever its context goes away, and a new device repeats it",
          "[webgl][loss]") {
  tests::RecordingDevice recorder(make_webgl_device({.check_errors = true}));
  const Floats undisturbed = train(recorder);
  CHECK(recorder.kernels().size() >= 10);
  for (const Kernel kernel : recorder.kernels()) {
    INFO("lost at " << info(kernel).name);
    Losing losing(make_webgl_device(), kernel);
    CHECK(code_of([&] { train(losing); }) == "webgl.context_lost");
    CHECK(train(*make_webgl_device()) == undisturbed);
  }
}

TEST_CASE("a loss at any kernel is an error, and the case's values are right on a new device", "[webgl][ops][loss]") {
  // The first case of the table that runs each kernel.
  std::map<Kernel, const tests::OpCase*> first;
  tests::RecordingDevice& cpu = tests::device("cpu");
  std::map<std::string, int> seen;
  const auto run = [](Device& device, const tests::OpCase& c) {
    tests::Values results{tests::value_on(device, c, input_values(c))};
    if (c.gradient) {
      for (auto& gradient : tests::gradients_on(device, c, input_values(c))) results.push_back(std::move(gradient));
    }
    return results;
  };
  for (const tests::OpCase& c : tests::op_cases()) {
    if (++seen[c.op] > 2) continue;
    cpu.forget();
    run(cpu, c);
    for (const Kernel kernel : cpu.kernels()) first.emplace(kernel, &c);
  }
  CHECK(first.size() == static_cast<size_t>(Kernel::count));
  for (const auto& [kernel, c] : first) {
    INFO("lost at " << info(kernel).name << " in " << c->title());
    const tests::Values undisturbed = run(webgl(), *c);
    Losing losing(make_webgl_device(), kernel);
    CHECK(code_of([&] { run(losing, *c); }) == "webgl.context_lost");
    CHECK(run(webgl(), *c) == undisturbed);
  }
}

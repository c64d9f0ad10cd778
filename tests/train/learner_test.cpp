// What of a run lives on a device, with a model that keeps running statistics: a step that is refused does not move
// them, and a copy carries them.
#include "train/learner.h"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "nn/layers.h"
#include "nn/norm.h"
#include "ops/ops.h"
#include "tests/train/losable_device.h"
#include "tests/train/runs.h"

using namespace sg;
using namespace sg::test;

namespace {

/// All numbers of a window, normalised over the batch, through one layer.
class Normalised : public nn::Module {
 public:
  explicit Normalised(nn::Init& init) : norm_(init, 16), head_(init, 16, 2) {
    child("norm", norm_);
    child("head", head_);
  }
  Tensor forward(const Tensor& x, nn::Context& context) const override {
    return head_.forward(norm_.forward(ops::reshape(x, Shape{x.dim(0), 16}), context), context);
  }

 private:
  nn::BatchNorm1d norm_;
  nn::Linear head_;
};

/// Two features of 100 rows; row 60 of the second is NaN once scaled.
ForecastData data_with_a_nan() {
  SeriesTable table;
  table.rows = 100;
  std::vector<float> wave(100), other(100);
  for (size_t i = 0; i < 100; ++i) wave[i] = static_cast<float>(std::sin(static_cast<double>(i) * 0.3));
  other[60] = INFINITY;
  table.features = {{"load", wave}, {"temperature", other}};
  table.targets = {{"load", wave}};
  return ForecastData(table, {8, 2, 0.2}, Scaler{{{"load", 0, 1}, {"temperature", 0, INFINITY}}, {{"load", 0, 1}}});
}

std::unique_ptr<train::Learner> learner(const ForecastData& data, const train::TrainConfig& config) {
  auto device = make_cpu_device();
  nn::Init init{*device, Generator{config.seed, 0}};
  auto model = std::make_unique<Normalised>(init);
  return std::make_unique<train::Learner>(std::move(device), std::move(model), data, config);
}

float applied(train::Learner& of, const std::vector<uint32_t>& starts) {
  std::array<float, train::StepNumbers::kCount> numbers{};
  while (!of.device().finish_read(of.step(starts, 0.01f), numbers)) {
  }
  return numbers[2];
}

/// Has no room for buffers of 240 floats.
class Small final : public Device {
 public:
  std::string name() const override { return "small"; }
  Buffer allocate(int64_t floats) override {
    if (floats == 240) throw Error("webgl.too_large", "there is no room");
    return inner_->allocate(floats);
  }
  void release(Buffer buffer) override { inner_->release(buffer); }
  int64_t size(Buffer buffer) const override { return inner_->size(buffer); }
  void upload(Buffer buffer, std::span<const float> values) override { inner_->upload(buffer, values); }
  void download(Buffer buffer, std::span<float> values) override { inner_->download(buffer, values); }
  void run(const Call& call) override { inner_->run(call); }
  uint32_t begin_read(Buffer buffer, int64_t floats) override { return inner_->begin_read(buffer, floats); }
  bool finish_read(uint32_t reading, std::span<float> values) override { return inner_->finish_read(reading, values); }

 private:
  std::unique_ptr<Device> inner_ = make_cpu_device();
};

/// The tensors after each of a few, the last of them smaller, with dropout and accumulation.
std::vector<train::Tensors> steps_of(train::Learner& of) {
  std::vector<train::Tensors> after;
  std::vector<uint32_t> starts(20);
  for (uint32_t step = 0; step < 5; ++step) {
    for (uint32_t i = 0; i < 20; ++i) starts[i] = (7 * i + 3 * step) % 80;
    of.step(std::span(starts).first(step == 4 ? 6 : 20), 0.01f);
    after.push_back(train::download(of.tensors()));
  }
  return after;
}

}  // namespace

TEST_CASE("steps gather their windows on the device, or are given them: the same bits", "[train]") {
  const ForecastData data = wave_data();
  const train::TrainConfig config = small_config({{"batchSize", 8}, {"accumulate", 3}});
  train::Learner resident(make_cpu_device(), data, config), given(make_cpu_device(), data, config, 0);
  const auto want = steps_of(given), got = steps_of(resident);
  for (size_t i = 0; i < want.size(); ++i) CHECK(same(got[i], want[i]));
}

TEST_CASE("a series that the device has no room for is given batch by batch", "[train]") {
  const ForecastData data = wave_data();
  const train::TrainConfig config = small_config({{"batchSize", 8}, {"accumulate", 3}});
  train::Learner small(std::make_unique<Small>(), data, config), given(make_cpu_device(), data, config, 0);
  const auto want = steps_of(given), got = steps_of(small);
  for (size_t i = 0; i < want.size(); ++i) CHECK(same(got[i], want[i]));
}

TEST_CASE("the steps of whole batches and of the last one lie in the same memory, which is counted once", "[train]") {
  const train::TrainConfig config = small_config({{"batchSize", 64}});
  train::Session session(cpu_devices(), "cpu", wave_data(), config);  // 87 windows
  session.prepare();
  train::Learner whole(make_cpu_device(), session.data(), config), last(make_cpu_device(), session.data(), config);
  whole.prepare(64);
  last.prepare(23);
  const uint64_t steps = whole.bytes() - last.bytes();
  CHECK(steps > 10'000);  // more numbers on the way
  CHECK(session.step_bytes() >= whole.bytes());
  CHECK(session.step_bytes() < whole.bytes() + 4'000);
}

TEST_CASE("steps of the same number of windows are recorded once, and running them allocates nothing", "[train]") {
  const ForecastData data = wave_data();
  train::Learner of(make_cpu_device(), data, small_config());
  const std::vector<uint32_t> starts{0, 1, 2, 3};
  of.step(starts, 0.01f);
  of.step(starts, 0.01f);
  const uint64_t bytes = of.bytes();
  const Counters before = of.device().counters();
  for (int i = 0; i < 20; ++i) of.step(starts, 0.01f);
  CHECK(of.bytes() == bytes);
  CHECK(of.device().counters().allocations == before.allocations);
  CHECK(of.device().counters().live_buffers == before.live_buffers);
  CHECK(of.device().counters().live_bytes == before.live_bytes);
}

TEST_CASE("a refused step leaves running statistics as they were, bit for bit; an applied one moves them", "[train]") {
  const ForecastData data = data_with_a_nan();
  for (const int batch : {16, 2}) {
    const train::TrainConfig config = small_config({{"batchSize", batch}, {"accumulate", 16 / batch}, {"ema", 0.9}});
    const auto of = learner(data, config);
    const train::Tensors first = train::download(of->tensors());
    CHECK(applied(*of, {0, 1, 2, 3}) == 1);
    const train::Tensors moved = train::download(of->tensors());
    for (size_t i = 0; i < first.size(); ++i) {
      INFO(first[i].name);
      CHECK(first[i].values != moved[i].values);
    }
    CHECK(applied(*of, {0, 1, 55, 56}) == 0);
    CHECK(same(train::download(of->tensors()), moved));
    CHECK(applied(*of, {4, 5, 6, 7}) == 0);  // nor any step after it
    CHECK(same(train::download(of->tensors()), moved));
    of->set_place(1, 0);
    CHECK(applied(*of, {4, 5, 6, 7}) == 1);
    CHECK_FALSE(same(train::download(of->tensors()), moved));
  }
}

TEST_CASE("running statistics are part of a copy, and of the weights that forecasts are made with", "[train]") {
  const ForecastData data = data_with_a_nan();
  const train::TrainConfig config = small_config({{"ema", 0.9}});
  const auto a = learner(data, config), b = learner(data, config);
  for (uint32_t i = 0; i < 4; ++i) applied(*a, {i, i + 8, i + 16, i + 24});
  const std::vector<uint32_t> windows{2, 11, 30};
  const auto expected = a->forecast(windows).values;
  CHECK(b->forecast(windows).values != expected);
  const train::Tensors all = train::download(a->tensors()), weights = train::download(a->weights());
  const auto named = [](const train::Tensors& tensors, const std::string& name) {
    return std::count_if(tensors.begin(), tensors.end(), [&](const train::Values& v) { return v.name == name; });
  };
  CHECK(named(all, "norm.running_mean") == 1);
  CHECK(named(weights, "norm.running_var") == 1);
  train::upload(all, b->tensors());
  CHECK(b->forecast(windows).values == expected);
  const auto c = learner(data, config);
  c->set_weights(weights);
  CHECK(c->forecast(windows).values == expected);
  CHECK(same(train::download(c->weights()), weights));
}

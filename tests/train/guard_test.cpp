// A step whose loss or gradient is not finite: the run stands where it was before it, and the message says where it
// arose, which rows it came from and what to do.
#include "train/guard.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/train/losable_device.h"
#include "tests/train/runs.h"

using namespace sg;
using namespace sg::test;

namespace {

struct Stop {
  std::string message;
  train::Copy before;  // at the last step that was applied
};

/// Trains a step a call until one is refused; the copy is that of a run that stops just before.
Stop train_until_refused(const train::Devices& devices, const ForecastData& data, const train::TrainConfig& config,
                         bool stays = true) {
  train::Session session(devices, "webgl", data, config, nullptr, {.steps = 5, .seconds = 1e9});
  Stop stop;
  try {
    for (int i = 0; i < 5000; ++i) {
      session.step(4);
      if (session.epoch_done()) session.next_epoch();
    }
    FAIL("no step was refused");
  } catch (const Error& e) {
    REQUIRE(e.code() == "train.diverged");
    stop.message = e.what();
  }
  CHECK(session.pending() == 0);
  const train::Copy held = session.copy();
  INFO(stop.message);
  // Another run of the same seed, stopped there, holds the same bits.
  train::Session other(cpu_devices(), "cpu", data, config);
  while (other.state().step < held.state.step) {
    other.step(1);
    if (other.epoch_done()) other.next_epoch();
  }
  stop.before = other.copy();
  CHECK(same(held.tensors, stop.before.tensors));
  CHECK(held.state.to_json() == stop.before.state.to_json());
  for (const train::Values& v : held.tensors)
    for (const float value : v.values) CHECK(std::isfinite(value));
  CHECK(stop.message.find("at step " + std::to_string(held.state.step + 1)) != std::string::npos);
  if (!stays) return stop;
  CHECK_THROWS_WITH(session.step(1), stop.message);
  CHECK_NOTHROW(session.step(0));
  CHECK(same(session.copy().tensors, held.tensors));
  return stop;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Two features, one of them with one cell that scales to `cell`; the scaler leaves all others as they are.
ForecastData spoilt_data(double std, float cell, size_t row) {
  SeriesTable table;
  table.rows = 100;
  std::vector<float> wave(100), other(100);
  for (size_t i = 0; i < 100; ++i) wave[i] = static_cast<float>(std::sin(i * 0.3)), other[i] = wave[i] * 0.5f;
  other[row] = cell;
  table.features = {{"load", wave}, {"temperature", other}};
  table.targets = {{"temperature", other}};
  table.line_jumps = {{0, 2}, {50, 60}};
  const Scaler scaler{{{"load", 0, 1}, {"temperature", 0, std}}, {{"temperature", 0, std}}};
  return ForecastData(table, {8, 2, 0.2}, scaler);
}

}  // namespace

TEST_CASE("a learning rate that explodes stops the run before the step that would spoil it", "[train]") {
  Farm farm;
  const nlohmann::json wild = {{"optimizer", "sgd"}, {"momentum", 0.9999}, {"learningRate", 10},
                               {"clipNorm", 0},      {"weightDecay", 10},  {"epochs", 1000}};
  for (const bool gpu : {false, true}) {
    const Stop stop = train_until_refused(gpu ? farm.devices() : cpu_devices(), wave_data(), small_config(wild));
    CHECK(stop.before.state.step > 3);
    CHECK(has(stop.message, "layer 'head'"));
    CHECK(has(stop.message, "lower the learning rate (10 at this step)"));
    CHECK(has(stop.message, "clip the gradients"));
    CHECK_FALSE(has(stop.message, "row"));
  }
}

TEST_CASE("a NaN in the data is traced to its row and line, and to the layer that met it first", "[train]") {
  // inf / inf: one cell is NaN once scaled.
  const ForecastData data = spoilt_data(INFINITY, INFINITY, 60);
  const Stop stop = train_until_refused(cpu_devices(), data, small_config());
  INFO(stop.message);
  CHECK(has(stop.message, "The loss is no longer a finite number (NaN)"));
  CHECK(has(stop.message, "it arose in layer 'lstm'"));
  CHECK(has(stop.message, "row 61 (line 70), column 'temperature', is NaN once scaled"));
  CHECK(has(stop.message, "Look at the data first"));
}

TEST_CASE("a cell that is far too large is named with how far out it is", "[train]") {
  const ForecastData data = spoilt_data(1, 3e38f, 12);
  const Stop stop = train_until_refused(cpu_devices(), data, small_config({{"clipNorm", 0}}));
  INFO(stop.message);
  CHECK(has(stop.message, "row 13 (line 14), column 'temperature', is 3e+38 standard deviations from the mean"));
  CHECK(has(stop.message, "the forecasts of layer 'head' reach"));
  CHECK(has(stop.message, "more than a 32-bit number holds"));
}

TEST_CASE("a gradient whose norm overflows while the loss is finite is refused and named", "[train]") {
  SeriesTable table;
  table.rows = 100;
  std::vector<float> wave(100), huge(100);
  for (size_t i = 0; i < 100; ++i)
    wave[i] = static_cast<float>(std::sin(i * 0.3)), huge[i] = i % 3 ? 1.3e19f : -1.3e19f;
  table.features = {{"load", wave}, {"temperature", wave}};
  table.targets = {{"load", huge}};
  const Scaler scaler{{{"load", 0, 1}, {"temperature", 0, 1}}, {{"load", 0, 1}}};
  const ForecastData data(table, {8, 2, 0.2}, scaler);
  const Stop stop = train_until_refused(cpu_devices(), data, small_config({{"batchSize", 1}}));
  INFO(stop.message);
  CHECK(stop.before.state.step == 0);
  CHECK(has(stop.message, "The gradient is no longer finite (the loss is"));
  CHECK(has(stop.message, "its norm is not"));
  CHECK(has(stop.message, "in layer 'head'"));
  CHECK(has(stop.message, "standard deviations from the mean"));
}

TEST_CASE("a weight that is not finite before the step is named itself", "[train]") {
  train::Session session(cpu_devices(), "cpu", wave_data(), small_config());
  train::Copy copy = session.copy();
  for (train::Values& v : copy.tensors)
    if (v.name == "head.weight") v.values[1] = NAN;
  train::Session spoilt(cpu_devices(), "cpu", wave_data(), small_config(), &copy);
  CHECK_THROWS_WITH(spoilt.step(1), Catch::Contains("'head.weight' held it before the step"));
}

TEST_CASE("a refused step of several batches is traced to the batch that spoilt it", "[train]") {
  const ForecastData data = spoilt_data(INFINITY, INFINITY, 60);
  const Stop stop =
      train_until_refused(cpu_devices(), data, small_config({{"batchSize", 4}, {"accumulate", 4}, {"ema", 0.9}}));
  CHECK(has(stop.message, "row 61 (line 70)"));
  CHECK(has(stop.message, "layer 'lstm'"));
}

TEST_CASE("a lost device does not hide a refusal: the steps before it are made again, and it is refused again",
          "[train]") {
  const ForecastData data = spoilt_data(INFINITY, INFINITY, 60);
  std::string expected;
  for (const int64_t life : {-1, 300, 700, 900, 1000, 1100}) {
    Farm farm{.lives = {life}};
    const Stop stop = train_until_refused(farm.devices(), data, small_config({{"seed", 9}}), false);
    if (life < 0) expected = stop.message;
    CHECK(stop.message == expected);
  }
}

// A device that is lost at any moment: nothing of it is accepted, the lost steps are made again, and the run ends as
// one that was never disturbed, bit for bit.
#include "train/recovery.h"

#include <catch2/catch.hpp>

#include "tests/train/losable_device.h"
#include "tests/train/runs.h"
#include "train/checkpoint.h"

using namespace sg;
using namespace sg::test;

namespace {

/// Copies often, and a clock that stands still or leaps with every look.
train::RecoveryPolicy often(double leap = 0) {
  auto time = std::make_shared<double>(0);
  return {.steps = 3, .seconds = 1e9, .again_within = 120, .now = [time, leap] { return *time += leap; }};
}

train::TrainConfig full_config() {
  return small_config({{"ema", 0.9},
                       {"patience", 1},
                       {"accumulate", 2},
                       {"batchSize", 8},
                       {"momentum", 0.9},
                       {"schedule", "reduce_on_plateau"},
                       {"plateauPatience", 0},
                       {"optimizer", "sgd"},
                       {"epochs", 3}});
}

Curve run_on(Farm& farm, const train::TrainConfig& config, const train::RecoveryPolicy& policy = often()) {
  train::Session session(farm.devices(), "webgl", wave_data(), config, nullptr, policy);
  return run_to_end(session);
}

void check_equal(const Curve& a, const Curve& b) {
  CHECK(a.losses == b.losses);
  CHECK(a.validation == b.validation);
  CHECK(same(a.end.tensors, b.end.tensors));
  CHECK(same(a.end.best, b.end.best));
  CHECK(a.end.state.to_json() == b.end.state.to_json());
}

}  // namespace

TEST_CASE("a run whose device is lost at any call ends as the undisturbed one, bit for bit", "[train]") {
  const train::TrainConfig config = GENERATE(small_config(), full_config());
  Farm still;
  const Curve undisturbed = run_on(still, config);
  REQUIRE(undisturbed.losses.size() >= 10);
  REQUIRE(still.calls > 1000);
  int losses = 0;
  // At the end, where the best weights are fetched and put back, a few calls are the whole of a part.
  for (int64_t life = 1; life < still.calls; life += life + 100 < still.calls ? 61 : 5) {
    Farm farm{.lives = {life}};
    INFO("lost in call " << life << " of " << still.calls);
    const Curve disturbed = run_on(farm, config);
    check_equal(disturbed, undisturbed);
    CHECK(farm.cpus == 0);
    CHECK(farm.gpus == 2);
    // What was lost while the session was being made, or after its last step, is nobody's concern.
    CHECK(disturbed.has_notice("device.lost"));
    ++losses;
  }
  CHECK(losses > 20);
}

TEST_CASE("each loss of a step is given out once, in order, however often its step is made", "[train]") {
  Farm farm{.lives = {900, 900, 900, 900}};
  const Curve curve = run_on(farm, small_config({{"epochs", 4}}), often(1000));
  CHECK(farm.gpus == 5);
  CHECK(farm.cpus == 0);
  for (size_t i = 0; i < curve.losses.size(); ++i) CHECK(curve.losses[i].first == static_cast<int64_t>(i) + 1);
}

TEST_CASE("after a second loss within two minutes the cpu takes over, and the run goes on to its end", "[train]") {
  Farm still;
  const Curve undisturbed = run_on(still, small_config());
  for (const int64_t second : {0, 5, 40, 300, 700}) {
    Farm farm{.lives = {500, second}};
    INFO("second loss in call " << second);
    const Curve curve = run_on(farm, small_config());
    check_equal(curve, undisturbed);
    CHECK(farm.gpus == 2);
    CHECK(farm.cpus == 1);
    CHECK(curve.has_notice("device.taken_over", "lost twice within 120 seconds"));
  }
  Farm later{.lives = {500, 300}};
  check_equal(run_on(later, small_config(), often(200)), undisturbed);
  CHECK(later.gpus == 3);
  CHECK(later.cpus == 0);
}

TEST_CASE("where no other context can be had the cpu takes over and says why", "[train]") {
  Farm still;
  const Curve undisturbed = run_on(still, full_config());
  Farm farm{.lives = {700}, .available = false};
  const Curve curve = run_on(farm, full_config());
  check_equal(curve, undisturbed);
  CHECK(farm.cpus == 1);
  CHECK(curve.has_notice("device.taken_over", "WebGL2 is blocked after a crash"));
  CHECK_FALSE(curve.has_notice("device.lost"));
}

TEST_CASE("where the other context has no room for the run the cpu takes over, wherever it was short", "[train]") {
  Farm still;
  const Curve undisturbed = run_on(still, full_config());
  int cpus = 0;
  for (int64_t room = 0; room < 120; room += room < 60 ? 3 : 17) {
    Farm farm{.lives = {700}, .room = room};
    INFO("room for " << room << " allocations");
    const Curve curve = run_on(farm, full_config());
    check_equal(curve, undisturbed);
    CHECK(farm.gpus == 2);
    if (farm.cpus == 0) continue;
    ++cpus;
    CHECK(curve.has_notice("device.taken_over", "the graphics memory has no room"));
    CHECK_FALSE(curve.has_notice("device.lost"));
  }
  CHECK(cpus > 10);
}

TEST_CASE("a session that finds no device any more says so at every call, and gives out no copy", "[train]") {
  for (const int64_t room : {0, 7, 25, 45}) {
    Farm farm{.lives = {700}, .room = room, .has_cpu = false};
    train::Session session(farm.devices(), "webgl", wave_data(), full_config(), nullptr, often());
    const auto code_of = [](const auto& call) {
      try {
        call();
      } catch (const Error& e) {
        return e.code();
      }
      return std::string("nothing was thrown");
    };
    CHECK(code_of([&] { run_to_end(session); }) == "device.memory");
    CHECK(code_of([&] { session.step(1); }) == "device.memory");
    CHECK(code_of([&] { session.step(0); }) == "device.memory");
    CHECK(code_of([&] { (void)session.copy(); }) == "device.memory");
    CHECK(code_of([&] { (void)session.predict(0, 1); }) == "device.memory");
    CHECK(code_of([&] { (void)session.device(); }) == "device.memory");
  }
}

TEST_CASE("a device lost during a pause costs a checkpoint nothing: the lost steps are made again first", "[train]") {
  const auto stop_at = [](train::Session& session, int64_t step) {
    while (session.state().step < step) session.step(1);
    while (session.pending() > 0) session.step(0);
  };
  Farm still;
  const train::RecoveryPolicy rarely{.steps = 1000, .seconds = 1e9};
  train::Session undisturbed(still.devices(), "webgl", wave_data(), small_config(), nullptr, rarely);
  stop_at(undisturbed, 5);
  const int64_t calls = still.calls;
  const train::Copy there = undisturbed.copy();
  for (const int64_t more : {0, 1, 7}) {  // calls of the pause
    Farm farm{.lives = {calls + more}};
    train::Session session(farm.devices(), "webgl", wave_data(), small_config(), nullptr, rarely);
    stop_at(session, 5);
    train::Copy copy;
    for (int tries = 0; tries < 100; ++tries) {
      try {
        copy = session.copy();
        break;
      } catch (const Error& e) {
        REQUIRE(e.code() == "train.pending");
        session.step(0);
      }
    }
    CHECK(farm.gpus == 2);
    CHECK(copy.state.to_json() == there.state.to_json());
    CHECK(same(copy.tensors, there.tensors));
  }
}

TEST_CASE("forecasts are made again on the next device", "[train]") {
  Farm still;
  train::Session undisturbed(still.devices(), "webgl", wave_data(), small_config(), nullptr, often());
  const Curve whole = run_to_end(undisturbed);
  const int64_t calls = still.calls;
  const auto expected = undisturbed.predict(0, 5).forecast;
  for (const int64_t more : {0, 3, 9}) {
    Farm farm{.lives = {calls + more}};
    train::Session session(farm.devices(), "webgl", wave_data(), small_config(), nullptr, often());
    run_to_end(session);
    CHECK(farm.gpus == 1);
    CHECK(session.predict(0, 5).forecast == expected);
    CHECK(farm.gpus == 2);
  }
}

TEST_CASE("copies are taken by steps and by time, and none on a device that cannot be lost", "[train]") {
  double time = 0;
  int64_t calls[2];
  for (const int i : {0, 1}) {
    Farm farm;
    farm.lag = 0;
    train::Session session(farm.devices(), "webgl", wave_data(), small_config({{"epochs", 1}}), nullptr,
                           {.steps = 1000, .seconds = 1, .now = [&] { return time += i; }});
    run_to_end(session);
    calls[i] = farm.calls;
  }
  CHECK(calls[1] > calls[0] + 50);
  const auto reads = [](const train::Devices& devices) {
    train::Session session(devices, "cpu", wave_data(), small_config({{"epochs", 1}}));
    session.step(2);
    return session.device().counters().kernels;
  };
  CHECK(reads(cpu_devices()) > 0);
}

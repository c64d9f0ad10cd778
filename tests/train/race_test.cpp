// The race for a device on a clock of its own: what it finds, how long it takes, and that nothing of it is left.
#include "train/race.h"

#include <catch2/catch.hpp>

#include "tests/train/losable_device.h"
#include "tests/train/paced_device.h"
#include "tests/train/runs.h"

using namespace sg;
using test::Clock;
using test::Pace;

namespace {

struct Outcome {
  train::Choice choice;
  double seconds, longest_turn;
  int turns;
};

train::Devices paced(const Pace& cpu, const Pace& webgl, Clock& clock) {
  return {[=, &clock](const std::string& name) -> std::unique_ptr<Device> {
            return std::make_unique<test::PacedDevice>(name, name == "cpu" ? cpu : webgl, clock);
          },
          [] {
            return train::Gpu{true, false, "A real card", ""};
          }};
}

Outcome race(const Pace& cpu, const Pace& webgl,
             const train::TrainConfig& config = test::small_config({{"device", "auto"}})) {
  Clock clock;
  const ForecastData data = test::wave_data();
  const train::Devices devices = paced(cpu, webgl, clock);
  REQUIRE_FALSE(train::choose_without_race(devices, config));
  train::RacePolicy policy;
  policy.now = [&] { return clock.now; };
  train::Resident supply(data, config);
  train::Race race(devices, supply, config, policy);
  Outcome out{{}, 0, 0, 0};
  double fraction = 0;
  while (true) {
    const double before = clock.now;
    const bool decided = race.turn();
    out.longest_turn = std::max(out.longest_turn, clock.now - before);
    ++out.turns;
    REQUIRE(out.turns < 1'000'000);
    CHECK(race.fraction() >= fraction);
    fraction = race.fraction();
    if (decided) break;
    clock.now += clock.wait;
  }
  CHECK(fraction == 1);
  out.choice = race.choice();
  out.seconds = clock.now;
  return out;
}

/// What a whole step takes at that pace.
double step_seconds(const Pace& pace) {
  Clock clock;
  const ForecastData data = test::wave_data();
  const train::TrainConfig config = test::small_config();
  train::Learner learner(std::make_unique<test::PacedDevice>("cpu", pace, clock), data, config);
  train::Batches batches(data.windows().training, config.batch_size, config.seed);
  learner.step(batches.batch(0, 0), 0.01f);
  const double first = clock.now;
  learner.step(batches.batch(0, 0), 0.01f);
  return clock.now - first;
}

/// A pace at which a whole step takes so many seconds, nearly all of them for its windows.
Pace pace_of(double seconds) {
  Pace pace{.a_float = 1e-6, .a_kernel = 0};
  pace.a_float *= seconds / step_seconds(pace);
  return pace;
}

Pace preparing(Pace pace, double seconds) {
  pace.preparing = seconds;
  return pace;
}

}  // namespace

TEST_CASE("a processor without room for the run leaves it to the graphics card", "[race]") {
  Clock clock;
  const ForecastData data = test::wave_data();
  const train::TrainConfig config = test::small_config({{"device", "auto"}});
  for (const bool cards : {true, false}) {
    const train::Devices devices{[&](const std::string& name) -> std::unique_ptr<Device> {
                                   if (name == "cpu") throw Error("device.memory", "no memory for a step");
                                   if (!cards) throw Error("webgl.out_of_memory", "no room there either");
                                   return std::make_unique<test::PacedDevice>(name, pace_of(0.002), clock);
                                 },
                                 [] {
                                   return train::Gpu{true, false, "A real card", ""};
                                 }};
    train::RacePolicy policy;
    policy.now = [&] { return clock.now; };
    train::Resident supply(data, config);
    train::Race race(devices, supply, config, policy);
    const auto run = [&] {
      for (int turns = 0; !race.turn(); ++turns) {
        REQUIRE(turns < 100'000);
        clock.now += clock.wait;
      }
    };
    if (cards) {
      run();
      CHECK(race.choice().device == "webgl");
      CHECK(race.choice().webgl->ms == Approx(2).epsilon(0.1));
    } else {
      CHECK_THROWS_WITH(run(), "no memory for a step");
    }
  }
}

TEST_CASE("the faster device wins by its measured steps, whichever it is, and the race ends when that is clear",
          "[race]") {
  const Outcome cpu = race(pace_of(0.002), pace_of(0.008));
  CHECK(cpu.choice.how == train::How::raced);
  CHECK(cpu.choice.device == "cpu");
  CHECK(cpu.choice.detail == "A real card");
  CHECK(cpu.choice.cpu->ms == Approx(2).epsilon(0.05));
  CHECK(cpu.choice.webgl->ms == Approx(8).epsilon(0.05));
  CHECK(cpu.choice.cpu->steps >= 20);
  CHECK(cpu.seconds < 0.6);
  CHECK(cpu.longest_turn < 0.02);  // a turn and a step

  const Outcome webgl = race(pace_of(0.004), preparing(pace_of(0.001), 0.3));
  CHECK(webgl.choice.device == "webgl");
  CHECK(webgl.choice.webgl->ms == Approx(1).epsilon(0.1));
  CHECK(webgl.choice.webgl->preparing_ms == Approx(300).epsilon(0.05));
  CHECK(webgl.choice.cpu->preparing_ms < 10);
}

TEST_CASE("devices that are equally fast race to a decision within the budget", "[race]") {
  const Outcome even = race(pace_of(0.02), pace_of(0.02));
  CHECK(even.choice.how == train::How::raced);
  CHECK(even.seconds <= 1.0);
}

TEST_CASE("a step that takes longer than the whole race is not begun on the cpu, and the graphics card wins",
          "[race]") {
  for (const double slow : {1.5, 20.0}) {
    const Outcome out = race(pace_of(slow), pace_of(0.05));
    CHECK(out.choice.device == "webgl");
    CHECK(out.choice.cpu->steps == 0);
    CHECK(out.choice.cpu->ms == Approx(slow * 1e3).epsilon(0.5));  // from some windows
    CHECK(out.choice.webgl->ms == Approx(50).epsilon(0.05));
    CHECK(out.seconds < 1.5 + slow / 8);  // two windows of sixteen cannot be broken off
  }
}

TEST_CASE("a graphics card that cannot finish two steps loses, and is not waited for", "[race]") {
  for (const double slow : {0.7, 3.0, 60.0}) {
    const Outcome out = race(pace_of(0.1), pace_of(slow));
    CHECK(out.choice.device == "cpu");
    CHECK(out.choice.webgl->steps == 0);
    CHECK(out.choice.cpu->ms == Approx(100).epsilon(0.05));
    CHECK(out.seconds < 2.1);  // the first step may have been the programs'
  }
}

TEST_CASE("where neither device can do two steps in its share, what was measured decides", "[race]") {
  const Outcome cpu = race(pace_of(0.45), pace_of(0.9));
  CHECK(cpu.choice.device == "cpu");
  CHECK(cpu.choice.cpu->steps == 0);
  CHECK(cpu.seconds < 1.8);
  const Outcome webgl = race(pace_of(4), pace_of(0.6));
  CHECK(webgl.choice.device == "webgl");
  CHECK(webgl.choice.webgl->steps == 0);
  CHECK(webgl.choice.webgl->ms == Approx(600).epsilon(0.05));
  CHECK(webgl.seconds < 1.8);
}

TEST_CASE("a cpu step that is dear whatever its size is found out with more windows", "[race]") {
  // Two windows take nearly as long as sixteen: the first estimate is eight times too high.
  Pace cpu{.a_float = 0, .a_kernel = 1e-6};
  cpu.a_kernel *= 0.1 / step_seconds(cpu);
  const Outcome out = race(cpu, pace_of(0.3));
  CHECK(out.choice.device == "cpu");
  CHECK(out.choice.cpu->ms == Approx(100).epsilon(0.05));
  CHECK(out.choice.cpu->steps > 0);
}

TEST_CASE("preparing that eats the budget still leaves a fast graphics card its two steps, and is told apart",
          "[race]") {
  const Outcome fast = race(pace_of(0.05), preparing(pace_of(0.005), 1.4));
  CHECK(fast.choice.device == "webgl");
  CHECK(fast.choice.webgl->ms == Approx(5).epsilon(0.1));
  CHECK(fast.choice.webgl->preparing_ms == Approx(1400).epsilon(0.02));
  CHECK(fast.seconds < 2.6);
  const Outcome slow = race(pace_of(0.05), preparing(pace_of(0.2), 1.4));
  CHECK(slow.choice.device == "cpu");
  CHECK(slow.choice.webgl->steps == 0);
  CHECK(slow.seconds < 2.6);
}

TEST_CASE("programs that are compiled aside are waited for without a stall, and not for ever", "[race]") {
  Pace webgl = pace_of(0.001);
  webgl.compiling = 0.3;
  const Outcome soon = race(pace_of(0.004), webgl);
  CHECK(soon.choice.device == "webgl");
  CHECK(soon.choice.webgl->preparing_ms == Approx(300).epsilon(0.05));
  CHECK(soon.longest_turn < 0.02);
  CHECK(soon.seconds < 1);
  webgl.compiling = 1.2;
  const Outcome late = race(pace_of(0.004), webgl);
  CHECK(late.choice.device == "webgl");
  CHECK(late.seconds < 1.6);
  webgl.compiling = 10;
  const Outcome never = race(pace_of(0.004), webgl);
  CHECK(never.choice.device == "cpu");
  CHECK(never.choice.webgl->steps == 0);
  CHECK(never.choice.webgl->ms == 0);
  CHECK(never.choice.webgl->preparing_ms > 1400);
  CHECK(never.seconds < 2);
}

TEST_CASE("a graphics card that is lost in the race leaves the run to the cpu, with the reason", "[race]") {
  Pace dying = pace_of(0.001);
  for (const int64_t kernels : {0, 5, 200}) {
    dying.dies_after = kernels;
    const Outcome out = race(pace_of(0.004), dying);
    CHECK(out.choice.device == "cpu");
    CHECK(out.choice.how == train::How::no_gpu);
    CHECK(out.choice.detail == "the context was lost");
  }
}

TEST_CASE("training after a race is that of a run forced on the winner, bit for bit", "[race]") {
  const ForecastData data = test::wave_data();
  for (const bool webgl_wins : {false, true}) {
    train::TrainConfig config = test::small_config({{"device", "auto"}});
    Clock clock;
    const train::Devices devices = paced(pace_of(0.002), pace_of(webgl_wins ? 0.001 : 0.02), clock);
    train::RacePolicy policy;
    policy.now = [&] { return clock.now; };
    train::Resident supply(data, config);
    train::Race race(devices, supply, config, policy);
    while (!race.turn()) clock.now += clock.wait;
    REQUIRE(race.choice().device == (webgl_wins ? "webgl" : "cpu"));
    train::Session raced(test::cpu_devices(), race.choice().device, data, config);
    config.device = race.choice().device;
    train::Session forced(test::cpu_devices(), config.device, data, config);
    CHECK(raced.state().step == 0);
    const test::Curve a = test::run_to_end(raced), b = test::run_to_end(forced);
    CHECK(a.losses == b.losses);
    CHECK(a.losses.front().first == 1);
    CHECK(a.validation == b.validation);
    CHECK(test::same(a.end.tensors, b.end.tensors));
  }
}

TEST_CASE("a batch that no memory could hold is refused before the race", "[race]") {
  Clock clock;
  const train::Devices devices = paced({}, {}, clock);
  const ForecastData data = test::wave_data(9000, 4096, 2);
  train::TrainConfig config = test::small_config({{"device", "auto"}, {"batchSize", 4096}});
  config.look_back = 1 << 20;
  train::Resident supply(data, config);
  CHECK_THROWS_WITH(train::Race(devices, supply, config), Catch::Contains("smaller batch"));
}

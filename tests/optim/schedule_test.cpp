// Schedules against PyTorch's recurrences, which tell each rate from the one before, and against values at their ends.
#include "optim/schedule.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "io/error.h"

namespace sg::tests {
namespace {

using optim::learning_rate;
using optim::ReduceOnPlateau;
using optim::Schedule;
using optim::ScheduleConfig;

const std::vector<Schedule> kAll{Schedule::constant,  Schedule::step,        Schedule::cosine,
                                 Schedule::one_cycle, Schedule::exponential, Schedule::reduce_on_plateau};

TEST_CASE("every schedule warms up in a line to its own first rate", "[optim]") {
  for (const Schedule kind : kAll) {
    INFO("schedule " << static_cast<int>(kind));
    const ScheduleConfig cold{.kind = kind, .base = 0.5f, .total = 100};
    const ScheduleConfig warm{.kind = kind, .base = 0.5f, .total = 110, .warmup = 10};
    const float first = learning_rate(cold, 0);
    for (int step = 0; step < 10; ++step)
      CHECK(learning_rate(warm, step) == Approx(first * static_cast<float>(step + 1) / 10));
    for (int step = 0; step < 100; ++step) CHECK(learning_rate(warm, step + 10) == learning_rate(cold, step));
  }
}

TEST_CASE("the rate holds, falls in steps or by a factor a step", "[optim]") {
  double held = 0.5, stepped = 0.5;
  for (int step = 0; step < 50; ++step) {
    if (step > 0) held *= 0.9;
    if (step > 0 && step % 7 == 0) stepped *= 0.25;
    CHECK(learning_rate({.kind = Schedule::constant, .base = 0.5f, .total = 50}, step) == 0.5f);
    CHECK(learning_rate({.kind = Schedule::reduce_on_plateau, .base = 0.5f, .total = 50}, step) == 0.5f);
    CHECK(learning_rate({.kind = Schedule::exponential, .base = 0.5f, .total = 50, .gamma = 0.9f}, step) ==
          Approx(held));
    CHECK(learning_rate({.kind = Schedule::step, .base = 0.5f, .total = 50, .step_size = 7, .gamma = 0.25f}, step) ==
          Approx(stepped));
  }
  CHECK_THROWS_WITH(learning_rate({.kind = Schedule::step, .step_size = 0}, 3), Catch::Contains("step_size"));
}

TEST_CASE("the cosine falls along half a wave to its final rate and stays there", "[optim]") {
  const ScheduleConfig c{.kind = Schedule::cosine, .base = 0.5f, .total = 100, .final_rate = 0.1f};
  double rate = 0.5;  // CosineAnnealingLR's recurrence
  for (int step = 0; step <= 100; ++step) {
    if (step > 0)
      rate = (1 + std::cos(M_PI * step / 100)) / (1 + std::cos(M_PI * (step - 1) / 100)) * (rate - 0.1) + 0.1;
    CHECK(learning_rate(c, step) == Approx(rate));
  }
  CHECK(learning_rate(c, 50) == Approx(0.3));
  CHECK(learning_rate(c, 100) == Approx(0.1));
  CHECK(learning_rate(c, 500) == Approx(0.1));
  CHECK(learning_rate({.kind = Schedule::cosine, .base = 0.5f, .total = 100}, 500) == Approx(0).margin(1e-9));
}

TEST_CASE("one cycle rises to the base rate and falls far below where it began", "[optim]") {
  const ScheduleConfig c{.kind = Schedule::one_cycle, .base = 0.5f, .total = 100};
  CHECK(learning_rate(c, 0) == Approx(0.02));
  CHECK(learning_rate(c, 29) == Approx(0.5));
  CHECK(learning_rate(c, 99) == Approx(0.02e-4));
  CHECK(learning_rate(c, 1000) == Approx(0.02e-4));
  // Half of the way up, and half of the way down.
  CHECK((learning_rate(c, 14) + learning_rate(c, 15)) / 2 == Approx(0.26).epsilon(1e-3));
  CHECK(learning_rate(c, 64) == Approx((0.5 + 0.02e-4) / 2));
  for (int step = 1; step < 100; ++step) CHECK((learning_rate(c, step) > learning_rate(c, step - 1)) == (step <= 29));
  // Too short for a rise.
  for (const int64_t total : {1, 2, 3, 10})
    for (int64_t step = 0; step < total; ++step) {
      const float rate =
          learning_rate({.kind = Schedule::one_cycle, .base = 0.5f, .total = total, .pct_start = 0.1f}, step);
      CHECK(std::isfinite(rate));
      CHECK(rate <= 0.5f);
    }
  CHECK_THROWS_WITH(learning_rate({.kind = Schedule::one_cycle, .pct_start = 1}, 0), Catch::Contains("pct_start"));
}

TEST_CASE("a plateau reduces the rate after patience, with a threshold, a cooldown and a floor", "[optim]") {
  ReduceOnPlateau plateau(0.1f, {.factor = 0.5, .patience = 2, .threshold = 0.1, .cooldown = 1, .min_rate = 0.03});
  const std::vector<std::pair<double, double>> losses{
      {1, 1},                                          // the best so far
      {0.95, 1},                                       // better by less than the threshold: bad 1
      {0.89, 1},                                       // the best
      {0.9, 1},                                        // bad 1
      {NAN, 1},                                        // bad 2: not a number is not better
      {0.9, 0.5},                                      // bad 3: reduced
      {0.9, 0.5},                                      // the cooldown
      {0.9, 0.5},                                      // bad 1
      {0.9, 0.5},                                      // bad 2
      {0.9, 0.3},                                      // bad 3: reduced to the floor
      {0.9, 0.3}, {0.9, 0.3}, {0.9, 0.3}, {0.9, 0.3},  // at the floor already
  };
  double before = 1;
  for (const auto& [loss, scale] : losses) {
    const bool reduced = plateau.step(loss);
    CHECK(plateau.scale() == Approx(scale).epsilon(1e-6));
    CHECK(reduced == (plateau.scale() < before));
    before = plateau.scale();
  }
}

TEST_CASE("a plateau goes on from its saved state", "[optim]") {
  const ReduceOnPlateau::Config config{.factor = 0.5, .patience = 3};
  ReduceOnPlateau whole(0.1f, config), resumed(0.1f, config);
  for (const double loss : {3.0, 2.0, 2.5, 2.5}) whole.step(loss);
  resumed.set_state(whole.state());
  for (int i = 0; i < 12; ++i) {
    CHECK(whole.step(2.5) == resumed.step(2.5));
    CHECK(whole.scale() == resumed.scale());
  }
  CHECK(whole.scale() < 0.2);
}

}  // namespace
}  // namespace sg::tests

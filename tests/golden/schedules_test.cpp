// The curves of every schedule against PyTorch's.
#include <catch2/catch.hpp>
#include <cmath>

#include "optim/schedule.h"
#include "tests/golden/golden.h"
#include "tests/ops/compare.h"

namespace sg::tests {
namespace {

using optim::ReduceOnPlateau;
using optim::Schedule;
using optim::ScheduleConfig;

constexpr float kBase = 0.1f;

std::string rates_difference(const Golden& golden, const std::string& name, const std::vector<float>& rates) {
  const auto& want = golden.floats(name + "/rates");
  return difference(rates, std::vector<double>(want.begin(), want.end()), 1e-5, 1e-4);
}

TEST_CASE("the curves of all schedules are PyTorch's", "[golden]") {
  const Golden golden("schedules.safetensors");
  const auto config = [](Schedule kind, ScheduleConfig c) {
    c.kind = kind;
    c.base = kBase;
    c.total = 60;
    return c;
  };
  const ScheduleConfig step = config(Schedule::step, {.step_size = 7, .gamma = 0.5f}),
                       exponential = config(Schedule::exponential, {.gamma = 0.9f}),
                       cosine = config(Schedule::cosine, {.final_rate = 0.01f});
  const auto warm = [](ScheduleConfig c) {
    c.warmup = 10;
    return c;
  };
  const std::vector<std::pair<std::string, ScheduleConfig>> curves{
      {"constant", config(Schedule::constant, {})},
      {"step", step},
      {"exponential", exponential},
      {"cosine", cosine},
      {"one_cycle", config(Schedule::one_cycle, {})},
      {"one_cycle, early peak",
       config(Schedule::one_cycle, {.pct_start = 0.125f, .div_factor = 10, .final_div_factor = 100})},
      {"constant, warm-up", warm(config(Schedule::constant, {}))},
      {"step, warm-up", warm(step)},
      {"exponential, warm-up", warm(exponential)},
      {"cosine, warm-up", warm(cosine)},
  };
  for (const auto& [name, c] : curves) {
    INFO(name);
    std::vector<float> rates;
    for (int64_t t = 0; t < c.total; ++t) rates.push_back(optim::learning_rate(c, t));
    CHECK(rates_difference(golden, name, rates) == "");
  }

  const std::vector<std::pair<std::string, ReduceOnPlateau::Config>> plateaus{
      {"reduce_on_plateau", {.factor = 0.5, .patience = 3}},
      {"reduce_on_plateau, cooldown",
       {.factor = 0.25, .patience = 2, .threshold = 0.05, .cooldown = 3, .min_rate = 0.0005}},
  };
  for (const auto& [name, c] : plateaus) {
    INFO(name);
    ReduceOnPlateau plateau(kBase, c);
    std::vector<float> rates;
    for (const float loss : golden.floats("losses")) {
      plateau.step(double{loss});
      rates.push_back(static_cast<float>(double{kBase} * plateau.scale()));
    }
    CHECK(rates.front() > 2 * rates.back());
    CHECK(rates_difference(golden, name, rates) == "");
  }
  CHECK(golden.unread().empty());
}

}  // namespace
}  // namespace sg::tests

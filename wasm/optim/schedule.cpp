#include "optim/schedule.h"

#include <algorithm>
#include <cmath>

#include "core/check.h"

namespace sg::optim {
namespace {

/// From `start` to `end` along half a wave, at `part` of the way.
double half_wave(double start, double end, double part) {
  constexpr double kPi = 3.14159265358979323846;
  return end + (start - end) / 2 * (1 + std::cos(kPi * part));
}

double one_cycle(const ScheduleConfig& c, double t, double total) {
  const double top = static_cast<double>(c.base), first = top / static_cast<double>(c.div_factor),
               last = first / static_cast<double>(c.final_div_factor);
  const double peak = static_cast<double>(c.pct_start) * total - 1, end = total - 1;
  if (peak > 0 && t <= peak) return half_wave(first, top, t / peak);
  return half_wave(top, last, std::min((t - peak) / (end - peak), 1.0));
}

/// The rate `t` steps after the warm-up, of `total`.
double after_warmup(const ScheduleConfig& c, double t, double total) {
  const double base = static_cast<double>(c.base), gamma = static_cast<double>(c.gamma);
  switch (c.kind) {
    case Schedule::constant:
    case Schedule::reduce_on_plateau:
      break;
    case Schedule::step:
      return base * std::pow(gamma, std::floor(t / static_cast<double>(c.step_size)));
    case Schedule::exponential:
      return base * std::pow(gamma, t);
    case Schedule::cosine:
      return half_wave(base, static_cast<double>(c.final_rate), std::min(t / total, 1.0));
    case Schedule::one_cycle:
      return one_cycle(c, t, total);
  }
  return base;
}

}  // namespace

float learning_rate(const ScheduleConfig& c, int64_t step) {
  SG_CHECK(c.step_size > 0, "a schedule's step_size must be at least 1, not " + std::to_string(c.step_size));
  SG_CHECK(c.pct_start > 0 && c.pct_start < 1 && c.div_factor > 0 && c.final_div_factor > 0,
           "one_cycle: pct_start must lie between 0 and 1, and the divisors above 0");
  const double total = static_cast<double>(std::max<int64_t>(c.total - c.warmup, 1));
  if (step >= c.warmup) return static_cast<float>(after_warmup(c, static_cast<double>(step - c.warmup), total));
  const double part = static_cast<double>(step + 1) / static_cast<double>(c.warmup);
  return static_cast<float>(after_warmup(c, 0, total) * part);
}

bool ReduceOnPlateau::step(double loss) {
  constexpr double kLeast = 1e-8;  // a smaller change of the rate is none (PyTorch's eps)
  if (loss < state_.best * (1 - config_.threshold)) {
    state_.best = loss;
    state_.bad = 0;
  } else {
    ++state_.bad;
  }
  if (state_.cooldown > 0) {
    --state_.cooldown;
    state_.bad = 0;
  }
  if (state_.bad <= config_.patience) return false;
  state_.bad = 0;
  state_.cooldown = config_.cooldown;
  const double before = base_ * state_.scale, after = std::max(before * config_.factor, config_.min_rate);
  if (before - after <= kLeast) return false;
  state_.scale = after / base_;
  return true;
}

}  // namespace sg::optim

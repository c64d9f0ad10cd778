// Learning rate schedules: a pure function of the step, so that a checkpoint keeps only the step.
#pragma once
#include <cmath>
#include <cstdint>

namespace sg::optim {

enum class Schedule { constant, cosine };

/// The rate at `step` of `total`, both counted from 0. cosine falls to 0 along half a wave (Loshchilov and Hutter
/// 2017); the first `warmup` steps rise linearly under either.
inline float learning_rate(Schedule schedule, float base, int64_t step, int64_t total, int64_t warmup) {
  if (step < warmup) return base * static_cast<float>(step + 1) / static_cast<float>(warmup);
  if (schedule == Schedule::constant || total <= warmup) return base;
  const double part = static_cast<double>(step - warmup) / static_cast<double>(total - warmup);
  return static_cast<float>(base * 0.5 * (1 + std::cos(3.14159265358979323846 * std::fmin(part, 1.0))));
}

}  // namespace sg::optim

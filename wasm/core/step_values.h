// What differs from one training step to the next. Kernels read these numbers from a small buffer, their input `step`,
// so that their parameters are the same in every step and a recorded step can be replayed.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace sg {

// VALUE(name, value where nothing was said), in the buffer's order. Shaders call the places STEP_learning_rate, ...
//
// learning_rate is the step's, Adagrad's decay of it included. correction1 and 2 are Adam's 1 - beta^t. The draws made
// before the step are two halves of 16 bits, which a float holds exactly.
#define SG_STEP_VALUES(VALUE) \
  VALUE(learning_rate, 0)     \
  VALUE(correction1, 1)       \
  VALUE(correction2, 1)       \
  VALUE(ema_decay, 0)         \
  VALUE(draws_low, 0)         \
  VALUE(draws_high, 0)

struct StepValues {
#define VALUE(name, initial) float name = initial;
  SG_STEP_VALUES(VALUE)
#undef VALUE

#define VALUE(name, initial) #name,
  static constexpr std::array kNames = std::to_array<std::string_view>({SG_STEP_VALUES(VALUE)});
#undef VALUE
  static constexpr int kCount = static_cast<int>(kNames.size());

  std::array<float, kNames.size()> floats() const {
#define VALUE(name, initial) name,
    return {SG_STEP_VALUES(VALUE)};
#undef VALUE
  }
  static StepValues from(const float* next) {
#define VALUE(name, initial) .name = *next++,
    return {SG_STEP_VALUES(VALUE)};
#undef VALUE
  }

  void set_draws(uint32_t draws) {
    draws_low = static_cast<float>(draws & 0xFFFF);
    draws_high = static_cast<float>(draws >> 16);
  }
  uint32_t draws() const { return static_cast<uint32_t>(draws_high) << 16 | static_cast<uint32_t>(draws_low); }
};

#undef SG_STEP_VALUES

}  // namespace sg

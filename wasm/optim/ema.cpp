#include "optim/ema.h"

#include <algorithm>
#include <unordered_set>

#include "core/check.h"

namespace sg::optim {

Ema::Ema(const std::vector<Parameter>& parameters, float decay) : decay_(decay) {
  SG_CHECK(decay >= 0 && decay < 1, "ema: the decay must be from 0 to below 1, not " + std::to_string(decay));
  std::unordered_set<const void*> seen;
  for (const Parameter& p : parameters)
    if (seen.insert(p.value.id()).second) slots_.push_back({p, p.value.detach()});
}

void Ema::begin_step(int64_t steps, StepValues& values) const {
  const double n = static_cast<double>(steps);
  values.ema_decay = std::min(decay_, static_cast<float>((1 + n) / (10 + n)));
}

void Ema::update(const Tensor& applied, const Tensor& values) {
  SG_CHECK(!swapped_, "ema: the averages stand in the weights' place: swap them back before the next step");
  const NoGrad off;
  for (Slot& slot : slots_) {
    const Tensor& average = slot.average;
    slot.average.set_value(run(params::ema{}, {average, slot.parameter.value, applied, values}, average.shape()));
  }
}

void Ema::update(const Tensor& applied, int64_t steps) {
  StepValues values;
  begin_step(steps, values);
  update(applied, Tensor::from(applied.device(), {StepValues::kCount}, values.floats()));
}

void Ema::swap() {
  for (Slot& slot : slots_) {
    const Tensor weight = slot.parameter.value.detach();
    slot.parameter.value.set_value(slot.average);
    slot.average.set_value(weight);
  }
  swapped_ = !swapped_;
}

std::vector<Parameter> Ema::state() const {
  std::vector<Parameter> all;
  for (const Slot& slot : slots_)
    all.push_back({"ema." + slot.parameter.name, swapped_ ? slot.parameter.value : slot.average});
  return all;
}

void Ema::load(const std::function<void(const std::string&, Tensor&)>& take) {
  for (Parameter& p : state()) take(p.name, p.value);
}

}  // namespace sg::optim

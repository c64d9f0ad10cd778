// What a session adds up beside its steps: the errors of validation windows, and what is told of its size and progress.
#include "train/session.h"

namespace sg::train {

void Session::add_validated(const ForecastData& data, Forecast& f) {
  if (data.encoding() && !data.encoding()->classes.empty()) {
    if (!class_sum_) class_sum_.emplace(data.encoding()->classes.size());
    to_probabilities(f.values, data.encoding()->classes.size());
    return class_sum_->add(f.values, f.truth);
  }
  scaled_sum_.add(f.values, f.truth);
  data.scaler().restore_targets(f.values);
  data.scaler().restore_targets(f.truth);
  data_sum_.add(f.values, f.truth);
}

double Session::validation_fraction() const {
  return static_cast<double>(validated_) / static_cast<double>(supply_->validation().windows().validation.size());
}

int64_t Session::parameter_count() const {
  int64_t n = 0;
  for (const Parameter& p : parameters()) n += p.value.size();
  return n;
}

}  // namespace sg::train

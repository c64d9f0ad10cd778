#include "train/guard.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <utility>

namespace sg::train {
namespace {

constexpr float kAbsurd = 20;  // standard deviations from the mean of the training rows
constexpr size_t kNamedRows = 3;

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

bool finite(const Tensor& t) {
  const std::vector<float> values = t.values();
  return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

float largest(const Tensor& t) {
  float most = 0;
  for (const float v : t.values()) most = std::max(most, std::fabs(v));
  return most;
}

std::string layer_of(const std::string& parameter) { return parameter.substr(0, parameter.rfind('.')); }

/// The tape of a pass in the order of making, with the parameters' names.
class Probe {
 public:
  explicit Probe(const std::vector<Parameter>& parameters) {
    for (const Parameter& p : parameters) names_[p.value.id()] = p;
  }

  /// Where the forward pass first gave something that is not finite.
  std::optional<std::string> output(const Learner::Pass& pass) const {
    std::string layer = "the model's input";
    std::optional<std::string> found;
    bool in_model = true;
    pass.loss.walk_tape([&](const Tensor& result, const std::vector<Tensor>& inputs) {
      if (found) return;
      for (const Tensor& t : inputs)
        if (const auto p = names_.find(t.id()); p != names_.end()) layer = "layer '" + layer_of(p->second.name) + "'";
      if (!finite(result))
        found = in_model ? "it arose in " + layer
                         : "what each layer gives is finite (the forecasts of " + layer + " reach " +
                               number(double{largest(pass.forecast)}) +
                               "), but the loss that follows is more than a 32-bit number holds";
      if (result.id() == pass.forecast.id()) in_model = false;
    });
    return found;
  }

  /// Which parameter's gradient is the first, from the loss backwards, that is not finite.
  std::optional<std::string> gradient(const Tensor& loss) const {
    std::vector<Parameter> in_order;  // of use
    loss.walk_tape([&](const Tensor&, const std::vector<Tensor>& inputs) {
      for (const Tensor& t : inputs)
        if (const auto p = names_.find(t.id()); p != names_.end()) in_order.push_back(p->second);
    });
    for (auto p = in_order.rbegin(); p != in_order.rend(); ++p)
      if (p->value.grad().defined() && !finite(p->value.grad()))
        return "it arose in layer '" + layer_of(p->name) + "', in the gradient of '" + p->name + "'";
    return std::nullopt;
  }

  std::string largest_gradient() const {
    float most = -1;
    std::string name;
    for (const auto& [id, p] : names_) {
      if (!p.value.grad().defined()) continue;
      if (const float here = largest(p.value.grad()); here > most) most = here, name = p.name;
    }
    return "every number in it is finite, but its norm is not; the largest, " + number(most) + ", is in layer '" +
           layer_of(name) + "', in the gradient of '" + name + "'";
  }

 private:
  std::map<const void*, Parameter> names_;
};

/// Goes through the step's batches as the step did.
std::string where(Learner& learner, const TrainConfig& config, std::span<const uint32_t> starts) {
  for (const Parameter& p : learner.parameters())
    if (!finite(p.value)) return "'" + p.name + "' held it before the step";
  const Probe probe(learner.parameters());
  const size_t batch = static_cast<size_t>(config.batch_size);
  for (size_t first = 0; first < starts.size(); first += batch) {
    const Learner::Pass pass = learner.pass(starts.subspan(first, std::min(batch, starts.size() - first)));
    if (const auto found = probe.output(pass)) return *found;
    pass.loss.backward();
    if (const auto found = probe.gradient(pass.loss)) return *found;
  }
  return probe.largest_gradient();
}

/// Draws, running statistics and gradients come back as they were.
std::string where_it_arose(Learner& learner, const TrainConfig& config, const Refused& refused) {
  const std::vector<Parameter> buffers = learner.buffers();
  std::vector<Tensor> held;
  for (const Parameter& b : buffers) held.push_back(b.value.detach());
  learner.set_place(refused.step, refused.draws);
  std::string found = where(learner, config, refused.starts);
  learner.set_place(refused.step, refused.draws);
  for (size_t i = 0; i < buffers.size(); ++i) Tensor(buffers[i].value).set_value(held[i]);
  for (const Parameter& p : learner.parameters()) Tensor(p.value).clear_grad();
  return found;
}

struct Odd {
  std::string column;
  float value;
};

/// The cells of the batch that are not finite once scaled, or far out, by row.
std::map<size_t, Odd> odd_rows(const ForecastData& data, const TrainConfig& config, std::span<const uint32_t> starts) {
  const size_t t = static_cast<size_t>(config.look_back), f = data.features(), k = data.targets();
  const size_t h = static_cast<size_t>(config.horizon);
  std::vector<float> x(starts.size() * t * f), y(starts.size() * h * k);
  data.gather(starts, x, y);
  std::map<size_t, Odd> rows;
  const auto look = [&](size_t row, const std::string& column, float value) {
    if (std::fabs(value) <= kAbsurd) return;
    const auto there = rows.find(row);
    if (there == rows.end() || (std::isfinite(there->second.value) && !(std::fabs(value) <= there->second.value)))
      rows[row] = {column, value};
  };
  for (size_t n = 0; n < starts.size(); ++n) {
    for (size_t i = 0; i < t * f; ++i) look(starts[n] + i / f, data.scaler().features[i % f].name, x[n * t * f + i]);
    for (size_t i = 0; i < h * k; ++i)
      look(starts[n] + data.config().target_at() + i / k, data.scaler().targets[i % k].name, y[n * h * k + i]);
  }
  return rows;
}

std::string describe_rows(const ForecastData& data, const std::map<size_t, Odd>& odd) {
  std::vector<std::pair<size_t, Odd>> worst(odd.begin(), odd.end());
  const auto size = [](const Odd& o) { return std::isfinite(o.value) ? std::fabs(o.value) : INFINITY; };
  std::stable_sort(worst.begin(), worst.end(),
                   [&](const auto& a, const auto& b) { return size(a.second) > size(b.second); });
  std::string text;
  for (size_t i = 0; i < std::min(worst.size(), kNamedRows); ++i) {
    const auto& [row, cell] = worst[i];
    text += (i ? "; " : "") + name_row(data.row_of(row), data.line_of_row(row)) + ", column '" + cell.column +
            "', is " +
            (std::isfinite(cell.value) ? number(double{cell.value}) + " standard deviations from the mean"
                                       : number(double{cell.value}) + " once scaled");
  }
  if (worst.size() > kNamedRows) text += "; and " + std::to_string(worst.size() - kNamedRows) + " rows more";
  return text;
}

std::string advice(const TrainConfig& config, float learning_rate) {
  std::string text = "lower the learning rate (" + number(double{learning_rate}) + " at this step)";
  if (!(config.optimizer.clip_norm > 0)) text += ", or clip the gradients (their norm is not clipped)";
  return text;
}

}  // namespace

std::string explain(Learner& learner, const ForecastData& data, const TrainConfig& config, const Refused& refused) {
  const bool loss = !std::isfinite(refused.numbers.loss);
  const std::string at =
      " at step " + std::to_string(refused.step + 1) + " (epoch " + std::to_string(refused.epoch + 1) + "): ";
  const std::string what =
      loss ? "The loss is no longer a finite number (" + number(double{refused.numbers.loss}) + ")"
           : "The gradient is no longer finite (the loss is " + number(double{refused.numbers.loss}) + ")";
  const auto odd = odd_rows(data, config, refused.starts);
  std::string text = what + at + where_it_arose(learner, config, refused) +
                     ". The step was not applied: the run stands where it was before it. ";
  if (odd.empty()) return text + "Next: " + advice(config, refused.learning_rate) + ".";
  return text + "Look at the data first: " + describe_rows(data, odd) + ". If they are as they should be, " +
         advice(config, refused.learning_rate) + ".";
}

}  // namespace sg::train

#include "train/learner.h"

#include <algorithm>
#include <utility>

#include "io/error.h"
#include "ops/ops.h"

namespace sg::train {
namespace {

const std::string kAverage = "ema.";  // before a weight's name

std::unique_ptr<nn::Module> make_model(Device& device, const ForecastData& data, const TrainConfig& config) {
  nn::Init init{device, Generator{config.seed, 0}};
  models::Sizes sizes{
      .time = config.look_back, .features = static_cast<int>(data.features()), .horizon = config.horizon};
  if (const TableEncoding* table = data.encoding()) {
    sizes.task = models::Task::table;
    sizes.classes = static_cast<int>(table->classes.size());
    sizes.categories = static_cast<int>(table->categories.size());
    sizes.codes = table->codes();
    return models::make(models::find(config.model), init, sizes, config.values);
  }
  for (const ColumnScale& target : data.scaler().targets) {
    const auto& features = data.scaler().features;
    const auto found = std::find_if(features.begin(), features.end(),
                                    [&](const ColumnScale& feature) { return feature.name == target.name; });
    sizes.targets.push_back(found == features.end() ? -1 : static_cast<int>(found - features.begin()));
  }
  return models::make(models::find(config.model), init, sizes, config.values);
}

/// Whether a device says that it has no place for something.
bool is_too_large(const Error& e) {
  return e.code() == "device.memory" || e.code() == "webgl.too_large" || e.code() == "webgl.out_of_memory";
}

/// The tensors' values as they are now: handles of their own, that set_value does not change.
std::vector<Tensor> held(const std::vector<Parameter>& tensors) {
  std::vector<Tensor> all;
  for (const Parameter& t : tensors) all.push_back(t.value.detach());
  return all;
}

}  // namespace

Learner::Learner(std::unique_ptr<Device> device, const ForecastData& data, const TrainConfig& config,
                 uint64_t most_resident_bytes)
    : Learner(std::move(device), nullptr, data, config, most_resident_bytes) {}

Learner::Learner(std::unique_ptr<Device> device, std::unique_ptr<nn::Module> model, const ForecastData& data,
                 const TrainConfig& config, uint64_t most_resident_bytes)
    : device_(std::move(device)),
      data_(data),
      config_(config),
      model_(model ? std::move(model) : make_model(*device_, data, config)),
      parameters_(model_->parameters()),
      optimizer_(parameters_, config.optimizer),
      context_{.training = true, .generator = {config.seed, 0}},
      most_resident_(most_resident_bytes) {
  if (config.ema > 0) ema_.emplace(parameters_, config.ema);
  const std::vector<float>& weights = data_.class_weights();
  if (!weights.empty()) class_weights_ = Tensor::from(*device_, {static_cast<int>(weights.size())}, weights);
}

Tensor Learner::loss(const Tensor& forecast, const Tensor& truth) const {
  if (config_.task == Task::classification)
    return ops::cross_entropy(forecast, ops::reshape(truth, Shape{truth.dim(0)}), {.class_weight = class_weights_});
  switch (config_.loss) {
    case Loss::mae:
      return ops::l1_loss(forecast, truth);
    case Loss::huber:
      return ops::huber_loss(forecast, truth);
    case Loss::mse:
      break;
  }
  return ops::mse_loss(forecast, truth);
}

Learner::Batch Learner::make_batch(int windows) const {
  const int features = static_cast<int>(data_.features()), targets = static_cast<int>(data_.targets());
  return {Tensor::empty(*device_, {windows, config_.look_back, features}),
          Tensor::empty(*device_, {windows, config_.horizon * targets})};
}

void Learner::fill(const Batch& batch, std::span<const uint32_t> starts) {
  x_.resize(static_cast<size_t>(batch.x.size()));
  y_.resize(static_cast<size_t>(batch.y.size()));
  data_.gather(starts, x_, y_);
  device_->upload(batch.x.buffer(), x_);
  device_->upload(batch.y.buffer(), y_);
}

Learner::Part Learner::make_part(int windows) const {
  if (series_.x.defined()) return {windows, Tensor::empty(*device_, {windows, 2}), {}};
  return {windows, {}, make_batch(windows)};
}

void Learner::fill(const Part& part, std::span<const uint32_t> starts) {
  if (!part.starts.defined()) return fill(part.batch, starts);
  starts_.clear();
  for (const uint32_t start : starts) {
    const auto halves = ops::halves_of(start);
    starts_.insert(starts_.end(), halves.begin(), halves.end());
  }
  device_->upload(part.starts.buffer(), starts_);
}

/// Within a step: its batch, gathered there where it was not given.
Learner::Batch Learner::batch_of(const Part& part) const {
  if (!part.starts.defined()) return part.batch;
  const int outputs = config_.horizon * static_cast<int>(data_.targets());
  return {
      ops::windows(series_.x, part.starts, 0, config_.look_back),
      ops::reshape(ops::windows(series_.y, part.starts, static_cast<int>(data_.config().target_at()), config_.horizon),
                   Shape{part.windows, outputs})};
}

Learner::Pass Learner::forward(const Batch& batch) {
  const Tensor forecast = model_->forward(batch.x, context_);
  return {forecast, loss(forecast, batch.y)};
}

Learner::Pass Learner::pass(std::span<const uint32_t> starts) {
  const Batch batch = make_batch(static_cast<int>(starts.size()));
  fill(batch, starts);
  return forward(batch);
}

Tensor Learner::make_step(const std::vector<Part>& parts) {
  const std::vector<Parameter> buffers = model_->buffers();
  const std::vector<Tensor> before = held(buffers);
  int windows = 0;
  for (const Part& part : parts) windows += part.windows;
  Tensor loss;
  for (const Part& part : parts) {
    Tensor l = forward(batch_of(part)).loss;
    if (part.windows < windows) {  // each counts by its windows: the mean is that of the whole
      const float share = static_cast<float>(part.windows) / static_cast<float>(windows);
      l = ops::mul(l, Tensor::full(l.device(), l.shape(), share));
    }
    l.backward();
    const NoGrad off;
    loss = loss.defined() ? ops::add(loss, l) : l.detach();
  }
  const NoGrad off;
  const optim::Step done = optimizer_.step(loss, step_values_);
  if (ema_) ema_->update(done.applied, step_values_);
  // The forward pass has moved the running statistics already: where the step was refused, they go back.
  for (size_t i = 0; i < buffers.size(); ++i) {
    Tensor buffer = buffers[i].value;
    buffer.set_value(ops::where(done.applied, buffer, before[i]));
  }
  return ops::stack(std::vector<Tensor>{loss, done.squared_norm, done.applied}, 0);
}

void Learner::begin_planning() {
  const auto upload = [&](std::span<const float> values, size_t width) {
    const int rows = static_cast<int>(data_.rows());
    return Tensor::from(*device_, {rows, static_cast<int>(width)}, values);
  };
  if (sizeof(float) * (data_.feature_values().size() + data_.target_values().size()) <= most_resident_) {
    try {
      series_ = {upload(data_.feature_values(), data_.features()), upload(data_.target_values(), data_.targets())};
    } catch (const Error& e) {  // then the batches are uploaded, which is slower and gives the same numbers
      if (!is_too_large(e)) throw;
    }
  }
  std::vector<Tensor> all = model_->constants();
  if (class_weights_.defined()) all.push_back(class_weights_);
  if (series_.y.defined()) all.insert(all.end(), {series_.x, series_.y});
  for (const Parameter& p : tensors()) all.push_back(p.value);
  all.push_back(optimizer_.guard());
  step_values_ = Tensor::empty(*device_, {StepValues::kCount});
  carried_ = std::make_unique<Carried>(*device_, all);
}

Learner::Planned Learner::plan(size_t windows) {
  if (!carried_) begin_planning();
  Planned planned;
  std::vector<Tensor> inputs{step_values_};
  const size_t batch = static_cast<size_t>(config_.batch_size);
  for (size_t first = 0; first < windows; first += batch) {
    planned.parts.push_back(make_part(static_cast<int>(std::min(batch, windows - first))));
    const Part& part = planned.parts.back();
    if (part.starts.defined())
      inputs.push_back(part.starts);
    else
      inputs.insert(inputs.end(), {part.batch.x, part.batch.y});
  }
  const nn::Context eager = context_;
  context_.step = step_values_;
  context_.first_draw = context_.generator.draws;
  const auto back = [&] {
    planned.draws = context_.generator.draws - eager.generator.draws;
    context_ = eager;
  };
  try {
    planned.step = carried_->record(inputs, [&] { return make_step(planned.parts); });
  } catch (...) {
    back();
    throw;
  }
  back();
  return planned;
}

const Learner::Planned& Learner::planned(size_t windows) {
  const auto found = planned_.find(windows);
  return found != planned_.end() ? found->second : planned_.emplace(windows, plan(windows)).first->second;
}

Progress Learner::prepare(size_t windows) { return planned(windows).step->prepare(); }

uint64_t Learner::bytes() const {
  uint64_t bytes = carried_ ? carried_->bytes() : 0;
  for (const auto& [windows, p] : planned_) {
    bytes += p.step->bytes();
    for (const Part& part : p.parts) {
      for (const Tensor& t : {part.starts, part.batch.x, part.batch.y})
        if (t.defined()) bytes += static_cast<uint64_t>(t.size()) * sizeof(float);
    }
  }
  return bytes;
}

uint32_t Learner::step(std::span<const uint32_t> starts, float learning_rate) {
  const Planned& p = planned(starts.size());
  for (const Part& part : p.parts) {
    const size_t n = static_cast<size_t>(part.windows);
    fill(part, starts.first(n));
    starts = starts.subspan(n);
  }
  StepValues values;
  optimizer_.begin_step(learning_rate, values);
  if (ema_) ema_->begin_step(optimizer_.steps(), values);
  values.set_draws(context_.generator.draws);
  device_->upload(step_values_.buffer(), values.floats());
  p.step->run();
  context_.generator.draws += p.draws;
  return device_->begin_read(p.step->result().buffer(), StepNumbers::kCount);
}

void Learner::reload() {
  if (!series_.x.defined()) return;  // not laid there yet, or not at all
  device_->upload(series_.x.buffer(), data_.feature_values());
  device_->upload(series_.y.buffer(), data_.target_values());
}

Forecast Learner::forecast(const ForecastData& data, std::span<const uint32_t> starts) {
  const size_t row = static_cast<size_t>(config_.look_back) * data_.features();
  std::vector<float> x(starts.size() * row), y(starts.size() * static_cast<size_t>(config_.horizon) * data_.targets());
  data.gather(starts, x, y);
  return forecast(x, std::move(y));
}

Forecast Learner::forecast(std::span<const float> x, std::vector<float> truth) {
  const NoGrad off;
  const int t = config_.look_back, f = static_cast<int>(data_.features());
  const int outputs = config_.horizon * static_cast<int>(data_.targets());
  const int n = static_cast<int>(truth.size()) / outputs;
  Forecast out;
  out.truth = std::move(truth);
  nn::Context context;
  std::optional<optim::Averaged> averaged;
  if (ema_) averaged.emplace(*ema_);
  const Tensor forecast = model_->forward(Tensor::from(*device_, {n, t, f}, x), context);
  out.loss = double{loss(forecast, Tensor::from(*device_, {n, outputs}, out.truth)).item()};
  out.values = forecast.values();
  return out;
}

std::vector<Parameter> Learner::weights() const {
  std::vector<Parameter> all = parameters_;
  if (ema_) {
    all = ema_->state();
    for (Parameter& p : all) p.name = p.name.substr(kAverage.size());
  }
  for (const Parameter& b : model_->buffers()) all.push_back(b);
  return all;
}

std::vector<Parameter> Learner::tensors() const {
  std::vector<Parameter> all = parameters_;
  for (const Parameter& b : model_->buffers()) all.push_back(b);
  for (const Parameter& p : optimizer_.state()) all.push_back({"optimizer." + p.name, p.value});
  if (ema_)
    for (const Parameter& p : ema_->state()) all.push_back(p);
  return all;
}

void Learner::set_place(int64_t steps, uint32_t draws) {
  optimizer_.set_steps(steps);
  optimizer_.reset_guard();
  context_.generator.draws = draws;
}

void Learner::set_weights(const Tensors& values) {
  upload(values, weights());
  if (!ema_) return;
  for (Parameter& p : parameters_)
    for (const Parameter& average : ema_->state())
      if (average.name == kAverage + p.name) p.value.set_value(average.value);
}

}  // namespace sg::train

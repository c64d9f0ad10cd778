#include "train/learner.h"

#include <algorithm>
#include <utility>

#include "ops/ops.h"

namespace sg::train {
namespace {

const std::string kAverage = "ema.";  // before a weight's name

std::unique_ptr<nn::Module> make_model(Device& device, const ForecastData& data, const TrainConfig& config) {
  nn::Init init{device, Generator{config.seed, 0}};
  models::Sizes sizes{
      .time = config.look_back, .features = static_cast<int>(data.features()), .horizon = config.horizon};
  for (const ColumnScale& target : data.scaler().targets) {
    const auto& features = data.scaler().features;
    const auto found = std::find_if(features.begin(), features.end(),
                                    [&](const ColumnScale& feature) { return feature.name == target.name; });
    sizes.targets.push_back(found == features.end() ? -1 : static_cast<int>(found - features.begin()));
  }
  return models::make(models::find(config.model), init, sizes, config.values);
}

/// The tensors' values as they are now: handles of their own, that set_value does not change.
std::vector<Tensor> held(const std::vector<Parameter>& tensors) {
  std::vector<Tensor> all;
  for (const Parameter& t : tensors) all.push_back(t.value.detach());
  return all;
}

}  // namespace

Learner::Learner(std::unique_ptr<Device> device, const ForecastData& data, const TrainConfig& config)
    : Learner(std::move(device), nullptr, data, config) {}

Learner::Learner(std::unique_ptr<Device> device, std::unique_ptr<nn::Module> model, const ForecastData& data,
                 const TrainConfig& config)
    : device_(std::move(device)),
      data_(data),
      config_(config),
      model_(model ? std::move(model) : make_model(*device_, data, config)),
      parameters_(model_->parameters()),
      optimizer_(parameters_, config.optimizer),
      context_{.training = true, .generator = {config.seed, 0}} {
  if (config.ema > 0) ema_.emplace(parameters_, config.ema);
}

Tensor Learner::loss(const Tensor& forecast, const Tensor& truth) const {
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

Learner::Pass Learner::pass(std::span<const uint32_t> starts) {
  const int n = static_cast<int>(starts.size()), t = config_.look_back, f = static_cast<int>(data_.features());
  const int outputs = config_.horizon * static_cast<int>(data_.targets());
  x_.resize(static_cast<size_t>(n) * static_cast<size_t>(t * f));
  y_.resize(static_cast<size_t>(n) * static_cast<size_t>(outputs));
  data_.gather(starts, x_, y_);
  const Tensor x = Tensor::from(*device_, {n, t, f}, x_), y = Tensor::from(*device_, {n, outputs}, y_);
  const Tensor forecast = model_->forward(x, context_);
  return {forecast, loss(forecast, y)};
}

uint32_t Learner::step(std::span<const uint32_t> starts, float learning_rate) {
  const std::vector<Parameter> buffers = model_->buffers();
  const std::vector<Tensor> before = held(buffers);
  const size_t batch = static_cast<size_t>(config_.batch_size);
  StepValues values;
  optimizer_.begin_step(learning_rate, values);
  if (ema_) ema_->begin_step(optimizer_.steps(), values);
  context_.first_draw = context_.generator.draws;
  values.set_draws(context_.first_draw);
  const Tensor now = Tensor::from(*device_, {StepValues::kCount}, values.floats());
  context_.step = now;
  Tensor loss;
  for (size_t first = 0; first < starts.size(); first += batch) {
    const auto part = starts.subspan(first, std::min(batch, starts.size() - first));
    Tensor l = pass(part).loss;
    if (part.size() < starts.size()) {  // each counts by its windows: the mean is that of the whole
      const float share = static_cast<float>(part.size()) / static_cast<float>(starts.size());
      l = ops::mul(l, Tensor::full(*device_, l.shape(), share));
    }
    l.backward();
    const NoGrad off;
    loss = loss.defined() ? ops::add(loss, l) : l.detach();
  }
  const NoGrad off;
  const optim::Step done = optimizer_.step(loss, now);
  if (ema_) ema_->update(done.applied, now);
  // The forward pass has moved the running statistics already: where the step was refused, they go back.
  for (size_t i = 0; i < buffers.size(); ++i) {
    Tensor buffer = buffers[i].value;
    buffer.set_value(ops::where(done.applied, buffer, before[i]));
  }
  const std::vector<Tensor> numbers{loss, done.squared_norm, done.applied};
  return device_->begin_read(ops::stack(numbers, 0).buffer(), StepNumbers::kCount);
}

Forecast Learner::forecast(std::span<const uint32_t> starts) {
  const NoGrad off;
  const int n = static_cast<int>(starts.size()), t = config_.look_back, f = static_cast<int>(data_.features());
  const int outputs = config_.horizon * static_cast<int>(data_.targets());
  std::vector<float> x(static_cast<size_t>(n) * static_cast<size_t>(t * f));
  Forecast out;
  out.truth.resize(static_cast<size_t>(n) * static_cast<size_t>(outputs));
  data_.gather(starts, x, out.truth);
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

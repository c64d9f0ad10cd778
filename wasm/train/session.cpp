#include "train/session.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.h"
#include "ops/ops.h"

namespace sg::train {
namespace {

constexpr size_t kInFlight = 8;  // losses on their way before a step waits for the next call
constexpr size_t kValidationBatch = 256;

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

/// A batch that no device could hold is refused before anything is allocated: on 32 bits its size would wrap around.
const ForecastData& checked(const ForecastData& data, const TrainConfig& config) {
  constexpr uint64_t kMost = uint64_t{1} << 28;  // a GiB of floats
  const WindowSplit& windows = data.windows();
  const uint64_t training = std::min(static_cast<size_t>(config.batch_size), windows.training.size());
  const uint64_t count = std::max<uint64_t>(training, std::min(kValidationBatch, windows.validation.size()));
  const uint64_t numbers = count * static_cast<uint64_t>(config.look_back) * data.features();
  if (numbers > kMost)
    throw Error("config.too_large", "a batch of " + std::to_string(count) + " windows of " +
                                        std::to_string(config.look_back) + " rows and " +
                                        std::to_string(data.features()) + " columns is " + std::to_string(numbers) +
                                        " numbers, and " + std::to_string(kMost) +
                                        " are possible: choose a smaller batch, a shorter look-back or fewer columns");
  return data;
}

optim::Config optimizer_config(const TrainConfig& c) {
  optim::Config o = optim::defaults(c.optimizer);
  o.momentum = c.momentum;
  o.weight_decay = c.weight_decay;
  o.clip_norm = c.clip_norm;
  return o;
}

}  // namespace

nlohmann::json State::to_json() const {
  return {{"step", step},
          {"epoch", epoch},
          {"stepInEpoch", step_in_epoch},
          {"draws", draws},
          {"lossSum", loss_sum},
          {"lossCount", loss_count},
          {"validationLoss", validation_loss ? nlohmann::json(*validation_loss) : nlohmann::json()}};
}

State State::from_json(const nlohmann::json& j) {
  constexpr int64_t kLargest = int64_t{1} << 53, kLargestInt = std::numeric_limits<int>::max();
  const auto count = [&](const char* name, int64_t most) {
    const nlohmann::json& value = j.at(name);
    if (!value.is_number_integer() || value < 0 || value > most)
      throw Error("checkpoint.corrupt", "the checkpoint's state." + std::string(name) +
                                            " is not a whole number from 0 to " + std::to_string(most));
    return value.get<int64_t>();
  };
  try {
    State s;
    s.step = count("step", kLargest);
    s.epoch = static_cast<int>(count("epoch", kLargestInt - 1));
    s.step_in_epoch = static_cast<int>(count("stepInEpoch", kLargestInt));
    s.draws = static_cast<uint32_t>(count("draws", std::numeric_limits<uint32_t>::max()));
    s.loss_sum = j.at("lossSum").get<double>();
    s.loss_count = count("lossCount", kLargest);
    if (!j.at("validationLoss").is_null()) s.validation_loss = j.at("validationLoss").get<double>();
    return s;
  } catch (const nlohmann::json::exception& e) {
    throw Error("checkpoint.corrupt", std::string("the checkpoint's state cannot be read: ") + e.what());
  }
}

Session::Session(std::unique_ptr<Device> device, ForecastData data, const TrainConfig& config)
    : device_(std::move(device)),
      data_(std::move(data)),
      config_(config),
      batches_(checked(data_, config).windows().training, config.batch_size, config.seed),
      model_(make_model(*device_, data_, config)),
      parameters_(model_->parameters()),
      optimizer_(parameters_, optimizer_config(config)),
      context_{.training = true, .generator = {config.seed, 0}} {}

Tensor Session::loss(const Tensor& forecast, const Tensor& truth) const {
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

float Session::learning_rate() const {
  const int64_t total = static_cast<int64_t>(config_.epochs) * batches_.count();
  return optim::learning_rate(
      {.kind = config_.schedule, .base = config_.learning_rate, .total = total, .warmup = config_.warmup_steps},
      state_.step);
}

void Session::train_batch() {
  const auto starts = batches_.batch(state_.epoch, state_.step_in_epoch);
  const int n = static_cast<int>(starts.size()), t = config_.look_back, f = static_cast<int>(data_.features());
  const int outputs = config_.horizon * static_cast<int>(data_.targets());
  x_.resize(static_cast<size_t>(n) * static_cast<size_t>(t * f));
  y_.resize(static_cast<size_t>(n) * static_cast<size_t>(outputs));
  data_.gather(starts, x_, y_);
  const Tensor x = Tensor::from(*device_, {n, t, f}, x_), y = Tensor::from(*device_, {n, outputs}, y_);

  const Tensor l = loss(model_->forward(x, context_), y);
  l.backward();
  const optim::Step taken = optimizer_.step(learning_rate(), l);

  // The loss and the gradient's norm travel as one reading.
  const NoGrad off;
  const std::vector<Tensor> numbers{l, taken.squared_norm};
  pending_.push_back({device_->begin_read(ops::stack(numbers, 0).buffer(), 2), state_.step, n});
  ++state_.step;
  ++state_.step_in_epoch;
  state_.draws = context_.generator.draws;
}

void Session::step(int max_steps) {
  poll();
  for (int i = 0;
       i < max_steps && !finished() && state_.step_in_epoch < batches_.count() && pending_.size() < kInFlight; ++i) {
    train_batch();
    poll();
  }
}

void Session::poll() {
  std::array<float, 2> numbers{};
  while (!pending_.empty() && device_->finish_read(pending_.front().reading, numbers)) {
    const Pending p = pending_.front();
    pending_.pop_front();
    if (!std::isfinite(numbers[0]) || !std::isfinite(numbers[1])) {
      diverged_ = true;
      throw Error("train.diverged", "the loss or its gradient is no longer a number at step " +
                                        std::to_string(p.step + 1) + " (epoch " + std::to_string(state_.epoch + 1) +
                                        "): lower the learning rate, now " + std::to_string(config_.learning_rate) +
                                        ", or clip the gradients");
    }
    state_.loss_sum += double{numbers[0]} * p.size;
    state_.loss_count += p.size;
    recent_.emplace_back(p.step + 1, numbers[0]);
    if (config_.clip_norm > 0) gradient_norm_ = std::sqrt(numbers[1]);
  }
}

void Session::next_epoch() {
  SG_CHECK(epoch_done(), "next_epoch: the epoch is not done");
  ++state_.epoch;
  state_.step_in_epoch = 0;
  state_.loss_sum = 0;
  state_.loss_count = 0;
}

std::optional<double> Session::train_loss() const {
  if (state_.loss_count == 0) return std::nullopt;
  return state_.loss_sum / static_cast<double>(state_.loss_count);
}

std::vector<std::pair<int64_t, float>> Session::take_recent() { return std::exchange(recent_, {}); }

double Session::forecast(std::span<const uint32_t> starts, std::vector<float>& y, std::vector<float>& truth) const {
  const NoGrad off;
  const int n = static_cast<int>(starts.size()), t = config_.look_back, f = static_cast<int>(data_.features());
  const int outputs = config_.horizon * static_cast<int>(data_.targets());
  std::vector<float> x(static_cast<size_t>(n) * static_cast<size_t>(t * f));
  truth.resize(static_cast<size_t>(n) * static_cast<size_t>(outputs));
  data_.gather(starts, x, truth);
  nn::Context context;
  const Tensor forecast = model_->forward(Tensor::from(*device_, {n, t, f}, x), context);
  const float l = loss(forecast, Tensor::from(*device_, {n, outputs}, truth)).item();
  y = forecast.values();
  return double{l};
}

bool Session::validate(size_t max_windows) {
  const auto& windows = data_.windows().validation;
  const size_t end = std::min(windows.size(), validated_ + std::max<size_t>(max_windows, 1));
  std::vector<float> y, truth;
  while (validated_ < end) {
    const size_t n = std::min(kValidationBatch, end - validated_);
    validation_loss_ += forecast(std::span(windows).subspan(validated_, n), y, truth) * static_cast<double>(n);
    scaled_sum_.add(y, truth);
    data_.scaler().restore_targets(y);
    data_.scaler().restore_targets(truth);
    data_sum_.add(y, truth);
    validated_ += n;
  }
  if (validated_ < windows.size()) return false;
  validation_ = {validation_loss_ / static_cast<double>(windows.size()), scaled_sum_.result(), data_sum_.result()};
  state_.validation_loss = validation_.loss;
  validated_ = 0;
  validation_loss_ = 0;
  scaled_sum_ = {};
  data_sum_ = {};
  return true;
}

double Session::validation_fraction() const {
  return static_cast<double>(validated_) / static_cast<double>(data_.windows().validation.size());
}

Forecasts Session::predict(size_t first, size_t count) const {
  const auto& windows = data_.windows().validation;
  SG_CHECK(first < windows.size() && count > 0,
           "predict: window " + std::to_string(first) + " of " + std::to_string(windows.size()));
  const auto starts = std::span(windows).subspan(first, std::min(count, windows.size() - first));
  Forecasts out;
  forecast(starts, out.forecast, out.truth);
  data_.scaler().restore_targets(out.forecast);
  data_.scaler().restore_targets(out.truth);
  for (const uint32_t s : starts) out.rows.push_back(s + static_cast<uint32_t>(config_.look_back));
  return out;
}

int64_t Session::parameter_count() const {
  int64_t n = 0;
  for (const Parameter& p : parameters_) n += p.value.size();
  return n;
}

void Session::resume(const State& state) {
  state_ = state;
  context_.generator.draws = state.draws;
  optimizer_.set_steps(state.step);
}

}  // namespace sg::train

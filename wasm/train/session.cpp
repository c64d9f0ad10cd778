#include "train/session.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "core/check.h"
#include "train/guard.h"

namespace sg::train {
namespace {

constexpr size_t kValidationBatch = 256;

std::string steps(int64_t n) { return std::to_string(n) + (n == 1 ? " step" : " steps"); }

}  // namespace

void Session::check(const Supply& supply, const TrainConfig& config) {
  constexpr uint64_t kMost = uint64_t{1} << 28;  // a GiB of floats
  const ForecastData& data = supply.training();
  const uint64_t training = std::min(static_cast<uint64_t>(config.batch_size), supply.windows());
  const uint64_t validation = std::min(kValidationBatch, supply.validation().windows().validation.size());
  const uint64_t count = std::max(training, validation);
  const uint64_t numbers = count * static_cast<uint64_t>(config.look_back) * data.features();
  if (numbers > kMost)
    throw Error("config.too_large", "a batch of " + std::to_string(count) + " windows of " +
                                        std::to_string(config.look_back) + " rows and " +
                                        std::to_string(data.features()) + " columns is " + std::to_string(numbers) +
                                        " numbers, and " + std::to_string(kMost) +
                                        " are possible: choose a smaller batch, a shorter look-back or fewer columns");
}

template <class Work>
auto Session::surviving(Work&& work) {
  while (true) {
    if (broken_) throw *broken_;
    try {
      return work();
    } catch (const Error& e) {
      if (e.code() != kContextLost) throw;
    }
    recover();
  }
}

Session::Session(const Devices& devices, const std::string& device, ForecastData data, const TrainConfig& config,
                 const Copy* from, const RecoveryPolicy& policy)
    : Session(devices, device, std::make_unique<Resident>(std::move(data), config), config, from, policy) {}

Session::Session(const Devices& devices, const std::string& device, std::unique_ptr<Supply> supply,
                 const TrainConfig& config, const Copy* from, const RecoveryPolicy& policy)
    : supply_(std::move(supply)), config_(config), recovery_(devices, policy), device_name_(device) {
  check(*supply_, config_);
  if (from) {
    state_ = from->state;
    best_ = from->best;
    recovery_.keep({from->state, from->tensors, {}});
    reported_ = state_.step;
  }
  SG_CHECK(state_.step_in_epoch <= supply_->steps(), "the checkpoint's place lies beyond the end of an epoch");
  surviving([&] {
    if (!learner_) learner_ = std::make_unique<Learner>(recovery_.make(device_name_), data(), config_);
    begin(from);
    if (state_.best)
      for (const Parameter& p : learner().weights()) values_for(p, best_);
  });
}

/// The learner takes its place; where the device can be lost there is a copy from now on.
void Session::begin(const Copy* from) {
  if (recovery_.copy()) upload(recovery_.copy()->tensors, learner().tensors());
  learner().set_place(state_.step, state_.draws);
  if (!learner().device().can_be_lost()) {
    recovery_.forget();
  } else if (!from && !recovery_.copy()) {
    recovery_.keep({state_, download(learner().tensors()), {}});
  }
}

/// A learner with its steps recorded, at the place of the copy: all that could lack room is there.
std::unique_ptr<Learner> Session::rebuilt(std::unique_ptr<Device> device, const State& at) {
  auto made = std::make_unique<Learner>(std::move(device), data(), config_);
  if (recovery_.copy()) upload(recovery_.copy()->tensors, made->tensors());
  made->set_place(at.step, at.draws);
  prepare(*made);
  return made;
}

/// On another device; on the cpu where the graphics device cannot be had again, or has no room for the run any more.
/// Nothing of the session is changed before all of it is there: where that fails, it is broken for good.
void Session::recover() {
  const int64_t reached = std::max(state_.step, lost_until_);
  pending_.clear();
  idle_.clear();
  recovery_.drop();
  learner_.reset();
  broken_.emplace("device.lost", "there is no device to go on with");  // until there is
  const State at = recovery_.copy() ? recovery_.copy()->state : State();
  std::string why;
  while (!learner_) {
    std::string name = "cpu";
    try {
      std::unique_ptr<Device> device;
      if (why.empty()) {
        std::tie(device, why) = recovery_.replace(device_name_);
        if (why.empty()) name = device_name_;
      } else {
        device = recovery_.make(name);
      }
      learner_ = rebuilt(std::move(device), at);
      device_name_ = name;
    } catch (const Error& e) {
      if (e.code() == kContextLost) continue;
      if (name == "cpu") {
        broken_.emplace(e);
        throw;
      }
      why = std::string("it could not be had again: ") + e.what();
    }
  }
  broken_.reset();
  state_ = at;
  if (!learner_->device().can_be_lost()) recovery_.forget();
  refused_.clear();
  lost_until_ = reached;
  tell_of_loss(why, reached - state_.step, reached);
}

void Session::tell_of_loss(const std::string& why, int64_t lost, int64_t reached) {
  const std::string again =
      lost > 0 ? " The last " + steps(lost) + " of " + std::to_string(reached) + " are made again." : "";
  notices_.push_back(why.empty() ? Notice{"device.lost",
                                          "The browser took the graphics device away. Training goes on with a new one, "
                                          "from the copy in memory." +
                                              again}
                                 : Notice{"device.taken_over",
                                          "The graphics device is gone: " + why +
                                              ". The processor has taken over, from the copy in memory." + again});
}

float Session::learning_rate() const {
  optim::ScheduleConfig schedule = config_.schedule;
  const double per_epoch = supply_->steps();
  schedule.base = config_.learning_rate;
  schedule.total = static_cast<int64_t>(config_.epochs) * supply_->steps();
  schedule.step_size = static_cast<int64_t>(config_.step_epochs) * supply_->steps();
  if (schedule.kind == optim::Schedule::exponential)  // said by the epoch, and falling with every step
    schedule.gamma = static_cast<float>(std::pow(double{schedule.gamma}, 1 / per_epoch));
  return optim::learning_rate(schedule, state_.step) * static_cast<float>(state_.plateau.scale);
}

/// Whether the next step's rows lie on the device. They are asked for when no step that is on its way needs those that
/// they displace.
bool Session::has_rows() {
  if (!supply_->has(state_.epoch, state_.step_in_epoch)) {
    if (pending_.empty() && !supply_->need()) supply_->enter(state_.epoch, state_.step_in_epoch);
    return false;
  }
  if (version_ != supply_->version()) {
    learner().reload();
    version_ = supply_->version();
  }
  return true;
}

void Session::train_batch() {
  const auto starts = supply_->batch(state_.epoch, state_.step_in_epoch);
  const float rate = learning_rate();
  pending_.push_back({learner().step(starts, rate), state_, static_cast<int>(starts.size()), rate});
  ++state_.step;
  ++state_.step_in_epoch;
  state_.draws = learner().draws();
}

Progress Session::prepare() {
  return surviving([&] { return prepare(learner()); });
}

/// The steps of whole batches first: those of the epoch's last one then find room in their memory.
Progress Session::prepare(Learner& learner) {
  Progress all;
  const size_t whole = supply_->size_of(0);
  const size_t last = supply_->size_of(supply_->steps() - 1);
  for (const size_t windows : {whole, last}) {
    const Progress p = learner.prepare(windows);
    all.done += p.done;
    all.total += p.total;
    if (whole == last) break;
  }
  return all;
}

void Session::step(int max_steps) {
  if (!refused_.empty() && max_steps > 0) throw Error("train.diverged", refused_);
  const size_t in_flight = politeness(config_.effort).in_flight;  // before a step waits for the next call
  surviving([&] {
    poll();
    size_t again = 0;
    for (int i = 0; !finished() && !epoch_trained() && pending_.size() < in_flight;) {
      const bool lost = state_.step < lost_until_;
      if (lost ? again++ == in_flight : i++ >= max_steps) break;
      if (!has_rows()) break;
      train_batch();
      if (learner().device().can_be_lost()) recovery_.begin(learner(), state_, epoch_trained());
      poll();
    }
  });
}

void Session::poll() {
  Device& device = learner().device();
  while (!pending_.empty()) {
    std::array<float, StepNumbers::kCount> n{};
    if (!device.finish_read(pending_.front().reading, n)) break;
    const Pending p = pending_.front();
    pending_.pop_front();
    take(p, {n[0], n[1], n[2]});
  }
  std::array<float, StepNumbers::kCount> unused{};
  while (!idle_.empty() && device.finish_read(idle_.back(), unused)) idle_.pop_back();
  recovery_.poll(device, pending_.empty() ? state_.step : pending_.front().before.step);
  // A copy that was under way when the epoch ended came before it.
  if (device.can_be_lost() && epoch_trained()) recovery_.begin(learner(), state_, true);
}

void Session::take(const Pending& p, const StepNumbers& numbers) {
  if (numbers.applied == 0) refuse(p, numbers);
  state_.loss_sum += double{numbers.loss} * p.size;
  state_.loss_count += p.size;
  recovery_.account(p.before.step, numbers.loss, p.size);
  gradient_norm_ = std::sqrt(numbers.squared_norm);
  if (p.before.step < reported_) return;  // made again
  reported_ = p.before.step + 1;
  recent_.emplace_back(reported_, numbers.loss);
}

/// The device has not applied this step nor any after it: only the place has to go back.
void Session::refuse(const Pending& p, const StepNumbers& numbers) {
  Refused refused{.step = p.before.step,
                  .epoch = p.before.epoch,
                  .draws = p.before.draws,
                  .starts = supply_->batch(p.before.epoch, p.before.step_in_epoch),
                  .learning_rate = p.learning_rate,
                  .numbers = numbers};
  const std::string why = explain(learner(), data(), config_, refused);
  for (const Pending& later : pending_) idle_.push_back(later.reading);
  pending_.clear();
  recovery_.spoil();
  state_.step = p.before.step;
  state_.step_in_epoch = p.before.step_in_epoch;
  state_.draws = p.before.draws;
  lost_until_ = state_.step;
  learner().set_place(state_.step, state_.draws);
  refused_ = why;
  throw Error("train.diverged", why);
}

size_t Session::pending() const {
  return pending_.size() + static_cast<size_t>(std::max<int64_t>(lost_until_ - state_.step, 0));
}

bool Session::epoch_done() const {
  if (!epoch_trained() || !pending_.empty()) return false;
  return !learner().device().can_be_lost() || (recovery_.copy() && recovery_.copy()->state.step == state_.step);
}

void Session::next_epoch() {
  SG_CHECK(epoch_done(), "next_epoch: the epoch is not done");
  ++state_.epoch;
  state_.step_in_epoch = 0;
  state_.loss_sum = 0;
  state_.loss_count = 0;
  if (config_.patience > 0 && state_.best && state_.epoch - state_.best->epoch >= config_.patience) {
    state_.stopped_early = true;
    notices_.push_back({"run.stopped_early", "No better validation loss for " + std::to_string(config_.patience) +
                                                 (config_.patience == 1 ? " epoch" : " epochs") +
                                                 ": the run has ended early."});
  }
  recovery_.update(state_);
  if (finished()) restore_best();
}

/// The best weights are what is left in the end.
void Session::restore_best() {
  if (!state_.best || best_.empty()) return;
  surviving([&] {
    learner().set_weights(best_);
    state_.validation_loss = state_.best->loss;
    if (learner().device().can_be_lost()) recovery_.keep({state_, download(learner().tensors()), {}});
  });
  if (state_.best->epoch < state_.epoch)
    notices_.push_back({"run.best", "The weights of epoch " + std::to_string(state_.best->epoch) +
                                        ", whose validation loss was the best, are the ones that are kept."});
}

std::optional<double> Session::train_loss() const {
  if (state_.loss_count == 0) return std::nullopt;
  return state_.loss_sum / static_cast<double>(state_.loss_count);
}

bool Session::validate(size_t max_windows) {
  const ForecastData& data = supply_->validation();
  const auto& windows = data.windows().validation;
  const size_t end = std::min(windows.size(), validated_ + std::max<size_t>(max_windows, 1));
  while (validated_ < end) {
    const size_t n = std::min(kValidationBatch, end - validated_);
    Forecast f = surviving([&] { return learner().forecast(data, std::span(windows).subspan(validated_, n)); });
    validation_loss_ += f.loss * static_cast<double>(n);
    add_validated(data, f);
    validated_ += n;
  }
  if (validated_ < windows.size()) return false;
  validation_ = {validation_loss_ / static_cast<double>(windows.size()), scaled_sum_.result(), data_sum_.result(), {}};
  if (class_sum_) validation_.classes = class_sum_->result();
  validated_ = 0;
  validation_loss_ = 0;
  scaled_sum_ = {};
  data_sum_ = {};
  class_sum_.reset();
  judge_validation();
  return true;
}

Forecast Session::outputs(std::span<const float> x, const std::vector<float>& truth) {
  return surviving([&] { return learner().forecast(x, truth); });
}

/// Of an epoch's end, once: what else is measured in between decides nothing.
void Session::judge_validation() {
  const double loss = validation_.loss;
  const int epoch = state_.epoch + 1;
  const bool judges = !finished() && epoch_done() && state_.judged < epoch;
  const bool better = judges && config_.patience > 0 && (!state_.best || loss < state_.best->loss);
  // Before the state changes: a device lost on the way takes the state back to the copy's.
  if (better) best_ = surviving([&] { return download(learner().weights()); });
  state_.validation_loss = loss;
  if (better) state_.best = Best{loss, epoch};
  if (judges) {
    state_.judged = epoch;
    if (config_.schedule.kind == optim::Schedule::reduce_on_plateau) {
      optim::ReduceOnPlateau plateau(config_.learning_rate,
                                     {.factor = double{config_.plateau_factor}, .patience = config_.plateau_patience});
      plateau.set_state(state_.plateau);
      plateau.step(loss);
      state_.plateau = plateau.state();
    }
  }
  recovery_.update(state_);
}

Forecasts Session::predict(size_t first, size_t count) {
  const ForecastData& data = supply_->validation();
  const auto& windows = data.windows().validation;
  SG_CHECK(first < windows.size() && count > 0,
           "predict: window " + std::to_string(first) + " of " + std::to_string(windows.size()));
  const auto starts = std::span(windows).subspan(first, std::min(count, windows.size() - first));
  Forecast f = surviving([&] { return learner().forecast(data, starts); });
  if (data.encoding() && !data.encoding()->classes.empty()) {
    to_probabilities(f.values, data.encoding()->classes.size());
  } else {
    data.scaler().restore_targets(f.values);
    data.scaler().restore_targets(f.truth);
  }
  Forecasts out{{}, std::move(f.truth), std::move(f.values)};
  for (const uint32_t s : starts) out.rows.push_back(data.row_of(s + static_cast<uint32_t>(data.config().target_at())));
  return out;
}

Copy Session::copy() {
  const auto settled = [&] {
    if (pending() > 0)
      throw Error("train.pending", "losses are still on the device: poll until none is pending, then save");
  };
  settled();
  Copy copy{{}, surviving([&] { return settled(), download(learner().tensors()); }), best_};
  copy.state = state_;
  return copy;
}

}  // namespace sg::train

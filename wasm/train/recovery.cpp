#include "train/recovery.h"

#include <chrono>

#include "io/error.h"

namespace sg::train {

Recovery::Recovery(Devices devices, RecoveryPolicy policy) : devices_(std::move(devices)), policy_(std::move(policy)) {
  if (!policy_.now)
    policy_.now = [] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    };
}

void Recovery::keep(Copy copy) {
  copy_ = std::move(copy);
  copied_at_ = policy_.now();
}

void Recovery::update(const State& state) {
  if (copy_ && copy_->state.step == state.step) copy_->state = state;
}

void Recovery::begin(const Learner& learner, const State& state, bool wanted) {
  if (flight_ || (copy_ && copy_->state.step == state.step)) return;
  const bool due =
      !copy_ || state.step - copy_->state.step >= policy_.steps || policy_.now() - copied_at_ >= policy_.seconds;
  if (!wanted && !due) return;
  spoilt_ = false;
  flight_.emplace(Flight{Download(learner.tensors()), state});
}

void Recovery::account(int64_t step, float loss, int size) {
  if (!flight_ || step >= flight_->state.step) return;
  flight_->state.loss_sum += double{loss} * size;
  flight_->state.loss_count += size;
}

void Recovery::poll(Device& device, int64_t settled) {
  if (!flight_ || !flight_->download.poll(device)) return;
  if (!spoilt_ && settled < flight_->state.step) return;
  if (!spoilt_) keep({flight_->state, flight_->download.take(), {}});
  flight_.reset();
}

std::pair<std::unique_ptr<Device>, std::string> Recovery::replace(const std::string& name) {
  const double now = policy_.now();
  const bool again = lost_at_ && now - *lost_at_ < policy_.again_within;
  lost_at_ = now;
  std::string why = "it was lost twice within " + std::to_string(static_cast<int>(policy_.again_within)) + " seconds";
  if (!again) {
    try {
      return {devices_.make(name), ""};
    } catch (const Error& e) {
      why = std::string("it could not be had again: ") + e.what();
    }
  }
  return {devices_.make("cpu"), why};
}

}  // namespace sg::train

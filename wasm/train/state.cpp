#include "train/state.h"

#include <cmath>
#include <limits>
#include <string>

#include "io/error.h"

namespace sg::train {
namespace {

using nlohmann::json;

json or_null(const std::optional<double>& value) { return value ? json(*value) : json(); }

constexpr int64_t kLargest = int64_t{1} << 53, kLargestInt = std::numeric_limits<int>::max();

/// What was written by a version before the field existed has its default.
template <class T>
T later(const json& j, const char* name, T initial) {
  return j.contains(name) ? j.at(name).get<T>() : initial;
}

int64_t count(const json& j, const char* name, int64_t most) {
  const json& value = j.at(name);
  if (!value.is_number_integer() || value < 0 || value > most)
    throw Error("checkpoint.corrupt", "the checkpoint's state." + std::string(name) +
                                          " is not a whole number from 0 to " + std::to_string(most));
  return value.get<int64_t>();
}

json plateau_json(const optim::ReduceOnPlateau::State& p) {
  return {{"scale", p.scale}, {"best", std::isfinite(p.best) ? json(p.best) : json()}, {"bad", p.bad}};
}

optim::ReduceOnPlateau::State plateau_from(const json& j) {
  optim::ReduceOnPlateau::State p;
  p.scale = j.at("scale").get<double>();
  if (!(p.scale > 0 && p.scale <= 1))
    throw Error("checkpoint.corrupt", "the checkpoint's state.plateau.scale is not a number above 0, up to 1");
  if (!j.at("best").is_null()) p.best = j.at("best").get<double>();
  p.bad = count(j, "bad", kLargest);
  return p;
}

}  // namespace

void State::renew_patience() {
  stopped_early = false;
  if (best) best->epoch = epoch;
}

json State::to_json() const {
  return {{"step", step},
          {"epoch", epoch},
          {"stepInEpoch", step_in_epoch},
          {"draws", draws},
          {"lossSum", loss_sum},
          {"lossCount", loss_count},
          {"validationLoss", or_null(validation_loss)},
          {"best", best ? json{{"loss", best->loss}, {"epoch", best->epoch}} : json()},
          {"stoppedEarly", stopped_early},
          {"judged", judged},
          {"plateau", plateau_json(plateau)}};
}

State State::from_json(const json& j) {
  try {
    State s;
    s.step = count(j, "step", kLargest);
    s.epoch = static_cast<int>(count(j, "epoch", kLargestInt - 1));
    s.step_in_epoch = static_cast<int>(count(j, "stepInEpoch", kLargestInt));
    s.draws = static_cast<uint32_t>(count(j, "draws", std::numeric_limits<uint32_t>::max()));
    s.loss_sum = j.at("lossSum").get<double>();
    s.loss_count = count(j, "lossCount", kLargest);
    if (!j.at("validationLoss").is_null()) s.validation_loss = j.at("validationLoss").get<double>();
    const json best = later(j, "best", json());
    if (!best.is_null())
      s.best = Best{best.at("loss").get<double>(), static_cast<int>(count(best, "epoch", kLargestInt - 1))};
    s.stopped_early = later(j, "stoppedEarly", false);
    if (j.contains("judged")) s.judged = static_cast<int>(count(j, "judged", kLargestInt - 1));
    const json plateau = later(j, "plateau", json());
    if (!plateau.is_null()) s.plateau = plateau_from(plateau);
    return s;
  } catch (const json::exception& e) {
    throw Error("checkpoint.corrupt", std::string("the checkpoint's state cannot be read: ") + e.what());
  }
}

}  // namespace sg::train

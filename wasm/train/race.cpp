#include "train/race.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "io/error.h"
#include "train/learner.h"
#include "train/session.h"

namespace sg::train {
namespace {

constexpr int kOpeningLaps = 3;
constexpr int kMostSteps = 256;    // in a lap
constexpr size_t kEnoughLaps = 3;  // when all of one device are shorter than all of the other
constexpr size_t kMostLaps = 7;    // of each, when they are not
constexpr size_t kProbed = 2;      // windows; a norm over the batch needs two

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

/// One device's copy of the run. Its first lap, a step, prepares; its second, a step, may still build a plan; those
/// after it are timed.
class Race::Racer {
 public:
  Racer(std::string name, const Devices& devices, Supply& supply, const TrainConfig& config, const RacePolicy& policy)
      : name_(std::move(name)), devices_(devices), supply_(supply), config_(config), policy_(policy) {}

  /// A step on a few windows, by a learner of its own; true when it is known whether a whole step fits into `left`
  /// seconds. As if all of its time were for the windows that is too much: where it does not fit, a second one on more
  /// windows tells what each costs.
  bool probe(double left) {
    const auto starts = supply_.batch(0, 0);
    const size_t windows = std::min(probed_ ? more_windows_ : kProbed, starts.size());
    const double took = time_probe(starts.first(windows));
    const auto of_all = [&](double each) { return took + each * static_cast<double>(starts.size() - windows); };
    if (probed_) {
      const double more = static_cast<double>(windows - probed_);
      estimate_ = of_all(std::max(0.0, took - probe_took_) / more);
      return true;
    }
    estimate_ = of_all(took / static_cast<double>(windows));
    const double affordable = std::max(left, 0.0) / 2 / std::max(took, 1e-9);
    if (estimate_ <= left || windows == starts.size() || affordable < 2) return true;
    probed_ = windows;
    probe_took_ = took;
    more_windows_ = static_cast<size_t>(static_cast<double>(windows) * std::min(affordable, 1e6));
    return false;
  }

  void begin_lap(int steps) {
    lap_ = {steps, 0, 0};
    lap_began_ = policy_.now();
    if (laps_ == 0) first_began_ = lap_began_;
  }
  bool in_lap() const { return lap_.steps > 0; }

  /// Makes steps for a turn; true when the lap is over.
  bool work() {
    const double from = policy_.now();
    if (!learner_) learner_ = std::make_unique<Learner>(devices_.make(name_), supply_.training(), config_);
    const size_t in_flight = politeness(config_.effort).in_flight;
    if (step_ == 0) {
      const Progress progress = learner_->prepare(supply_.size_of(0));
      if (progress.done < progress.total) return false;
    }
    bool busy = false;  // for long enough
    while (true) {
      poll();
      if (lap_.arrived == lap_.steps) return finish_lap(), true;
      if (lap_.made == lap_.steps || readings_.size() == in_flight || busy) return false;
      readings_.push_back(learner_->step(next_batch(), config_.learning_rate));
      ++lap_.made;
      busy = policy_.now() - from >= policy_.turn;
    }
  }

  int laps() const { return laps_; }
  const std::vector<double>& timed() const { return timed_; }
  /// Seconds a step, as well as it is known; 0: not at all.
  double estimate() const { return timed_.empty() ? estimate_ : median(timed_); }
  /// Seconds until its first step was done, its programs compiled for it wherever that is done; 0: it is not.
  double first() const { return first_; }
  /// It has finished two steps.
  bool qualified() const { return laps_ >= 2; }

  Timing timing() const {
    const double so_far = first_began_ ? policy_.now() - *first_began_ : 0;
    const double first = laps_ > 0 ? first_ : so_far;
    Timing t{estimate() * 1e3, 0, std::max(0.0, first - estimate()) * 1e3};
    if (qualified()) t.steps = timed_.empty() ? 1 : timed_steps_;
    return t;
  }

 private:
  struct Lap {
    int steps = 0, made = 0, arrived = 0;
  };

  double time_probe(std::span<const uint32_t> starts) {
    Learner learner(devices_.make(name_), supply_.training(), config_);
    learner.prepare(starts.size());
    const double from = policy_.now();
    learner.step(starts, config_.learning_rate);
    return policy_.now() - from;
  }

  /// The whole batches of the first epoch, as far as they are here, over and over.
  std::span<const uint32_t> next_batch() {
    const int steps = supply_.first_steps();
    if (step_ > 0 && supply_.size_of(step_ % steps) < supply_.size_of(0)) ++step_;
    return supply_.batch(0, step_++ % steps);
  }

  void poll() {
    std::array<float, StepNumbers::kCount> unused{};
    while (!readings_.empty() && learner_->device().finish_read(readings_.front(), unused)) {
      readings_.pop_front();
      ++lap_.arrived;
    }
  }

  void finish_lap() {
    const double a_step = (policy_.now() - lap_began_) / lap_.steps;
    ++laps_;
    if (laps_ == 1) first_ = a_step;
    // The first step's time holds the preparing, and what a probe says is too much rather than too little.
    estimate_ = laps_ == 1 && estimate_ > 0 ? std::min(estimate_, a_step) : a_step;
    if (laps_ > 2) {
      // Each lap waits for the device at its end: a long one says more than the short ones before it.
      if (lap_.steps >= 2 * lap_steps_) timed_.clear(), timed_steps_ = 0;
      lap_steps_ = std::max(lap_steps_, lap_.steps);
      timed_.push_back(a_step);
      timed_steps_ += lap_.steps;
    }
    lap_ = {};
  }

  std::string name_;
  const Devices& devices_;
  Supply& supply_;
  const TrainConfig& config_;
  const RacePolicy& policy_;
  std::unique_ptr<Learner> learner_;
  std::deque<uint32_t> readings_;
  int step_ = 0;
  Lap lap_;
  double lap_began_ = 0;
  std::optional<double> first_began_;
  int laps_ = 0, lap_steps_ = 1, timed_steps_ = 0;
  size_t probed_ = 0, more_windows_ = 0;  // in the first probe and in the second
  double probe_took_ = 0;
  double estimate_ = 0, first_ = 0;
  std::vector<double> timed_;
};

Race::Race(const Devices& devices, Supply& supply, const TrainConfig& config, RacePolicy policy)
    : devices_(devices), config_(config), policy_(std::move(policy)), gpu_(devices.gpu()) {
  Session::check(supply, config);
  if (!policy_.now)
    policy_.now = [] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    };
  began_ = policy_.now();
  cpu_ = std::make_unique<Racer>("cpu", devices_, supply, config_, policy_);
  webgl_ = std::make_unique<Racer>("webgl", devices_, supply, config_, policy_);
  racing_ = cpu_.get();
}

Race::~Race() = default;

bool Race::turn() {
  if (choice_) return true;
  try {
    advance();
  } catch (const Error& e) {
    if (racing_ == cpu_.get() && e.code() == "device.memory") {  // a graphics card has memory of its own
      no_room_ = e;
      racing_ = webgl_.get();
      webgl_began_ = policy_.now();
      return false;
    }
    // The card was refused by its own tests, or lost.
    if (racing_ != webgl_.get() || e.code().rfind("webgl.", 0) != 0) throw;
    if (no_room_) throw *no_room_;
    choice_ = Choice{"cpu", How::no_gpu, e.what(), cpu_->timing(), {}};
  }
  if (choice_) cpu_.reset(), webgl_.reset();
  return choice_.has_value();
}

double Race::fraction() const {
  if (choice_) return 1;
  return std::clamp((policy_.now() - began_) / policy_.seconds, 0.0, 1.0);
}

void Race::advance() {
  Racer& racer = *racing_;
  const bool is_cpu = racing_ == cpu_.get();
  const double left = deadline(racer) - policy_.now();
  if (is_cpu && !probed_) {
    probed_ = racer.probe(left);
    return;
  }
  bool out = false;
  if (!racer.in_lap()) {
    const int steps = next_lap(racer);
    if (steps > 0) racer.begin_lap(steps);
    out = steps == 0;
  }
  if (!out && !racer.work()) {
    if (is_cpu || policy_.now() < deadline(racer)) return;
    out = true;  // what is on its way is not waited for
  }
  if (opening_) {
    if (!out && racer.laps() < kOpeningLaps) return;
    if (is_cpu) {
      racing_ = webgl_.get();
      webgl_began_ = policy_.now();
      return;
    }
    opening_ = false;
    if (!cpu_->qualified() || !webgl_->qualified()) out = true;
  }
  if (out || no_room_ || conclusive()) return decide();
  racing_ = is_cpu ? webgl_.get() : cpu_.get();
}

int Race::next_lap(const Racer& racer) const {
  const double left = deadline(racer) - policy_.now();
  if (left <= 0) return 0;
  if (racer.laps() < 2) return racing_ == webgl_.get() || racer.estimate() <= left ? 1 : 0;
  const double a_step = std::max(racer.estimate(), 1e-6);
  const double wanted = std::clamp(std::round(policy_.lap / a_step), 1.0, double{kMostSteps});
  return static_cast<int>(std::min(wanted, std::floor(left / a_step)));
}

/// Each has its half of the time, whatever the other took.
double Race::deadline(const Racer& racer) const {
  const double half = policy_.seconds / 2, end = began_ + policy_.seconds;
  if (!opening_) return end;
  if (&racer == cpu_.get()) return began_ + half;
  const double own = std::max(end, webgl_began_ + half);
  if (racer.laps() == 0) return std::max(own, webgl_began_ + policy_.preparing);
  return racer.first() > half ? std::max(own, webgl_began_ + racer.first() + policy_.grace) : own;
}

bool Race::conclusive() const {
  const std::vector<double>&a = cpu_->timed(), &b = webgl_->timed();
  const size_t laps = std::min(a.size(), b.size());
  if (laps < kEnoughLaps) return false;
  const auto [a_low, a_high] = std::minmax_element(a.begin(), a.end());
  const auto [b_low, b_high] = std::minmax_element(b.begin(), b.end());
  return laps >= kMostLaps || *a_high < *b_low || *b_high < *a_low;
}

void Race::decide() {
  const Timing cpu = cpu_->timing(), webgl = webgl_->timing();
  bool webgl_wins = webgl_->qualified() || no_room_;
  if (!no_room_ && cpu_->qualified() == webgl_->qualified())  // by their figures, or by what there is of them
    webgl_wins = webgl.ms > 0 && webgl.ms < cpu.ms;
  choice_ = Choice{webgl_wins ? "webgl" : "cpu", How::raced, gpu_.renderer, cpu, webgl};
}

}  // namespace sg::train

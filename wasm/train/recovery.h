// What a run does about a device that can be lost (a WebGL context taken away by the browser, a GPU process that
// crashed): when a copy of it is taken, and which device goes on afterwards.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "train/copy.h"
#include "train/devices.h"
#include "train/learner.h"

namespace sg::train {

inline constexpr const char* kContextLost = "webgl.context_lost";

struct RecoveryPolicy {
  /// A copy is begun when this many steps or seconds have passed since the last one, and at every epoch's end.
  int64_t steps = 256;
  double seconds = 2;
  /// A second loss within so many seconds: the cpu takes over.
  double again_within = 120;
  std::function<double()> now = {};  // in seconds; left out: a steady clock
};

class Recovery {
 public:
  Recovery(Devices devices, RecoveryPolicy policy);

  /// The newest whole copy; its `best` is unused.
  const std::optional<Copy>& copy() const { return copy_; }
  void keep(Copy copy);
  /// Where nothing but the state has changed since the copy was taken.
  void update(const State& state);
  void forget() { copy_.reset(); }

  /// Begins a copy if none is under way and one is due, or wanted.
  void begin(const Learner& learner, const State& state, bool wanted);
  bool under_way() const { return flight_.has_value(); }
  /// A loss of `step` has arrived: the copy under way may lie after it.
  void account(int64_t step, float loss, int size);
  /// `settled`: the step up to which every loss is here.
  void poll(Device& device, int64_t settled);
  /// What is on its way is of no use: it is past the step at which the run stopped.
  void spoil() { spoilt_ = true; }
  /// What is on its way will never come.
  void drop() { flight_.reset(); }

  /// The device after a loss of `name`: the same anew, or the cpu, and then why, in words.
  std::pair<std::unique_ptr<Device>, std::string> replace(const std::string& name);
  std::unique_ptr<Device> make(const std::string& name) const { return devices_.make(name); }

 private:
  struct Flight {
    Download download;
    State state;
  };

  Devices devices_;
  RecoveryPolicy policy_;
  std::optional<Copy> copy_;
  std::optional<Flight> flight_;
  bool spoilt_ = false;
  double copied_at_ = 0;
  std::optional<double> lost_at_;
};

}  // namespace sg::train

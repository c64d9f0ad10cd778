// Which device trains this run, where a person leaves it open: both train copies of it on its first batches for at most
// a second, in short laps by turns, and the copies are thrown away. Split into turns, so that whoever drives it answers
// messages in between, and so that a GPU's fences, which never signal within one task, are seen.
//
// The cpu goes first, in half of the time, so that its speed is known when the graphics card has compiled its programs.
// A cpu step cannot be broken off: before the first one, a step on a few windows tells whether it fits.
#pragma once
#include <functional>
#include <memory>
#include <optional>

#include "train/choice.h"
#include "train/supply.h"

namespace sg::train {

struct RacePolicy {
  double seconds = 1;  // of both devices together, with all that they prepare
  // A graphics card whose programs take more than its half is waited for up to so long, and then has the grace for the
  // second step: how long they take says nothing of what a step will.
  double preparing = 1.5;
  double grace = 0.25;
  double lap = 0.025;                // what a lap should take
  double turn = 0.012;               // a turn ends with the first step after that
  std::function<double()> now = {};  // in seconds; left out: a steady clock
};

class Race {
 public:
  /// `supply` outlives it, and its first steps are there. For a run that choose_without_race leaves open.
  Race(const Devices& devices, Supply& supply, const TrainConfig& config, RacePolicy policy = {});
  ~Race();
  Race(const Race&) = delete;
  Race& operator=(const Race&) = delete;

  /// A bounded piece of work; true when the race is decided, and the copies are gone.
  bool turn();
  /// Of its time.
  double fraction() const;
  /// Once it is decided.
  const Choice& choice() const { return *choice_; }

 private:
  class Racer;
  void advance();
  /// Steps of the racer's next lap; 0: it has none.
  int next_lap(const Racer& racer) const;
  double deadline(const Racer& racer) const;
  bool conclusive() const;
  void decide();

  Devices devices_;
  TrainConfig config_;
  RacePolicy policy_;
  Gpu gpu_;
  double began_ = 0, webgl_began_ = 0;
  std::unique_ptr<Racer> cpu_, webgl_;
  Racer* racing_ = nullptr;
  bool probed_ = false;
  std::optional<Error> no_room_;  // of the cpu: then there is nobody to race against
  bool opening_ = true;           // one after the other; then by turns
  std::optional<Choice> choice_;
};

}  // namespace sg::train

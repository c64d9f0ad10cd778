// A run's tensors in memory, by their names in a checkpoint, and the way there and back: at once, waiting for the
// device, or in the device's own time.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/parameter.h"
#include "core/shape.h"
#include "train/state.h"

namespace sg::train {

struct Values {
  std::string name;
  Shape shape;
  std::vector<float> values;
};
using Tensors = std::vector<Values>;

/// A run from which it can go on, anywhere.
struct Copy {
  State state;
  Tensors tensors;  // everything that a step depends on
  Tensors best;     // the weights of state.best
};

/// Waits for the device.
Tensors download(const std::vector<Parameter>& from);
/// The values of a tensor's name: checkpoint.missing when there are none, checkpoint.mismatch for another shape.
const Values& values_for(const Parameter& p, const Tensors& values);
/// Every tensor takes the values of its name.
void upload(const Tensors& values, const std::vector<Parameter>& into);

/// A download under way.
class Download {
 public:
  explicit Download(const std::vector<Parameter>& from);
  /// True when all of it is here.
  bool poll(Device& device);
  Tensors take() { return std::move(tensors_); }

 private:
  Tensors tensors_;
  std::vector<uint32_t> readings_;
  size_t here_ = 0;
};

}  // namespace sg::train

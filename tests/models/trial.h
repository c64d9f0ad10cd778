// A model on small sizes with one batch that it is trained on, the same for every model of a task.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "models/model.h"
#include "optim/optimizer.h"

namespace sg::tests {

/// Small sizes of a task; those of a forecast have `time` rows.
models::Sizes small_sizes(models::Task task, int time = 8);
/// Field values that keep a model quick; a model without a row of its own has its defaults.
models::Values small_values(const models::ModelInfo& model);

class Trial {
 public:
  Trial(const models::ModelInfo& model, Device& device, const models::Sizes& sizes, const models::Values& values);

  /// The output for the batch while training.
  Tensor forward();
  /// The loss of the batch, a scalar on the tape.
  Tensor loss();
  /// One step of Adam on the batch, uploaded anew as in a run; the loss before it.
  Tensor step(float learning_rate);
  Shape output_shape() const;
  const std::vector<Parameter>& parameters() const { return parameters_; }

 private:
  Device& device_;
  models::Sizes sizes_;
  std::unique_ptr<nn::Module> model_;
  std::vector<Parameter> parameters_;
  optim::Optimizer optimizer_;
  nn::Context context_;
  Shape x_shape_, y_shape_;
  std::vector<float> x_, y_;
};

}  // namespace sg::tests

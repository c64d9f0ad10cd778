#include "tests/models/trial.h"

#include <map>

#include "core/check.h"
#include "ops/ops.h"

namespace sg::tests {
namespace {

using models::Task;

constexpr int kBatch = 3;

const std::map<std::string, models::Values> kSmall{
    {"lstm", {{"hidden", 12}}},
    {"gru", {{"hidden", 12}}},
    {"seq2seq_lstm", {{"hidden", 12}}},
    {"tcn", {{"channels", 8}, {"blocks", 2}}},
    {"transformer", {{"width", 12}, {"heads", 2}, {"layers", 1}, {"dropout", 0}}},
    {"patchtst", {{"patch", 4}, {"stride", 2}, {"width", 12}, {"heads", 2}, {"layers", 1}, {"dropout", 0}}},
    {"mlp", {{"hidden", 24}, {"layers", 1}}},
    {"residual_mlp", {{"width", 16}, {"blocks", 1}, {"dropout", 0}}},
    {"nbeats", {{"blocks", 2}, {"hidden", 24}, {"basis", 8}}},
    {"convnet", {{"channels", 6}, {"stages", 2}}},
    {"char_transformer", {{"width", 16}, {"heads", 2}, {"layers", 1}}},
};

/// Numbers that follow from the seed: uniform in [-1, 1), or whole ones below `below`.
std::vector<float> numbers(const Shape& shape, uint32_t seed, int below) {
  std::vector<float> all(static_cast<size_t>(shape.size()));
  for (size_t i = 0; i < all.size(); ++i) {
    const float u = uniform01(philox({static_cast<uint32_t>(i), 77, 0, 0}, seed, 0)[0]);
    all[i] = below > 0 ? static_cast<float>(static_cast<int>(u * static_cast<float>(below))) : 2 * u - 1;
  }
  return all;
}

/// The last ones of a table's row are codes, those of each category apart.
std::vector<float> inputs(const models::Sizes& s, const Shape& shape) {
  std::vector<float> x = numbers(shape, 1, s.vocabulary);
  if (s.task != Task::table) return x;
  for (int n = 0; n < kBatch; ++n)
    for (int c = 0; c < s.categories; ++c)
      x[static_cast<size_t>((n + 1) * s.features - s.categories + c)] =
          static_cast<float>(c * s.codes / s.categories + n % (s.codes / s.categories));
  return x;
}

Shape input_shape(const models::Sizes& s) {
  switch (s.task) {
    case Task::image:
      return {kBatch, s.channels, s.height, s.width};
    case Task::text:
      return {kBatch, s.time};
    case Task::table:
      return {kBatch, 1, s.features};
    case Task::forecast:
      break;
  }
  return {kBatch, s.time, s.features};
}

Shape target_shape(const models::Sizes& s) {
  switch (s.task) {
    case Task::image:
    case Task::table:
      return {kBatch};
    case Task::text:
      return {kBatch * s.time};
    case Task::forecast:
      break;
  }
  return {kBatch, s.outputs()};
}

optim::Config adam() {
  optim::Config config;
  config.kind = optim::Kind::adam;
  return config;
}

}  // namespace

models::Sizes small_sizes(Task task, int time) {
  switch (task) {
    case Task::image:
      return {.task = task, .channels = 2, .height = 8, .width = 8, .classes = 3};
    case Task::text:
      return {.task = task, .time = 8, .vocabulary = 7};
    case Task::table:
      return {.task = task, .features = 4, .classes = 3, .codes = 6, .categories = 2};
    case Task::forecast:
      break;
  }
  return {.task = task, .time = time, .features = 3, .horizon = 3, .targets = {0, 2}};
}

models::Values small_values(const models::ModelInfo& model) {
  const auto found = kSmall.find(model.name);
  return models::validated(model, found == kSmall.end() ? models::Values{} : found->second);
}

Trial::Trial(const models::ModelInfo& model, Device& device, const models::Sizes& sizes, const models::Values& values)
    : device_(device),
      sizes_(sizes),
      model_([&] {
        nn::Init init{device, Generator{3, 0}};
        return models::make(model, init, sizes, values);
      }()),
      parameters_(model_->parameters()),
      optimizer_(parameters_, adam()),
      context_{.training = true, .generator = {3, 0}},
      x_shape_(input_shape(sizes)),
      y_shape_(target_shape(sizes)),
      x_(inputs(sizes, x_shape_)),
      y_(numbers(y_shape_, 2, sizes.task == Task::text ? sizes.vocabulary : sizes.classes)) {}

Shape Trial::output_shape() const {
  switch (sizes_.task) {
    case Task::image:
    case Task::table:
      return {kBatch, sizes_.classes};
    case Task::text:
      return {kBatch, sizes_.time, sizes_.vocabulary};
    case Task::forecast:
      break;
  }
  return {kBatch, sizes_.outputs()};
}

Tensor Trial::forward() { return model_->forward(Tensor::from(device_, x_shape_, x_), context_); }

Tensor Trial::loss() {
  const Tensor output = forward(), y = Tensor::from(device_, y_shape_, y_);
  if (sizes_.task == Task::forecast) return ops::mse_loss(output, y);
  return ops::cross_entropy(ops::reshape(output, Shape{y.dim(0), output.dim(-1)}), y);
}

Tensor Trial::step(float learning_rate) {
  const Tensor l = loss();
  l.backward();
  (void)optimizer_.step(learning_rate, l);
  return l.detach();
}

}  // namespace sg::tests

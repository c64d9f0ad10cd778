// The character model of models/char_transformer.cpp trained as nanoGPT's configuration for a processor does (Karpathy,
// train_shakespeare_char with 4 layers, 4 heads, width 128, block 64, batch 12, 2,000 steps), as a module for the
// browser. The last tenth of the text validates: all of it, block by block.
#include <emscripten/emscripten.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "bindings/devices.h"
#include "core/check.h"
#include "models/model.h"
#include "ops/ops.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"

namespace {

using namespace sg;

constexpr int kBlock = 64, kBatch = 12;

/// The characters as numbers from 0, in the order of their codes; the first nine tenths train.
struct Text {
  std::vector<float> training, validation;
  int vocabulary = 0;

  explicit Text(const std::string& text) {
    std::vector<float> code(256, -1);
    for (const unsigned char c : text) code[c] = 0;
    for (float& c : code)
      if (c == 0) c = static_cast<float>(vocabulary++);
    const size_t cut = text.size() * 9 / 10;
    for (size_t i = 0; i < text.size(); ++i)
      (i < cut ? training : validation).push_back(code[static_cast<unsigned char>(text[i])]);
    SG_CHECK(validation.size() > kBlock, "the text is too short: its last tenth must hold a block of 64 characters");
  }
};

optim::Config optimizer_config() {
  optim::Config c = optim::defaults(optim::Kind::adamw);
  c.beta2 = 0.99f;
  c.weight_decay = 0.1f;
  c.clip_norm = 1;
  return c;
}

std::unique_ptr<nn::Module> make_model(Device& device, const Text& text, uint64_t seed) {
  nn::Init init{device, Generator{seed, 0}};
  const models::ModelInfo& info = models::find("char_transformer");
  const models::Values values =
      models::validated(info, {{"layers", 4}, {"heads", 4}, {"width", 128}, {"dropout", 0}, {"bias", 0}});
  models::Sizes sizes;
  sizes.task = models::Task::text;
  sizes.time = kBlock;
  sizes.vocabulary = text.vocabulary;
  return models::make(info, init, sizes, values);
}

struct Run {
  Text text;
  std::unique_ptr<Device> device;
  std::unique_ptr<nn::Module> model;
  optim::Optimizer optimizer;
  optim::ScheduleConfig schedule;
  Generator generator;
  int64_t step = 0;
  float loss = 0;
  size_t validated = 0;  // characters predicted
  double validation_sum = 0;

  Run(const std::string& t, uint64_t seed, const char* device_name, int64_t steps)
      : text(t),
        device(bindings::devices().make(device_name)),
        model(make_model(*device, text, seed)),
        optimizer(model->parameters(), optimizer_config()),
        generator{seed, 0} {
    schedule.kind = optim::Schedule::cosine;
    schedule.base = 1e-3f;
    schedule.final_rate = 1e-4f;
    schedule.total = steps;
    schedule.warmup = 100;
  }

  /// The mean cross-entropy of each character that follows those of the blocks starting at `starts`.
  Tensor loss_of(const std::vector<float>& from, const std::vector<size_t>& starts, bool training) {
    std::vector<float> x, y;
    for (const size_t start : starts) {
      x.insert(x.end(), from.begin() + static_cast<ptrdiff_t>(start),
               from.begin() + static_cast<ptrdiff_t>(start) + kBlock);
      y.insert(y.end(), from.begin() + static_cast<ptrdiff_t>(start) + 1,
               from.begin() + static_cast<ptrdiff_t>(start) + kBlock + 1);
    }
    const int n = static_cast<int>(starts.size());
    nn::Context context{.training = training, .generator = generator};
    const Tensor logits = model->forward(Tensor::from(*device, {n, kBlock}, x), context);
    return ops::cross_entropy(ops::reshape(logits, Shape{n * kBlock, text.vocabulary}),
                              Tensor::from(*device, {n * kBlock}, y));
  }

  void train_step() {
    std::vector<size_t> starts;
    for (int i = 0; i < kBatch; ++i) {
      const uint32_t bits =
          philox({static_cast<uint32_t>(i), static_cast<uint32_t>(Stream::shuffle), static_cast<uint32_t>(step), 0},
                 generator.low(), generator.high())[0];
      starts.push_back(static_cast<size_t>((uint64_t{bits} * (text.training.size() - kBlock)) >> 32));
    }
    const Tensor l = loss_of(text.training, starts, true);
    l.backward();
    optimizer.step(optim::learning_rate(schedule, step), l);
    loss = l.item();
    ++step;
  }

  /// Blocks one after the other; the last, shorter piece is left out: it would have to be predicted from less.
  bool validate(int batches) {
    const NoGrad off;
    const size_t blocks = (text.validation.size() - 1) / kBlock;
    for (int b = 0; b < batches && validated / kBlock < blocks; ++b) {
      std::vector<size_t> starts;
      for (size_t i = validated / kBlock; i < std::min(blocks, validated / kBlock + kBatch); ++i)
        starts.push_back(i * kBlock);
      const auto characters = starts.size() * kBlock;
      validation_sum += double{loss_of(text.validation, starts, false).item()} * static_cast<double>(characters);
      validated += characters;
    }
    return validated / kBlock == blocks;
  }
};

std::unique_ptr<Run> current;
std::string message;

template <class F>
int guarded(F f) {
  try {
    f();
    return 1;
  } catch (const std::exception& e) {
    message = e.what();
    return 0;
  }
}

}  // namespace

extern "C" {

EMSCRIPTEN_KEEPALIVE void* gpt_alloc(uint32_t bytes) { return std::malloc(bytes); }
EMSCRIPTEN_KEEPALIVE const char* gpt_message() { return message.c_str(); }
EMSCRIPTEN_KEEPALIVE int gpt_open(const char* text, int length, int seed, int webgl, int steps) {
  return guarded([&] {
    const std::string all(text, static_cast<size_t>(length));
    current = std::make_unique<Run>(all, static_cast<uint64_t>(seed), webgl ? "webgl" : "cpu", steps);
  });
}
EMSCRIPTEN_KEEPALIVE int gpt_train(int steps) {
  return guarded([&] {
    for (int i = 0; i < steps; ++i) current->train_step();
  });
}
EMSCRIPTEN_KEEPALIVE int gpt_steps() { return static_cast<int>(current->step); }
EMSCRIPTEN_KEEPALIVE float gpt_loss() { return current->loss; }
/// 1 when something is left, 2 when all is done, 0 for an error.
EMSCRIPTEN_KEEPALIVE int gpt_validate(int batches) {
  bool done = false;
  return guarded([&] { done = current->validate(batches); }) ? 1 + done : 0;
}
EMSCRIPTEN_KEEPALIVE double gpt_validation() { return current->validation_sum / static_cast<double>(current->validated); }
EMSCRIPTEN_KEEPALIVE double gpt_validated() { return static_cast<double>(current->validated); }
EMSCRIPTEN_KEEPALIVE double gpt_parameters() {
  double n = 0;
  for (const Parameter& p : current->model->parameters()) n += static_cast<double>(p.value.size());
  return n;
}
}

// What single models promise beside learning: which inputs an output depends on, what a shift of the series does, and
// how many weights there are.
#include <catch2/catch.hpp>
#include <cmath>

#include "ops/ops.h"
#include "tests/models/trial.h"
#include "tests/ops/devices.h"

namespace sg::tests {
namespace {

using models::Sizes;
using models::Task;
using models::Values;

std::unique_ptr<nn::Module> build(const char* name, const Sizes& sizes, const Values& given) {
  const models::ModelInfo& info = models::find(name);
  nn::Init init{device("cpu"), Generator{8, 0}};
  return models::make(info, init, sizes, validated(info, given));
}

std::vector<float> run(const nn::Module& model, const Shape& shape, const std::vector<float>& x) {
  const NoGrad off;
  nn::Context context;
  return model.forward(Tensor::from(device("cpu"), shape, x), context).values();
}

std::vector<float> series(const Shape& shape) {
  return ops::uniform(device("cpu"), shape, -1, 1, {6, 0}, Stream::weights, 0).values();
}

/// Each with fields that make it small and a look-back of 12 that it can work with.
const std::vector<std::pair<const char*, Values>> kAlone{
    {"dlinear", {{"kernel", 5}}},
    {"patchtst", {{"patch", 4}, {"stride", 3}, {"width", 8}, {"heads", 2}, {"layers", 1}}},
};

TEST_CASE("models of one column each forecast it from its own past, in the order of the outputs", "[models]") {
  constexpr int kTime = 12, kFeatures = 3, kHorizon = 4, kTargets = 2;
  for (const int values : {1, 3})
    for (const auto& [name, given] : kAlone) {
      const Sizes sizes{.time = kTime,
                        .features = kFeatures,
                        .horizon = kHorizon,
                        .targets = {2, 0},
                        .values = values,
                        .places = (values + 1) / 2};
      const auto model = build(name, sizes, given);
      const Shape shape{1, kTime, kFeatures};
      std::vector<float> x = series(shape);
      const std::vector<float> before = run(*model, shape, x);
      REQUIRE(before.size() == static_cast<size_t>(kHorizon * kTargets * values));
      for (int changed = 0; changed < kFeatures; ++changed) {
        std::vector<float> other = x;
        for (size_t t = 0; t < kTime; ++t) other[t * kFeatures + static_cast<size_t>(changed)] += 0.1f * float(t % 3);
        const std::vector<float> after = run(*model, shape, other);
        for (size_t i = 0; i < after.size(); ++i) {
          const size_t k = i / static_cast<size_t>(values) % kTargets;
          INFO(name << ", " << values << " values: column " << changed << ", output " << i);
          CHECK((after[i] != before[i]) == (sizes.targets[k] == changed));
        }
      }
    }
}

TEST_CASE("patchtst's forecast moves and stretches with the series, where it is a place", "[models]") {
  const Sizes sizes{.time = 12, .features = 1, .horizon = 2, .targets = {0}, .values = 2, .places = 1};
  const auto model = build("patchtst", sizes, kAlone[1].second);
  std::vector<float> x = series({1, 12, 1});
  const std::vector<float> y = run(*model, {1, 12, 1}, x);
  for (float& v : x) v = 20 + 3 * v;
  const std::vector<float> z = run(*model, {1, 12, 1}, x);
  for (size_t h = 0; h < 2; ++h) {
    CHECK(z[2 * h] == Approx(20 + 3 * y[2 * h]).epsilon(1e-4));
    CHECK(z[2 * h + 1] == Approx(y[2 * h + 1]).epsilon(1e-3));
  }
}

TEST_CASE("a forecast model may give several numbers a value, for a target that is not a feature as well", "[models]") {
  for (const models::ModelInfo* info : models::all()) {
    if (info->task != Task::forecast) continue;
    INFO(info->name);
    Sizes sizes{.time = 24, .features = 2, .horizon = 3, .targets = {1, -1}, .values = 3, .places = 1};
    for (const auto& [name, given] : kAlone)
      if (name == std::string(info->name)) sizes.targets[1] = 0;
    const auto model = build(info->name, sizes, {});
    const std::vector<float> y = run(*model, {2, 24, 2}, series({2, 24, 2}));
    CHECK(y.size() == 2 * 3 * 2 * 3);
    for (const float v : y) CHECK(std::isfinite(v));
  }
}

TEST_CASE("char_transformer's logits do not depend on later tokens", "[models]") {
  constexpr size_t kTime = 6, kVocabulary = 9;
  const auto model = build("char_transformer", {.task = Task::text, .time = 8, .vocabulary = int{kVocabulary}},
                           {{"layers", 2}, {"heads", 2}, {"width", 16}, {"bias", 1}});
  std::vector<float> tokens{3, 1, 4, 1, 5, 8};
  const std::vector<float> before = run(*model, {1, int{kTime}}, tokens);
  REQUIRE(before.size() == kTime * kVocabulary);
  tokens[3] = 7;
  const std::vector<float> after = run(*model, {1, int{kTime}}, tokens);
  for (size_t i = 0; i < after.size(); ++i)
    if (i / kVocabulary < 3)
      CHECK(after[i] == before[i]);
    else
      CHECK(after[i] != before[i]);
}

TEST_CASE("char_transformer has nanoGPT's weights in number and name, and first ones that suit its width", "[models]") {
  const auto model = build("char_transformer", {.task = Task::text, .time = 64, .vocabulary = 65}, {});
  int64_t count = 0;
  double residual = 0, other = 0;
  std::vector<std::string> names;
  for (const Parameter& p : model->parameters()) {
    count += p.value.size();
    names.push_back(p.name);
    double square = 0;
    for (const float v : p.value.values()) square += double{v} * v / static_cast<double>(p.value.size());
    if (p.name == "h.3.mlp.c_proj.weight") residual = std::sqrt(square);
    if (p.name == "h.0.attn.c_attn.weight") other = std::sqrt(square);
  }
  CHECK(count == 804096);  // nanoGPT: 0.80M
  CHECK(names.front() == "wte.weight");
  CHECK(std::count(names.begin(), names.end(), "h.2.ln_1.weight") == 1);
  CHECK(names.back() == "ln_f.weight");
  const double spread = 1 / std::sqrt(3.0 * 128);  // 0.0208 at GPT-2's width of 768
  CHECK(other == Approx(spread).epsilon(0.02));
  CHECK(residual == Approx(spread / std::sqrt(8.0)).epsilon(0.02));
}

TEST_CASE("seq2seq_lstm's forecast goes on from the last known value", "[models]") {
  const auto model = build("seq2seq_lstm", {.time = 5, .features = 2, .horizon = 3, .targets = {1}}, {{"hidden", 8}});
  std::vector<float> x = series({1, 5, 2});
  const std::vector<float> y = run(*model, {1, 5, 2}, x);
  const auto other = build("seq2seq_lstm", {.time = 5, .features = 2, .horizon = 3, .targets = {-1}}, {{"hidden", 8}});
  const std::vector<float> z = run(*other, {1, 5, 2}, x);
  for (size_t h = 0; h < 3; ++h) CHECK(y[h] != z[h]);  // the same weights, told the value or not
}

}  // namespace
}  // namespace sg::tests

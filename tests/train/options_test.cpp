// What a person can turn on: batches that add up to a step, averages of the weights, early stopping with the best
// weights put back, every optimiser and schedule.
#include <catch2/catch.hpp>
#include <functional>

#include "tests/train/runs.h"
#include "train/checkpoint.h"

using namespace sg;
using namespace sg::test;

namespace {

Curve run_with(const nlohmann::json& training) {
  train::Session session(cpu_devices(), "cpu", wave_data(), small_config(training));
  return run_to_end(session);
}

const std::vector<float>& tensor(const train::Tensors& all, const std::string& name) {
  for (const train::Values& v : all)
    if (v.name == name) return v.values;
  throw Error("test", "no tensor " + name);
}

train::TrainConfig without_dropout(nlohmann::json training) {
  train::TrainConfig config = small_config(std::move(training));
  config.values["dropout"] = 0;
  return config;
}

}  // namespace

TEST_CASE("batches that add up give the numbers of the big batch within rounding", "[train]") {
  const auto run = [](int size, int count) {
    train::Session session(cpu_devices(), "cpu", wave_data(),
                           without_dropout({{"batchSize", size}, {"accumulate", count}, {"epochs", 3}}));
    return run_to_end(session);
  };
  const Curve whole = run(32, 1);
  for (const auto& [size, count] : {std::pair{16, 2}, {8, 4}, {2, 16}, {1, 32}}) {
    const Curve parts = run(size, count);
    REQUIRE(parts.losses.size() == whole.losses.size());  // the last step of an epoch has fewer windows
    for (size_t i = 0; i < whole.losses.size(); ++i)
      CHECK(parts.losses[i].second == Approx(whole.losses[i].second).epsilon(2e-5));
    for (size_t t = 0; t < whole.end.tensors.size(); ++t)
      for (size_t i = 0; i < whole.end.tensors[t].values.size(); ++i)
        CHECK(parts.end.tensors[t].values[i] == Approx(whole.end.tensors[t].values[i]).margin(2e-4));
    CHECK(parts.validation.back() == Approx(whole.validation.back()).epsilon(1e-4));
  }
}

TEST_CASE("averages of the weights are what is validated and forecast with; training does not see them", "[train]") {
  const Curve plain = run_with({}), averaged = run_with({{"ema", 0.95}});
  CHECK(averaged.losses == plain.losses);
  CHECK(averaged.validation != plain.validation);
  CHECK(tensor(averaged.end.tensors, "head.weight") == tensor(plain.end.tensors, "head.weight"));
  CHECK(tensor(averaged.end.tensors, "ema.head.weight") != tensor(averaged.end.tensors, "head.weight"));

  // The averages in the weights' place, without averaging, forecast the same.
  train::Copy swapped = averaged.end;
  for (train::Values& v : swapped.tensors)
    if (v.name.rfind("optimizer.", 0) != 0 && v.name.rfind("ema.", 0) != 0)
      v.values = tensor(averaged.end.tensors, "ema." + v.name);
  train::Session with(cpu_devices(), "cpu", wave_data(), small_config({{"ema", 0.95}}), &averaged.end);
  train::Session without(cpu_devices(), "cpu", wave_data(), small_config(), &swapped);
  CHECK(with.predict(0, 9).forecast == without.predict(0, 9).forecast);
}

TEST_CASE("a run without progress ends early, and the best weights are what is left", "[train]") {
  for (const double ema : {0.0, 0.9}) {
    const nlohmann::json training = {{"epochs", 60}, {"patience", 2}, {"learningRate", 0.3}, {"ema", ema}};
    train::Session session(cpu_devices(), "cpu", wave_data(), small_config(training));
    const Curve curve = run_to_end(session);
    REQUIRE(curve.validation.size() < 60);
    const auto best = std::min_element(curve.validation.begin(), curve.validation.end());
    const auto epoch = best - curve.validation.begin() + 1;
    CHECK(static_cast<size_t>(epoch) + 2 == curve.validation.size());
    CHECK(session.state().stopped_early);
    CHECK(session.state().best->epoch == epoch);
    CHECK(session.state().best->loss == *best);
    CHECK(session.state().validation_loss == *best);
    CHECK(curve.has_notice("run.stopped_early"));
    CHECK(curve.has_notice("run.best", "epoch " + std::to_string(epoch)));
    // What is left validates as the best did.
    while (!session.validate(16)) {
    }
    CHECK(session.validation().loss == *best);
    CHECK(tensor(curve.end.tensors, "head.weight") == tensor(curve.end.best, "head.weight"));
  }
}

TEST_CASE("with patience the best weights are left at the planned end too; without, the last ones", "[train]") {
  nlohmann::json training = {{"epochs", 12}, {"learningRate", 0.3}};
  // The end is planned behind the first epoch that is worse than the one before it.
  const std::vector<double> course = run_with(training).validation;
  const auto worse = std::adjacent_find(course.begin(), course.end(), std::less<>());
  REQUIRE(worse != course.end());
  training["epochs"] = worse - course.begin() + 2;
  nlohmann::json patient = training;
  patient["patience"] = 100;
  const Curve last = run_with(training), best = run_with(patient);
  CHECK(last.losses == best.losses);
  CHECK(last.validation == best.validation);
  const double lowest = *std::min_element(best.validation.begin(), best.validation.end());
  REQUIRE(lowest < best.validation.back());
  CHECK(best.end.state.best->loss == lowest);
  CHECK_FALSE(best.end.state.stopped_early);
  CHECK(last.end.best.empty());
  CHECK(tensor(last.end.tensors, "head.weight") != tensor(best.end.tensors, "head.weight"));
}

TEST_CASE("a resumed run keeps the best weights, the patience and the plateau, bit for bit", "[train]") {
  const train::TrainConfig config = small_config({{"epochs", 40},
                                                  {"patience", 4},
                                                  {"learningRate", 0.1},
                                                  {"ema", 0.8},
                                                  {"schedule", "reduce_on_plateau"},
                                                  {"plateauPatience", 0}});
  train::Session straight(cpu_devices(), "cpu", wave_data(), config);
  const Curve whole = run_to_end(straight);
  for (const int64_t stop : {3, 9, 20, 33}) {
    train::Session first(cpu_devices(), "cpu", wave_data(), config);
    Curve curve;
    while (first.state().step < stop) {
      first.step(1);
      collect(first, curve);
      if (!first.epoch_done()) continue;
      while (!first.validate(16)) {
      }
      curve.validation.push_back(first.validation().loss);
      first.next_epoch();
    }
    const auto bytes = train::save_checkpoint(first, "wave.csv", "null", {});
    const train::Checkpoint checkpoint = train::read_checkpoint(bytes);
    auto resumed = train::restore_session(checkpoint, cpu_devices(), "cpu",
                                          std::make_unique<train::Resident>(wave_data(), checkpoint.config))
                       .session;
    const Curve rest = run_to_end(*resumed);
    curve.losses.insert(curve.losses.end(), rest.losses.begin(), rest.losses.end());
    curve.validation.insert(curve.validation.end(), rest.validation.begin(), rest.validation.end());
    INFO("stopped at " << stop << " of " << whole.losses.size());
    CHECK(curve.losses == whole.losses);
    CHECK(curve.validation == whole.validation);
    CHECK(same(rest.end.tensors, whole.end.tensors));
    CHECK(same(rest.end.best, whole.end.best));
    CHECK(rest.end.state.to_json() == whole.end.state.to_json());
  }
}

TEST_CASE("every optimiser under every schedule learns the wave, and goes on from a checkpoint", "[train]") {
  const nlohmann::json fields = train::TrainConfig::describe();
  const auto choices = [&](const std::string& name) {
    std::vector<std::string> all;
    for (const auto& f : fields)
      if (f["name"] == name)
        for (const auto& c : f["choices"]) all.push_back(c["value"]);
    return all;
  };
  REQUIRE(choices("optimizer").size() == 7);
  REQUIRE(choices("schedule").size() == 6);
  size_t turn = 0;
  for (const std::string& optimizer : choices("optimizer")) {
    const std::string schedule = choices("schedule")[turn++ % 6];
    INFO(optimizer << " " << schedule);
    const double rate = optimizer == "sgd" || optimizer == "adagrad" ? 0.1 : 0.01;
    const train::TrainConfig config = small_config({{"optimizer", optimizer},
                                                    {"schedule", schedule},
                                                    {"learningRate", rate},
                                                    {"warmupSteps", 3},
                                                    {"clipValue", 0.5},
                                                    {"epochs", 12}});
    train::Session session(cpu_devices(), "cpu", wave_data(), config);
    const Curve curve = run_to_end(session);
    CHECK(curve.validation.back() < 0.7 * curve.validation.front());
    train::Session half(cpu_devices(), "cpu", wave_data(), config);
    half.step(4);
    const train::Copy copy = half.copy();
    train::Session resumed(cpu_devices(), "cpu", wave_data(), config, &copy);
    CHECK(same(run_to_end(resumed).end.tensors, curve.end.tensors));
  }
}

TEST_CASE("schedules are said in epochs and followed in steps", "[train]") {
  const auto rate_after = [](const nlohmann::json& training, int epochs) {
    train::Session session(cpu_devices(), "cpu", wave_data(), small_config(training));
    while (session.state().epoch < epochs) {
      session.step(100);
      if (session.epoch_done()) session.next_epoch();
    }
    return session.learning_rate();
  };
  const nlohmann::json base = {{"epochs", 9}, {"learningRate", 0.1}, {"batchSize", 30}};
  const auto with = [&](nlohmann::json more) {
    nlohmann::json all = base;
    all.merge_patch(more);
    return all;
  };
  CHECK(rate_after(with({{"schedule", "step"}, {"stepSize", 2}, {"gamma", 0.5}}), 1) == Approx(0.1f));
  CHECK(rate_after(with({{"schedule", "step"}, {"stepSize", 2}, {"gamma", 0.5}}), 2) == Approx(0.05f));
  CHECK(rate_after(with({{"schedule", "exponential"}, {"gamma", 0.9}}), 3) == Approx(0.1f * 0.729f));
  CHECK(rate_after(with({{"schedule", "cosine"}, {"finalLearningRate", 0.02}}), 9) == Approx(0.02f));
}

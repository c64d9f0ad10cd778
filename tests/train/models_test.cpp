// Every forecast model as a run: it is made from a configuration, learns the wave, and goes on from a checkpoint bit
// for bit, whatever its fields; a model that does not fit the data is refused before anything is trained.
#include <catch2/catch.hpp>

#include "models/json.h"
#include "tests/models/trial.h"
#include "tests/train/runs.h"
#include "train/checkpoint.h"

using namespace sg;
using namespace sg::test;

namespace {

/// A small run of the model, with dropout where it has it and the last of its choices and booleans.
train::TrainConfig config_of(const models::ModelInfo& model) {
  models::Values values = tests::small_values(model);
  for (const models::Field& f : model.fields) {
    if (f.type == models::FieldType::boolean || f.type == models::FieldType::choice) values[f.name] = f.max;
    if (f.name == std::string("dropout")) values[f.name] = 0.1;
  }
  nlohmann::json json = small_config({{"learningRate", 0.01}, {"epochs", 3}}).to_json();
  json["model"] = to_json(model, values);
  return train::TrainConfig::from_json(json);
}

TEST_CASE("every forecast model learns a series and goes on from a checkpoint bit for bit", "[train]") {
  for (const models::ModelInfo* model : models::all()) {
    if (model->task != models::Task::forecast) continue;
    INFO(model->name);
    const train::TrainConfig config = config_of(*model);
    train::Session straight(cpu_devices(), "cpu", wave_data(), config);
    const Curve whole = run_to_end(straight);
    REQUIRE(whole.validation.size() == 3);
    CHECK(whole.validation.back() < whole.validation.front());

    train::Session first(cpu_devices(), "cpu", wave_data(), config);
    first.step(4);
    const auto bytes = train::save_checkpoint(first, "wave.csv", "null", {});
    const train::Checkpoint checkpoint = train::read_checkpoint(bytes);
    CHECK(checkpoint.config.to_json()["model"] == config.to_json()["model"]);
    auto resumed = train::restore_session(checkpoint, cpu_devices(), "cpu",
                                          std::make_unique<train::Resident>(wave_data(), checkpoint.config))
                       .session;
    CHECK(same(run_to_end(*resumed).end.tensors, whole.end.tensors));
  }
}

TEST_CASE("a run with a model that does not fit its data is refused by the field", "[train]") {
  const auto refusal = [](const train::TrainConfig& config, ForecastData data) -> std::string {
    try {
      train::Session session(cpu_devices(), "cpu", std::move(data), config);
    } catch (const Error& e) {
      CHECK(e.code() == "config.bad_field");
      return e.what();
    }
    return "";
  };
  const Table table = read_csv(std::string_view(wave_csv(120)));
  const ForecastData other(series_from_table(table, {2}, {1}), {8, 2, 0.2});  // the target is no feature
  CHECK_THAT(refusal(config_of(models::find("dlinear")), other), Catch::StartsWith("data.features lack the column"));
  CHECK(refusal(config_of(models::find("mlp")), other).empty());
  CHECK_THAT(refusal(config_of(models::find("convnet")), wave_data()), Catch::StartsWith("model.name is 'convnet'"));
}

}  // namespace

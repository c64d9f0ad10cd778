#include "bindings/run.h"

#include <algorithm>
#include <utility>

namespace sg::bindings {
namespace {

using nlohmann::json;

/// The scaled windows of a run; names in the configuration are filled in where it left them open.
ForecastData make_data(const Table& table, train::TrainConfig& config, const Scaler* scaler) {
  if (config.target.empty()) throw Error("config.bad_field", "data.target is empty: choose the column to predict");
  const size_t target = table.index_of(config.target);
  if (config.features.empty())
    for (const Column& c : table.columns)
      if (c.type == ColumnType::number) config.features.push_back(c.name);
  std::vector<size_t> features;
  for (const std::string& name : config.features) features.push_back(table.index_of(name));
  const SeriesTable series = series_from_table(table, features, {target});
  const WindowConfig windows{static_cast<size_t>(config.look_back), static_cast<size_t>(config.horizon),
                             config.validation_fraction};
  return scaler ? ForecastData(series, windows, *scaler) : ForecastData(series, windows);
}

void measure_baselines(Run& run, const train::TrainConfig& config, const ForecastData& data) {
  run.naive = naive_forecast(data);
  run.season = static_cast<size_t>(config.season);
  if (run.season == 0)
    if (const auto found = propose_season(data)) run.season = found->period;
  if (run.season > 0) run.seasonal = seasonal_naive_forecast(data, run.season);
}

/// On the device that was chosen; from now on there is no race.
void begin(Run& run) {
  Waiting& waiting = *run.waiting;
  run.race.reset();  // it reads the data
  run.session =
      std::make_unique<train::Session>(waiting.devices, run.choice.device, std::move(waiting.data), waiting.config);
  run.waiting.reset();
}

}  // namespace

json state_json(Run& run) {
  train::Session& s = *run.session;
  const auto loss = s.train_loss();
  const auto norm = s.gradient_norm();
  const train::State& at = s.state();
  run.peak_bytes = std::max({run.peak_bytes, s.step_bytes(), s.device().counters().live_bytes});
  const auto& preparing = run.preparing;
  json recent = json::array();
  for (const auto& [step, value] : s.take_recent()) recent.push_back({step, value});
  json notices = json::array();
  for (train::Notice& notice : s.take_notices()) run.notices.push_back(std::move(notice));
  for (const train::Notice& notice : std::exchange(run.notices, {}))
    notices.push_back({{"code", notice.code}, {"message", notice.message}});
  return {{"step", at.step},
          {"epoch", at.epoch},
          {"stepInEpoch", at.step_in_epoch},
          {"stepsPerEpoch", s.steps_per_epoch()},
          {"epochDone", s.epoch_done()},
          {"finished", s.finished()},
          {"pending", s.pending()},
          {"trainLoss", loss ? json(*loss) : json()},
          {"recent", recent},
          {"learningRate", s.learning_rate()},
          {"gradientNorm", norm ? json(*norm) : json()},
          {"best", at.best ? json{{"epoch", at.best->epoch}, {"loss", at.best->loss}} : json()},
          {"device", s.device().name()},
          {"duty", train::politeness(s.config().effort).duty},
          {"peakBytes", run.peak_bytes},
          {"preparing", preparing ? json{{"done", preparing->done}, {"total", preparing->total}} : json()},
          {"notices", notices}};
}

json session_json(Run& run) {
  if (run.race) return {{"racing", run.race->fraction()}};
  const train::Session& s = *run.session;
  const WindowSplit& w = s.data().windows();
  return {{"racing", nullptr},
          {"config", s.config().to_json()},
          {"device", s.device().name()},
          {"choice", choice(run).to_json()},
          {"parameters", s.parameter_count()},
          {"stepsPerEpoch", s.steps_per_epoch()},
          {"trainWindows", w.training.size()},
          {"validationWindows", w.validation.size()},
          {"skippedWindows", w.skipped_training + w.skipped_validation},
          {"season", run.season},
          {"state", state_json(run)}};
}

json metrics_json(const Metrics& m) { return {{"mse", m.mse}, {"mae", m.mae}, {"rmse", m.rmse}}; }

json baselines_json(const Run& run) {
  const auto loss = [&](const BaselineResult& b) {
    return run.session->config().loss == train::Loss::mae ? b.scaled.mae : b.scaled.mse;
  };
  const bool comparable = run.session->config().loss != train::Loss::huber;
  json j{{"season", run.season},
         {"naive", metrics_json(run.naive.scaled)},
         {"naiveLoss", comparable ? json(loss(run.naive)) : json()},
         {"seasonalNaive", json()},
         {"seasonalNaiveLoss", json()}};
  if (run.season > 0) {
    j["seasonalNaive"] = metrics_json(run.seasonal.scaled);
    j["seasonalNaiveLoss"] = comparable ? json(loss(run.seasonal)) : json();
  }
  return j;
}

train::Choice choice(const Run& run) {
  train::Choice now = run.choice;
  const std::string device = run.session->device().name();
  if (device == now.device) return now;
  now.device = device;
  now.how = train::How::lost;
  now.detail = "";
  return now;
}

train::Choice stored_choice(const Run& run) {
  const train::Choice now = choice(run);
  return now.how == train::How::lost ? now : run.origin.value_or(now);
}

Run start_run(const train::Devices& devices, const Table& table, const std::string& name,
              train::TrainConfig config) {
  Run run;
  ForecastData data = make_data(table, config, nullptr);
  measure_baselines(run, config, data);
  run.dataset_name = name;
  run.waiting = std::make_unique<Waiting>(Waiting{devices, std::move(data), std::move(config)});
  const auto chosen = train::choose_without_race(devices, run.waiting->config);
  if (chosen) {
    run.choice = *chosen;
    begin(run);
  } else {
    run.race = std::make_unique<train::Race>(devices, run.waiting->data, run.waiting->config);
  }
  return run;
}

void race(Run& run) {
  if (!run.race || !run.race->turn()) return;
  run.choice = run.race->choice();
  begin(run);
}

void step(Run& run, int max_steps) {
  run.preparing.reset();
  if (!run.session->finished()) {
    const Progress progress = run.session->prepare();
    if (progress.done < progress.total) run.preparing = progress;
  }
  if (!run.preparing) run.session->step(max_steps);
}

Resumed resume_run(const train::Devices& devices, const Table& table, const std::string& name,
                   train::Checkpoint& checkpoint, const json& patch) {
  const json training = patch.value("training", json::object());
  json changed = checkpoint.config.to_json();
  changed.merge_patch(patch);
  if (training.contains("epochs")) checkpoint.state.renew_patience();
  checkpoint.config = train::TrainConfig::from_json(changed);
  const train::TrainConfig& config = checkpoint.config;
  const ForecastData data = make_data(table, checkpoint.config, &checkpoint.scaler);
  Run run;
  measure_baselines(run, config, data);
  run.dataset_name = name;
  const bool asked = training.contains("device") && config.device != "auto";
  run.choice = asked ? *train::choose_without_race(devices, config)
                     : train::choose_for_resume(devices, config, checkpoint.choice);
  if (!asked) run.origin = checkpoint.choice;
  if (run.choice.how == train::How::moved)
    run.notices.push_back({"device.moved", "This run was on a graphics card, and there is none to be had here (" +
                                               run.choice.detail + "): it goes on on the processor."});
  train::Restored restored = train::restore_session(checkpoint, devices, run.choice.device, data);
  run.session = std::move(restored.session);
  return {std::move(run), restored.notice};
}

}  // namespace sg::bindings

#include "bindings/run.h"

#include <algorithm>
#include <utility>

#include "bindings/reply.h"
#include "train/task.h"

namespace sg::bindings {
namespace {

using nlohmann::json;

/// The chosen columns; names in the configuration are filled in where it left them open.
struct Columns {
  std::vector<size_t> features, targets;
};
Columns choose_columns(const Table& table, train::TrainConfig& config) {
  train::resolve_task(config, table);
  Columns columns;
  columns.targets.push_back(table.index_of(config.target));
  for (const std::string& name : config.features) columns.features.push_back(table.index_of(name));
  return columns;
}

TableChoice table_choice(const Table& table, const Columns& columns, const train::TrainConfig& config) {
  return choose_table(table, columns.features, columns.targets[0], config.task == train::Task::classification);
}

/// A checkpoint of a table has what its rows are encoded by.
void check_encoding(const train::TrainConfig& config, const train::Checkpoint* from) {
  if (from && config.is_table() != from->encoding.has_value())
    throw Error("checkpoint.corrupt", "the checkpoint's task and its encoding do not go together");
}

/// Of a table with its values.
std::unique_ptr<train::Supply> make_supply(const DataSet& data, train::TrainConfig& config,
                                           const train::Checkpoint* from) {
  const Table& table = data.table;
  const Columns columns = choose_columns(table, config);
  check_encoding(config, from);
  if (config.is_table()) {
    const TableChoice choice = table_columns(table, table_choice(table, columns, config));
    const TableConfig how = train::table_config(config);
    return std::make_unique<train::Resident>(from ? std::make_unique<const TableData>(choice, how, *from->encoding)
                                                  : std::make_unique<const TableData>(choice, how),
                                             config, data.file);
  }
  const Scaler* scaler = from ? &from->scaler : nullptr;
  const SeriesTable series = series_from_table(table, columns.features, columns.targets);
  const WindowConfig windows = train::window_config(config);
  return std::make_unique<train::Resident>(
      scaler ? ForecastData(series, windows, *scaler) : ForecastData(series, windows), config, data.file);
}

/// Of one without.
std::unique_ptr<Loading> make_loading(const train::Devices& devices, const DataSet& data, train::TrainConfig config,
                                      const train::Checkpoint* from, const std::optional<train::Bounds>& bounds) {
  const Columns columns = choose_columns(data.table, config);
  check_encoding(config, from);
  if (config.is_table()) {
    train::Opening opening(table_choice(data.table, columns, config), config, from ? from->encoding : std::nullopt,
                           data.source, bounds);
    return std::make_unique<Loading>(Loading{devices, std::move(config), std::move(opening), {}, {}, false});
  }
  train::Opening opening(choose_series(data.table, columns.features, columns.targets), config,
                         from ? std::optional(from->scaler) : std::nullopt, data.source, bounds);
  return std::make_unique<Loading>(Loading{devices, std::move(config), std::move(opening), {}, {}, false});
}

void measure_baselines(Run& run, const ForecastData& data, size_t season) {
  if (data.encoding()) return;  // those of a table are learnt, in the evaluation
  run.naive = naive_forecast(data);
  run.season = season;
  if (run.season > 0) run.seasonal = seasonal_naive_forecast(data, run.season);
}

/// The configuration's season, or the one that is found.
size_t season_of(const train::TrainConfig& config, const ForecastData& data) {
  if (data.encoding()) return 0;
  if (config.season > 0) return static_cast<size_t>(config.season);
  const auto found = propose_season(data);
  return found ? found->period : 0;
}

/// On the device that was chosen; from now on there is no race.
void begin(Run& run) {
  Waiting& waiting = *run.waiting;
  run.race.reset();  // it reads the data
  run.session =
      std::make_unique<train::Session>(waiting.devices, run.choice.device, std::move(waiting.supply), waiting.config);
  run.waiting.reset();
}

/// Its device is chosen, or raced for once the first steps' rows are there.
void start(Run& run) {
  Waiting& waiting = *run.waiting;
  const auto chosen = train::choose_without_race(waiting.devices, waiting.config);
  if (chosen) {
    run.choice = *chosen;
    return begin(run);
  }
  waiting.supply->enter(0, 0);
  if (!waiting.supply->need())
    run.race = std::make_unique<train::Race>(waiting.devices, *waiting.supply, waiting.config);
}

/// Where the checkpoint stood.
void resume(Run& run, const train::Devices& devices, std::unique_ptr<train::Supply> supply,
            const train::Checkpoint& checkpoint, bool device_asked) {
  run.choice = device_asked ? *train::choose_without_race(devices, checkpoint.config)
                            : train::choose_for_resume(devices, checkpoint.config, checkpoint.choice);
  if (!device_asked) run.origin = checkpoint.choice;
  if (run.choice.how == train::How::moved)
    run.notices.push_back({"device.moved", "This run was on a graphics card, and there is none to be had here (" +
                                               run.choice.detail + "): it goes on on the processor."});
  train::Restored restored = train::restore_session(checkpoint, devices, run.choice.device, std::move(supply));
  run.session = std::move(restored.session);
  run.notice = restored.notice;
}

/// All is read that must be before it begins.
void begin_loaded(Run& run) {
  const std::unique_ptr<Loading> loading = std::move(run.loading);
  for (train::Notice& notice : loading->opening.take_notices()) run.notices.push_back(std::move(notice));
  std::unique_ptr<train::Supply> supply = loading->opening.take();
  measure_baselines(run, supply->validation(), loading->opening.season());
  if (loading->checkpoint) {
    loading->checkpoint->config.effort = loading->config.effort;  // may have changed meanwhile
    return resume(run, loading->devices, std::move(supply), *loading->checkpoint, loading->device_asked);
  }
  run.waiting = std::make_unique<Waiting>(Waiting{loading->devices, std::move(supply), std::move(loading->config)});
  start(run);
}

}  // namespace

Run& find_run(int handle) { return find(runs, handle, "session"); }

Run& find_session(int handle) {
  Run& run = find_run(handle);
  if (run.failed) throw *run.failed;
  if (!run.session && !run.race) throw Error("session.loading", "the run's rows are still to be fed: sg_session_needs");
  if (!run.session) throw Error("session.racing", "the race for a device is not over: call sg_session_race first");
  return run;
}

std::optional<RowFeed::Need> need(const Run& run) {
  if (run.failed) throw *run.failed;
  if (run.loading) return run.loading->opening.need();
  if (run.waiting && !run.race) return run.waiting->supply->need();
  return run.session ? run.session->need() : std::nullopt;
}

bool fed(Run& run) {
  if (run.session) return run.session->fed(), false;
  try {
    if (run.loading) {
      run.loading->opening.fed();
      if (run.loading->opening.ready()) begin_loaded(run);
    } else if (run.waiting && !run.race) {
      run.waiting->supply->fed();
      if (!run.waiting->supply->need()) start(run);
    } else {
      throw Error("rows.not_asked", "no rows are wanted");
    }
  } catch (const Error& e) {
    if (e.code() != "rows.not_asked") run.failed = e;
    throw;
  }
  return run.race || run.session;
}

json needs_json(const Run& run) {
  const auto wanted = need(run);
  if (!wanted) return nullptr;
  return needs_json(*wanted);
}

json needs_json(const RowFeed::Need& wanted) {
  return {{"first", wanted.first},
          {"rows", wanted.rows},
          {"columns", std::vector<size_t>(wanted.columns.begin(), wanted.columns.end())},
          {"pointer", reinterpret_cast<uintptr_t>(wanted.values)},
          {"done", wanted.done},
          {"total", wanted.total}};
}

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
          {"needs", needs_json(run)},
          {"preparing", preparing ? json{{"done", preparing->done}, {"total", preparing->total}} : json()},
          {"notices", notices}};
}

json session_json(Run& run) {
  if (run.race) return {{"racing", run.race->fraction()}, {"needs", nullptr}};
  if (!run.session) return {{"racing", nullptr}, {"needs", needs_json(run)}};
  const train::Session& s = *run.session;
  const train::Supply& supply = s.supply();
  return {{"racing", nullptr},
          {"needs", needs_json(run)},
          {"config", s.config().to_json()},
          {"device", s.device().name()},
          {"choice", choice(run).to_json()},
          {"parameters", s.parameter_count()},
          {"stepsPerEpoch", s.steps_per_epoch()},
          {"trainWindows", supply.windows()},
          {"validationWindows", supply.validation().windows().validation.size()},
          {"skippedWindows", supply.skipped()},
          {"season", run.season},
          {"state", state_json(run)}};
}

json metrics_json(const Metrics& m) { return {{"mse", m.mse}, {"mae", m.mae}, {"rmse", m.rmse}}; }

json baselines_json(const Run& run) {
  if (run.session->data().encoding()) return nullptr;
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

Run start_run(const train::Devices& devices, const DataSet& data, train::TrainConfig config,
              const std::optional<train::Bounds>& bounds) {
  Run run;
  run.dataset_name = data.name;
  if (!data.source.is_null()) {
    run.loading = make_loading(devices, data, std::move(config), nullptr, bounds);
    return run;
  }
  std::unique_ptr<train::Supply> supply = make_supply(data, config, nullptr);
  measure_baselines(run, supply->validation(), season_of(config, supply->training()));
  run.waiting = std::make_unique<Waiting>(Waiting{devices, std::move(supply), std::move(config)});
  start(run);
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

Run resume_run(const train::Devices& devices, const DataSet& data, train::Checkpoint checkpoint, const json& patch,
               const std::optional<train::Bounds>& bounds) {
  const json training = patch.value("training", json::object());
  json changed = checkpoint.config.to_json();
  changed.merge_patch(patch);
  if (training.contains("epochs")) checkpoint.state.renew_patience();
  checkpoint.config = train::TrainConfig::from_json(changed);
  const bool device_asked = training.contains("device") && checkpoint.config.device != "auto";
  Run run;
  run.dataset_name = data.name;
  if (!data.source.is_null()) {
    run.loading = make_loading(devices, data, checkpoint.config, &checkpoint, bounds);
    checkpoint.config = run.loading->config;
    run.loading->checkpoint = std::move(checkpoint);
    run.loading->device_asked = device_asked;
    return run;
  }
  std::unique_ptr<train::Supply> supply = make_supply(data, checkpoint.config, &checkpoint);
  measure_baselines(run, supply->validation(), season_of(checkpoint.config, supply->training()));
  resume(run, devices, std::move(supply), checkpoint, device_asked);
  return run;
}

}  // namespace sg::bindings

// See exports.h. Each function is one call of `reply`, which turns what is returned into JSON and what is thrown into
// an error reply.
#include "bindings/exports.h"

#include <cstdlib>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "bindings/devices.h"
#include "cpu/pool.h"
#include "io/csv_json.h"
#include "models/json.h"
#include "train/checkpoint.h"
#include "train/race.h"
#include "train/session.h"

#ifdef __EMSCRIPTEN__
#include <emscripten/emscripten.h>
#define SG_EXPORT extern "C" EMSCRIPTEN_KEEPALIVE
#else
#define SG_EXPORT extern "C"
#endif

namespace sg {
namespace {

using nlohmann::json;

struct Dataset {
  CsvReader reader;
  std::string name;
  std::unique_ptr<CsvTable> table;  // once finished
};

struct Run {
  std::unique_ptr<train::Session> session;
  std::string dataset_name, device_reason, history;
  BaselineResult naive, seasonal;
  size_t season = 0;
};

std::map<int, Dataset> datasets;
std::map<int, Run> runs;
int next_handle = 1;
std::string last_reply;
std::vector<uint8_t> last_checkpoint;

template <class F>
const char* reply(F&& work) {
  const json no_memory{
      {"ok", false},
      {"code", "memory.exhausted"},
      {"message", "the memory of this tab is used up: choose a smaller model, a smaller batch or fewer columns"}};
  json out;
  try {
    out = work();
    out["ok"] = true;
  } catch (const Error& e) {
    out = {{"ok", false}, {"code", e.code()}, {"message", e.what()}};
  } catch (const std::bad_alloc&) {
    out = no_memory;
  } catch (const std::length_error&) {  // more than any vector may hold
    out = no_memory;
  } catch (const std::exception& e) {
    out = {{"ok", false}, {"code", "internal"}, {"message", e.what()}};
  }
  last_reply = out.dump(-1, ' ', false, json::error_handler_t::replace);
  return last_reply.c_str();
}

json parse(const char* text) {
  json j = json::parse(text, nullptr, false);
  if (!j.is_object()) throw Error("config.bad_json", "the argument is not a JSON object");
  return j;
}

template <class T>
T& find(std::map<int, T>& all, int handle, const char* what) {
  const auto found = all.find(handle);
  if (found == all.end())
    throw Error("handle.unknown", std::string("there is no open ") + what + " " + std::to_string(handle));
  return found->second;
}

const CsvTable& finished_table(Dataset& dataset) {
  if (!dataset.table) throw Error("dataset.unfinished", "the data set is still being read");
  return *dataset.table;
}

/// The scaled windows of a run; names in the configuration are filled in where it left them open.
ForecastData make_data(const CsvTable& table, train::TrainConfig& config, const Scaler* scaler) {
  if (config.target.empty()) throw Error("config.bad_field", "data.target is empty: choose the column to predict");
  const size_t target = table.index_of(config.target);
  if (config.features.empty())
    for (const CsvColumn& c : table.columns)
      if (c.type == ColumnType::number) config.features.push_back(c.name);
  std::vector<size_t> features;
  for (const std::string& name : config.features) features.push_back(table.index_of(name));
  const SeriesTable series = series_from_csv(table, features, {target});
  const WindowConfig windows{static_cast<size_t>(config.look_back), static_cast<size_t>(config.horizon),
                             config.validation_fraction};
  return scaler ? ForecastData(series, windows, *scaler) : ForecastData(series, windows);
}

void measure_baselines(Run& run, train::TrainConfig& config, const ForecastData& data) {
  run.naive = naive_forecast(data);
  run.season = static_cast<size_t>(config.season);
  if (run.season == 0)
    if (const auto found = propose_season(data)) run.season = found->period;
  if (run.season > 0) run.seasonal = seasonal_naive_forecast(data, run.season);
}

json state_json(Run& run) {
  train::Session& s = *run.session;
  const auto loss = s.train_loss();
  const auto norm = s.gradient_norm();
  const train::State& at = s.state();
  json recent = json::array();
  for (const auto& [step, value] : s.take_recent()) recent.push_back({step, value});
  json notices = json::array();
  for (const train::Notice& notice : s.take_notices())
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
          {"notices", notices}};
}

json session_json(int handle, Run& run) {
  const train::Session& s = *run.session;
  const WindowSplit& w = s.data().windows();
  return {{"session", handle},
          {"config", s.config().to_json()},
          {"device", s.device().name()},
          {"deviceReason", run.device_reason},
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

int keep(Run run) {
  const int handle = next_handle++;
  runs.emplace(handle, std::move(run));
  return handle;
}

}  // namespace
}  // namespace sg

using namespace sg;

SG_EXPORT void* sg_alloc(uint32_t bytes) { return std::aligned_alloc(16, (static_cast<size_t>(bytes) + 15) / 16 * 16); }
SG_EXPORT void sg_free(void* pointer) { std::free(pointer); }

SG_EXPORT int sg_set_threads(int count) { return cpu::set_threads(count); }

SG_EXPORT const char* sg_describe() {
  return reply([] {
    json models = json::array();
    for (const models::ModelInfo* model : models::all()) models.push_back(models::describe(*model));
    const train::Gpu gpu = bindings::devices().gpu();
    return json{{"version", SG_VERSION},
                {"models", models},
                {"settings", train::TrainConfig::describe()},
                {"webgl", gpu.available ? json{{"renderer", gpu.renderer}, {"software", gpu.software}} : json()}};
  });
}

SG_EXPORT const char* sg_dataset_open(const char* text) {
  return reply([&] {
    json j = parse(text);
    const std::string name = j.value("name", std::string());
    j.erase("name");
    CsvOptions options = csv_options_from_json(j);
    options.name = name;
    const int handle = next_handle++;
    datasets.emplace(handle, Dataset{CsvReader(options), name, nullptr});
    return json{{"dataset", handle}};
  });
}

SG_EXPORT const char* sg_dataset_feed(int dataset, const uint8_t* bytes, uint32_t length) {
  return reply([&] {
    Dataset& d = find(datasets, dataset, "data set");
    d.reader.feed({bytes, length});
    return json{{"rows", d.reader.rows()}};
  });
}

SG_EXPORT const char* sg_dataset_finish(int dataset) {
  return reply([&] {
    Dataset& d = find(datasets, dataset, "data set");
    d.table = std::make_unique<CsvTable>(d.reader.finish());
    return json{{"description", describe(*d.table)}};
  });
}

SG_EXPORT const char* sg_dataset_close(int dataset) {
  return reply([&] { return json{{"closed", datasets.erase(dataset)}}; });
}

SG_EXPORT const char* sg_session_create(int dataset, const char* text) {
  return reply([&] {
    Dataset& d = find(datasets, dataset, "data set");
    train::TrainConfig config = train::TrainConfig::from_json(parse(text));
    const ForecastData data = make_data(finished_table(d), config, nullptr);
    const train::Choice choice = train::choose_device(bindings::devices(), config, data);
    Run run;
    measure_baselines(run, config, data);
    run.dataset_name = d.name;
    run.device_reason = choice.reason;
    run.session = std::make_unique<train::Session>(bindings::devices(), choice.device, data, config);
    const int handle = keep(std::move(run));
    return session_json(handle, runs.at(handle));
  });
}

SG_EXPORT const char* sg_session_restore(int dataset, const uint8_t* bytes, uint32_t length, const char* text) {
  return reply([&] {
    Dataset& d = find(datasets, dataset, "data set");
    train::Checkpoint checkpoint = train::read_checkpoint({bytes, length});
    json changed = checkpoint.config.to_json();
    const json patch = parse(text);
    changed.merge_patch(patch);
    if (patch.value("training", json::object()).contains("epochs")) checkpoint.state.renew_patience();
    checkpoint.config = train::TrainConfig::from_json(changed);
    const ForecastData data = make_data(finished_table(d), checkpoint.config, &checkpoint.scaler);
    const train::Choice choice = train::choose_device(bindings::devices(), checkpoint.config, data);
    Run run;
    measure_baselines(run, checkpoint.config, data);
    run.dataset_name = d.name;
    run.device_reason = choice.reason;
    train::Restored restored = train::restore_session(checkpoint, bindings::devices(), choice.device, data);
    run.session = std::move(restored.session);
    const int handle = keep(std::move(run));
    json out = session_json(handle, runs.at(handle));
    out["notice"] = restored.notice.empty() ? json() : json(restored.notice);
    out["history"] = checkpoint.history;
    return out;
  });
}

SG_EXPORT const char* sg_session_step(int session, int max_steps) {
  return reply([&] {
    Run& run = find(runs, session, "session");
    run.session->step(max_steps);
    return state_json(run);
  });
}

SG_EXPORT const char* sg_session_next_epoch(int session) {
  return reply([&] {
    Run& run = find(runs, session, "session");
    run.session->next_epoch();
    return state_json(run);
  });
}

SG_EXPORT const char* sg_session_validate(int session) {
  return reply([&] {
    Run& run = find(runs, session, "session");
    train::Session& s = *run.session;
    if (!s.validate(256)) return json{{"done", false}, {"fraction", s.validation_fraction()}};
    const train::Validation& v = s.validation();
    return json{{"done", true},
                {"fraction", 1},
                {"loss", v.loss},
                {"scaled", metrics_json(v.scaled)},
                {"mae", v.data.mae},
                {"rmse", v.data.rmse},
                {"baselines", baselines_json(run)}};
  });
}

SG_EXPORT const char* sg_session_predict(int session, int first, int count) {
  return reply([&] {
    Run& run = find(runs, session, "session");
    if (first < 0 || count < 1 || count > 4096) throw Error("predict.bad_range", "ask for 1 to 4096 windows from 0 on");
    const train::Forecasts f = run.session->predict(static_cast<size_t>(first), static_cast<size_t>(count));
    const auto h = static_cast<std::ptrdiff_t>(run.session->config().horizon);
    json truth = json::array(), forecast = json::array();
    for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(f.rows.size()); ++i) {
      truth.push_back(std::vector<float>(f.truth.begin() + i * h, f.truth.begin() + (i + 1) * h));
      forecast.push_back(std::vector<float>(f.forecast.begin() + i * h, f.forecast.begin() + (i + 1) * h));
    }
    return json{
        {"first", first},      {"count", f.rows.size()}, {"total", run.session->data().windows().validation.size()},
        {"horizon", h},        {"rows", f.rows},         {"truth", truth},
        {"forecast", forecast}};
  });
}

SG_EXPORT const char* sg_session_checkpoint(int session, const char* text) {
  return reply([&] {
    Run& run = find(runs, session, "session");
    const json j = parse(text);
    last_checkpoint =
        train::save_checkpoint(*run.session, run.dataset_name, j.contains("history") ? j["history"].dump() : "null");
    return json{{"pointer", reinterpret_cast<uintptr_t>(last_checkpoint.data())}, {"length", last_checkpoint.size()}};
  });
}

SG_EXPORT const char* sg_session_counters(int session) {
  return reply([&] {
    const Device& device = find(runs, session, "session").session->device();
    const Counters& c = device.counters();
    return json{{"device", device.name()},
                {"kernels", c.kernels},
                {"draws", c.draws},
                {"allocations", c.allocations},
                {"liveBuffers", c.live_buffers},
                {"liveBytes", c.live_bytes},
                {"threads", cpu::threads()},
                {"fused", cpu::has_fused_multiply_add()}};
  });
}

SG_EXPORT const char* sg_session_close(int session) {
  return reply([&] { return json{{"closed", runs.erase(session)}}; });
}

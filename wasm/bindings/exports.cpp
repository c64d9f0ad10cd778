// See exports.h. Each function is one call of `reply`, which turns what is returned into JSON and what is thrown into
// an error reply.
#include "bindings/exports.h"

#include <cstdlib>
#include <span>
#include <vector>

#include "bindings/devices.h"
#include "bindings/reply.h"
#include "bindings/run.h"
#include "cpu/pool.h"
#include "io/fields.h"
#include "io/formats.h"
#include "io/table_json.h"
#include "models/json.h"
#include "train/checkpoint.h"

#ifdef __EMSCRIPTEN__
#include <emscripten/emscripten.h>
#define SG_EXPORT extern "C" EMSCRIPTEN_KEEPALIVE
#else
#define SG_EXPORT extern "C"
#endif

namespace sg {
namespace {

using namespace bindings;

std::vector<uint8_t> last_checkpoint;

/// What checkpoints say of the file that a data set was read from, exactly as they say it of one with a manifest.
json source_of(const json& told) {
  JsonFields f(told, "dataset.bad_source", "source");
  json source{{"size", f.whole("size")}, {"head", f.text("head")}, {"tail", f.text("tail")}};
  for (const char* name : {"head", "tail"})
    if (!digest_from_hex(f.text(name))) f.refuse(name, "must be a SHA-256 of 64 lower-case hex digits");
  f.finish();
  return source;
}

bindings::DataSet finished(const Dataset& dataset) {
  if (!dataset.table) throw Error("dataset.unfinished", "the data set is still being read");
  json source;
  if (dataset.manifest)
    source = {{"size", dataset.manifest->source.size},
              {"head", to_hex(dataset.manifest->source.head)},
              {"tail", to_hex(dataset.manifest->source.tail)}};
  return {*dataset.table, dataset.name, source, dataset.file};
}

/// One that takes bytes.
Dataset& find_read(int handle) {
  Dataset& d = find(datasets, handle, "data set");
  if (!d.reader) throw Error("dataset.attached", "the data set was attached, and takes no bytes");
  return d;
}

/// A run gets its handle once it has begun well.
json keep(bindings::Run run) {
  const int handle = next_handle++;
  bindings::Run& kept = runs.emplace(handle, std::move(run)).first->second;
  json out = session_json(kept);
  out["session"] = handle;
  return out;
}

/// What a run that waits for rows replies to what needs them; null: it does not wait.
json waiting(const bindings::Run& run) {
  const json needs = needs_json(run);
  return needs.is_null() ? json() : json{{"needs", needs}};
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
                {"webgl", gpu.available ? json{{"renderer", gpu.renderer}, {"software", gpu.software}} : json()},
                {"webglReason", gpu.reason}};
  });
}

SG_EXPORT const char* sg_dataset_open(const char* text) {
  return reply([&] {
    json j = parse(text);
    const std::string name = j.value("name", std::string());
    j.erase("name");
    json file;
    if (const auto told = j.find("source"); told != j.end()) {
      file = source_of(*told);
      j.erase(told);
    }
    const int handle = next_handle++;
    datasets.emplace(handle, Dataset{open_detecting(j, name, {}), name, nullptr, std::nullopt, std::move(file)});
    return json{{"dataset", handle}};
  });
}

SG_EXPORT const char* sg_dataset_feed(int dataset, const uint8_t* bytes, uint32_t length) {
  return reply([&] {
    Dataset& d = find_read(dataset);
    d.reader->feed({bytes, length});
    return json{{"rows", d.reader->rows()}};
  });
}

SG_EXPORT const char* sg_dataset_finish(int dataset) {
  return reply([&] {
    Dataset& d = find_read(dataset);
    d.table = std::make_unique<Table>(d.reader->finish());
    return json{{"description", describe(*d.table, {.columns = d.table->columns.size()})}};
  });
}

SG_EXPORT const char* sg_dataset_close(int dataset) {
  return reply([&] { return json{{"closed", datasets.erase(dataset)}}; });
}

SG_EXPORT const char* sg_session_create(int dataset, const char* text) {
  return reply([&] {
    Dataset& d = find(datasets, dataset, "data set");
    return keep(bindings::start_run(bindings::devices(), finished(d), train::TrainConfig::from_json(parse(text))));
  });
}

SG_EXPORT const char* sg_session_race(int session) {
  return reply([&] {
    bindings::Run& run = find_run(session);
    bindings::race(run);
    json out = session_json(run);
    out["session"] = session;
    return out;
  });
}

SG_EXPORT const char* sg_session_restore(int dataset, const uint8_t* bytes, uint32_t length, const char* text) {
  return reply([&] {
    Dataset& d = find(datasets, dataset, "data set");
    const bindings::DataSet data = finished(d);
    std::vector<uint8_t> kept;  // as long as the run waits for its rows
    if (!data.source.is_null()) kept.assign(bytes, bytes + length);
    train::Checkpoint checkpoint =
        train::read_checkpoint(!kept.empty() ? std::span<const uint8_t>(kept) : std::span(bytes, length));
    const json history = checkpoint.history;
    bindings::Run run = bindings::resume_run(bindings::devices(), data, std::move(checkpoint), parse(text));
    const std::string notice = run.notice;
    if (run.loading) run.loading->bytes = std::move(kept);
    json out = keep(std::move(run));
    out["notice"] = notice.empty() ? json() : json(notice);
    out["history"] = history;
    return out;
  });
}

SG_EXPORT const char* sg_session_needs(int session) {
  return reply([&] { return json{{"needs", needs_json(find_run(session))}}; });
}

SG_EXPORT const char* sg_session_fed(int session) {
  return reply([&] {
    bindings::Run& run = find_run(session);
    if (!bindings::fed(run)) return json{{"needs", needs_json(run)}};
    json out = session_json(run);
    out["session"] = session;
    out["notice"] = run.notice.empty() ? json() : json(run.notice);
    return out;
  });
}

SG_EXPORT const char* sg_session_step(int session, int max_steps) {
  return reply([&] {
    if (const bindings::Run& run = find_run(session); run.loading || run.waiting)
      if (json needs = waiting(run); !needs.is_null()) return needs;
    bindings::Run& run = find_session(session);
    bindings::step(run, max_steps);
    return state_json(run);
  });
}

SG_EXPORT const char* sg_session_set_effort(int session, const char* name) {
  return reply([&] {
    bindings::Run& waits = find_run(session);
    if (json needs = waiting(waits); !waits.session && !needs.is_null()) {
      (waits.loading ? waits.loading->config : waits.waiting->config).effort = train::TrainConfig::effort_named(name);
      return needs;
    }
    bindings::Run& run = find_session(session);
    run.session->set_effort(train::TrainConfig::effort_named(name));
    return state_json(run);
  });
}

SG_EXPORT const char* sg_session_next_epoch(int session) {
  return reply([&] {
    bindings::Run& run = find_session(session);
    run.session->next_epoch();
    return state_json(run);
  });
}

SG_EXPORT const char* sg_session_validate(int session) {
  return reply([&] {
    if (json needs = waiting(find_run(session)); !needs.is_null()) return needs;
    bindings::Run& run = find_session(session);
    train::Session& s = *run.session;
    if (!s.validate(256)) return json{{"done", false}, {"fraction", s.validation_fraction()}};
    const train::Validation& v = s.validation();
    return json{{"done", true},
                {"fraction", 1},
                {"loss", v.loss},
                {"scaled", bindings::metrics_json(v.scaled)},
                {"mae", v.classes ? json() : json(v.data.mae)},
                {"rmse", v.classes ? json() : json(v.data.rmse)},
                {"r2", v.classes ? json() : json(v.data.r2)},
                {"classes", v.classes ? json{{"accuracy", v.classes->accuracy},
                                             {"macroF1", v.classes->macro_f1},
                                             {"logLoss", v.classes->log_loss}}
                                      : json()},
                {"baselines", bindings::baselines_json(run)}};
  });
}

SG_EXPORT const char* sg_session_predict(int session, int first, int count) {
  return reply([&] {
    if (json needs = waiting(find_run(session)); !needs.is_null()) return needs;
    bindings::Run& run = find_session(session);
    if (first < 0 || count < 1 || count > 4096) throw Error("predict.bad_range", "ask for 1 to 4096 windows from 0 on");
    const train::Forecasts f = run.session->predict(static_cast<size_t>(first), static_cast<size_t>(count));
    const auto h = static_cast<std::ptrdiff_t>(run.session->config().horizon);
    const auto wide = static_cast<std::ptrdiff_t>(f.forecast.size() / f.rows.size());  // of classes: all probabilities
    json truth = json::array(), forecast = json::array();
    for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(f.rows.size()); ++i) {
      truth.push_back(std::vector<float>(f.truth.begin() + i * h, f.truth.begin() + (i + 1) * h));
      forecast.push_back(std::vector<float>(f.forecast.begin() + i * wide, f.forecast.begin() + (i + 1) * wide));
    }
    return json{{"first", first},
                {"count", f.rows.size()},
                {"total", run.session->supply().validation().windows().validation.size()},
                {"horizon", h},
                {"rows", f.rows},
                {"truth", truth},
                {"forecast", forecast}};
  });
}

SG_EXPORT const char* sg_session_checkpoint(int session, const char* text) {
  return reply([&] {
    bindings::Run& run = find_session(session);
    const json j = parse(text);
    last_checkpoint =
        train::save_checkpoint(*run.session, run.dataset_name, j.contains("history") ? j["history"].dump() : "null",
                               bindings::stored_choice(run));
    return json{{"pointer", reinterpret_cast<uintptr_t>(last_checkpoint.data())}, {"length", last_checkpoint.size()}};
  });
}

SG_EXPORT const char* sg_session_counters(int session) {
  return reply([&] {
    const train::Session& run = *find_session(session).session;
    const Device& device = run.device();
    const Counters& c = device.counters();
    return json{
        {"device", device.name()},           {"kernels", c.kernels},          {"draws", c.draws},
        {"allocations", c.allocations},      {"liveBuffers", c.live_buffers}, {"liveBytes", c.live_bytes},
        {"dataBytes", run.supply().bytes()}, {"threads", cpu::threads()},     {"fused", cpu::has_fused_multiply_add()}};
  });
}

SG_EXPORT const char* sg_session_close(int session) {
  return reply([&] { return json{{"closed", runs.erase(session)}}; });
}

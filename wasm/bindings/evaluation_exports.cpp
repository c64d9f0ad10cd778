// See evaluation_exports.h. Each function is one call of `reply`, as in exports.cpp.
#include "bindings/evaluation_exports.h"

#include "bindings/reply.h"
#include "bindings/run.h"
#include "train/prediction.h"

#ifdef __EMSCRIPTEN__
#include <emscripten/emscripten.h>
#define SG_EXPORT extern "C" EMSCRIPTEN_KEEPALIVE
#else
#define SG_EXPORT extern "C"
#endif

namespace sg::bindings {
namespace {

struct Predicting {
  int session;
  int dataset;
  train::Prediction prediction;
};

std::map<int, std::unique_ptr<Predicting>> predictions;

/// Throws handle.unknown where the run or the data set was closed meanwhile.
Predicting& find_prediction(int handle) {
  Predicting& p = *find(predictions, handle, "prediction");
  find_session(p.session);
  find(datasets, p.dataset, "data set");
  return p;
}

json reply_of(Predicting& p) {
  json unseen = json::array();
  for (const RowEncoder::Unseen& u : p.prediction.unseen())
    unseen.push_back({{"column", u.column}, {"example", u.example}, {"rows", u.rows}});
  const auto need = p.prediction.need();
  const bool attached = datasets.at(p.dataset).manifest.has_value();
  return {{"needs", need && attached ? needs_json(*need) : json()},
          {"text", p.prediction.take_text()},
          {"done", !need},
          {"rows", p.prediction.rows()},
          {"unseen", unseen}};
}

}  // namespace
}  // namespace sg::bindings

using namespace sg;
using namespace sg::bindings;

SG_EXPORT const char* sg_session_evaluate(int session) {
  return reply([&] {
    Run& run = find_session(session);
    if (json needs = needs_json(run); !needs.is_null()) return json{{"needs", needs}};
    if (!run.evaluation || run.evaluation->step() != run.session->state().step)
      run.evaluation =
          std::make_unique<train::Evaluation>(*run.session, run.naive, run.season > 0 ? &run.seasonal : nullptr);
    if (!run.evaluation->turn())
      return json{{"done", false}, {"fraction", run.evaluation->fraction()}, {"evaluation", nullptr}};
    const std::unique_ptr<train::Evaluation> done = std::move(run.evaluation);
    return json{{"done", true}, {"fraction", 1}, {"evaluation", done->to_json()}};
  });
}

SG_EXPORT const char* sg_prediction_open(int session, int dataset) {
  return reply([&] {
    Run& run = find_session(session);
    const Dataset& data = find(datasets, dataset, "data set");
    if (!data.table) throw Error("dataset.unfinished", "the data set is still being read");
    auto made =
        std::make_unique<Predicting>(Predicting{session, dataset, train::Prediction(*run.session, *data.table)});
    const int handle = next_handle++;
    predictions.emplace(handle, std::move(made));
    return json{{"prediction", handle}, {"rows", data.table->rows}};
  });
}

SG_EXPORT const char* sg_prediction_turn(int prediction) {
  return reply([&] {
    Predicting& p = find_prediction(prediction);
    const Dataset& data = datasets.at(p.dataset);
    if (!data.manifest) p.prediction.feed_from(*data.table);
    return reply_of(p);
  });
}

SG_EXPORT const char* sg_prediction_fed(int prediction) {
  return reply([&] {
    Predicting& p = find_prediction(prediction);
    p.prediction.fed();
    return reply_of(p);
  });
}

SG_EXPORT const char* sg_prediction_close(int prediction) {
  return reply([&] { return json{{"closed", predictions.erase(prediction)}}; });
}

// The messages about runs as a whole: what they are called, how large they are, and away with them.
#include <algorithm>

#include "io/csv_types.h"
#include "native_host/host.h"
#include "native_host/page.h"

namespace sg::host {
namespace {

/// Names and notes may come from a folder that somebody copied here: they are cut to what a message may set.
Json to_json(const StoredRun& run) {
  Json item{{"run", run.run},
            {"name", shorten(run.name, kRunNameBytes)},
            {"note", shorten(run.note, kRunNoteBytes)},
            {"size", run.size},
            {"checkpoints", run.checkpoints}};
  if (!run.reason.empty()) item["reason"] = shorten(run.reason, 1000);
  return item;
}

}  // namespace

void Host::list_runs(Id id, const StoreList& request) {
  in_store(
      [this, request](Store& store) {
        grants_.check_lock();
        const std::vector<StoredRun> all = store.runs();
        const auto after = [&](const StoredRun& run) { return !request.cursor || run.run > *request.cursor; };
        const auto first = std::find_if(all.begin(), all.end(), after) - all.begin();
        std::size_t next = 0;
        Json runs = page(all, static_cast<std::size_t>(first), request.limit, next,
                         [](const StoredRun& run) { return to_json(run); });
        const Json cursor = next < all.size() ? runs.back()["run"] : Json();
        return Json{{"runs", std::move(runs)}, {"cursor", cursor}};
      },
      reply_to(id));
}

void Host::describe_run(Id id, const RunDescribe& request) {
  in_store(
      [this, request](Store& store) {
        grants_.check_lock();
        store.describe(request.run, request.name, request.note);
        return Json{{"run", request.run}, {"name", request.name}, {"note", request.note}};
      },
      reply_to(id));
}

void Host::remove_run(Id id, const RunRemove& request) {
  in_store(
      [this, request](Store& store) {
        grants_.check_lock();
        return Json{{"run", request.run}, {"left", store.remove_run(request.run)}};
      },
      reply_to(id));
}

}  // namespace sg::host

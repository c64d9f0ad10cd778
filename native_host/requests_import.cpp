// What the host does for the messages of imported data sets: import a file, tell what there is, send columns of it.
#include <algorithm>
#include <chrono>

#include "native_host/host.h"
#include "native_host/import.h"
#include "native_host/page.h"
#include "native_host/shard_stream.h"

namespace sg::host {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kBetweenProgress = std::chrono::milliseconds(100);
constexpr std::size_t kManifestPiece = 400'000;  // bytes; in JSON each may become two

Json to_json(const ImportedSet& set) {
  Json item{{"dataset", set.id}, {"created", set.created}, {"ok", set.reason.empty()}};
  if (!set.reason.empty()) {
    item["reason"] = set.reason.substr(0, 1000);
    return item;
  }
  const Manifest& m = *set.manifest;
  item["name"] = m.source.name.substr(0, 4096);
  item["path"] = m.source.path.substr(0, 8192);
  item["size"] = m.source.size;
  item["mtime"] = m.source.mtime ? Json(*m.source.mtime) : Json();
  item["rows"] = m.rows;
  item["columns"] = m.columns.size();
  item["shards"] = m.shards.size();
  item["bytes"] = set.bytes();
  return item;
}

/// The last byte before `end` after which a character is whole.
std::size_t whole_characters(const std::string& text, std::size_t end) {
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return end;
}

}  // namespace

/// An import and what its reply will say beside what was made.
struct Host::Importing {
  std::shared_ptr<Datasets> datasets;
  std::unique_ptr<FileImport> import;
  bool changed = false;
  Clock::time_point told = Clock::now();
};

std::shared_ptr<Datasets> Host::datasets() {
  grants_.check_lock();
  const std::string folder = grants_.datasets();
  const std::lock_guard lock(datasets_mutex_);
  if (!datasets_ || datasets_->folder() != folder) datasets_ = std::make_shared<Datasets>(folder);
  return datasets_;
}

void Host::import(Id id, const DatasetReading& request) {
  if (importing_) throw Failure("import.busy", "Another import goes on: wait for its end, or cancel it.");
  importing_ = true;
  open_[id].cancellable = true;
  const auto importing = std::make_shared<Importing>();
  on_pool(
      [this, importing, request] {
        importing->datasets = datasets();
        importing->import = std::make_unique<FileImport>(grants_.open(request.path), request.path, request.options,
                                                         *importing->datasets);
        const auto existing = importing->import->existing(importing->changed);
        if (!existing) return Json();
        Json reply = to_json(*existing);
        reply["reused"] = true;
        reply["changed"] = false;
        return reply;
      },
      [this, id, importing](Json value, const std::exception_ptr& error) {
        if (error || !value.is_null()) return end_import(id, importing, std::move(value), error);
        import_slice(id, importing);
      });
}

void Host::import_slice(Id id, std::shared_ptr<Importing> importing) {
  if (open_[id].cancelled) return end_import(id, importing, nullptr, cancelled(id));
  on_pool(
      [importing] {
        FileImport& import = *importing->import;
        if (!import.step()) return Json{{"bytes", import.position()}, {"rows", import.rows()}};
        Json reply = to_json(importing->datasets->find(import.id()));
        reply["reused"] = false;
        reply["changed"] = importing->changed;
        return reply;
      },
      [this, id, importing](Json value, const std::exception_ptr& error) {
        if (error || value.contains("dataset")) return end_import(id, importing, std::move(value), error);
        if (Clock::now() - importing->told >= kBetweenProgress && !finishing_) {
          importing->told = Clock::now();
          value["id"] = id;
          value["type"] = "import.progress";
          value["size"] = importing->import->size();
          send(value);
        }
        import_slice(id, importing);
      });
}

/// What an import that failed has written is removed before it is answered, and not by the loop.
void Host::end_import(Id id, std::shared_ptr<Importing> importing, Json value, std::exception_ptr error) {
  on_pool(
      [importing] {
        importing->import.reset();
        return Json();
      },
      [this, id, value = std::move(value), error = std::move(error)](const Json&, const std::exception_ptr&) mutable {
        importing_ = false;
        if (error) return end(id, error);
        open_.erase(id);
        reply(id, std::move(value));
      });
}

void Host::imports(Id id, const DatasetImports& request) {
  on_pool(
      [this, request] {
        const auto sets = datasets();
        const std::vector<ImportedSet> all = sets->list();
        std::size_t first = 0, next = 0;
        if (request.cursor) {
          const auto last =
              std::find_if(all.begin(), all.end(), [&](const auto& s) { return s.id == *request.cursor; });
          if (last == all.end()) {
            throw Failure("message.invalid",
                          "The field 'cursor' is not one that this host gave, or that data set is gone.",
                          {{"field", "cursor"}});
          }
          first = static_cast<std::size_t>(last - all.begin()) + 1;
        }
        Json list = page(all, first, request.limit, next, [](const ImportedSet& s) { return to_json(s); });
        const Json cursor = next < all.size() ? Json(all[next - 1].id) : Json();
        return Json{{"imports", std::move(list)}, {"cursor", cursor}, {"folder", sets->folder()}};
      },
      reply_to(id, true));
}

void Host::manifest(Id id, const DatasetManifest& request) {
  on_pool(
      [this, request] {
        const auto sets = datasets();
        if (request.offset == 0) (void)sets->find(request.dataset);  // a damaged one is told before it is sent
        const std::string text = sets->manifest_text(request.dataset);
        const auto begin = std::min<std::uint64_t>(text.size(), static_cast<std::uint64_t>(request.offset));
        const std::size_t end = whole_characters(text, std::min<std::size_t>(text.size(), begin + kManifestPiece));
        return Json{{"dataset", request.dataset},
                    {"size", text.size()},
                    {"text", text.substr(begin, end - begin)},
                    {"next", end < text.size() ? Json(end) : Json()}};
      },
      reply_to(id, true));
}

void Host::forget(Id id, const DatasetForget& request) {
  on_pool(
      [this, request] {
        datasets()->forget(request.dataset);
        return Json{{"dataset", request.dataset}};
      },
      reply_to(id));
}

void Host::read_shard(Id id, const ShardRead& request) {
  check_streams();
  const auto opened = std::make_shared<std::shared_ptr<Stream>>();
  on_pool(
      [this, id, request, opened] {
        const auto sets = datasets();
        const ImportedSet set = sets->find(request.dataset);
        const auto& shards = set.manifest->shards;
        if (static_cast<std::uint64_t>(request.shard) >= shards.size()) {
          throw Failure("message.invalid",
                        "The field 'shard' must be below " + std::to_string(shards.size()) + ", the data set's shards.",
                        {{"field", "shard"}});
        }
        *opened = std::make_shared<ShardStream>(
            id, request, *set.manifest, sets->open_shard(set.id, shards[static_cast<std::size_t>(request.shard)]));
        return (*opened)->announcement();
      },
      flow(id, opened));
}

}  // namespace sg::host

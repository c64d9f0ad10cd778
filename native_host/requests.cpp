// What the host does for each message. A handler checks, starts its work on the pool or in the store's queue, and says
// what the reply is made of.
#include <sys/utsname.h>

#include <algorithm>
#include <cctype>

#include "io/formats.h"
#include "io/table_json.h"
#include "native_host/build.h"
#include "native_host/host.h"
#include "native_host/page.h"

namespace sg::host {
namespace {

constexpr std::size_t kMostStreams = 8;
constexpr std::size_t kEnoughQueued = 1 << 20;   // streams wait above this
constexpr std::int64_t kBatch = 8;               // frames a job
constexpr std::size_t kDescribeSlice = 1 << 20;  // bytes described a job

std::string system_name() {
  utsname name{};
  std::string text = uname(&name) == 0 ? name.sysname : "unknown";
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// A place in the list of checkpoints (newest first) as a cursor, and the first checkpoint after it.
std::string cursor_of(const Stored& stored) { return std::to_string(stored.mtime) + "/" + stored.name; }

std::size_t position_after(const std::vector<Stored>& all, const std::string& cursor) {
  const std::size_t slash = cursor.find('/');
  const bool sound =
      slash != std::string::npos && slash > 0 && slash < 18 && cursor.find_first_not_of("0123456789") == slash;
  if (!sound)
    throw Failure("message.invalid", "The field 'cursor' is not one that this host gave.", {{"field", "cursor"}});
  const std::int64_t mtime = std::stoll(cursor.substr(0, slash));
  const std::string name = cursor.substr(slash + 1);
  const auto after = [&](const Stored& s) { return s.mtime < mtime || (s.mtime == mtime && s.name > name); };
  return static_cast<std::size_t>(std::find_if(all.begin(), all.end(), after) - all.begin());
}

Json to_json(const Entry& entry) {
  return {
      {"path", entry.path}, {"kind", entry.folder ? "folder" : "file"}, {"size", entry.size}, {"mtime", entry.mtime}};
}

Json to_json(const Stored& stored) {
  constexpr std::size_t most_value = 2048, most_values = 32'768, most_omitted = 100;
  Json item{{"name", stored.name}, {"size", stored.size}, {"mtime", stored.mtime}, {"ok", stored.reason.empty()}};
  if (!stored.reason.empty()) {
    item["reason"] = stored.reason.substr(0, 1000);
    return item;
  }
  item["metadata"] = Json::object();
  item["omitted"] = Json::array();
  std::size_t bytes = 0;
  for (const auto& [key, value] : stored.metadata) {
    const std::size_t more = key.size() + value.size();
    if (key.size() <= 100 && value.size() <= most_value && bytes + more <= most_values) {
      item["metadata"][key] = value;
      bytes += more;
    } else if (item["omitted"].size() < most_omitted) {
      item["omitted"].push_back(key.substr(0, 100));
    }
  }
  return item;
}

}  // namespace

void Host::hello(Id id, const Hello& request) {
  const std::int64_t version = negotiate(request);
  greeted_ = true;
  on_pool(
      [this, version, frames = frames_sent_] {
        Json roots = Json::array();
        grants_.check_lock();
        for (const Root& root : grants_.roots())
          roots.push_back({{"name", root.name}, {"available", static_cast<bool>(grants_.find(root))}});
        return Json{{"protocol", version},
                    {"host", kVersion},
                    {"os", system_name()},
                    {"roots", roots},
                    {"checkpoints", grants_.checkpoints()},
                    {"frames", frames}};
      },
      reply_to(id));
}

void Host::list(Id id, const DatasetList& request) {
  on_pool(
      [this, request] {
        const Listing listing = grants_.list(request.path, request.recursive);
        const auto after = [&](const Entry& e) { return !request.cursor || e.path > *request.cursor; };
        const auto first =
            std::find_if(listing.entries.begin(), listing.entries.end(), after) - listing.entries.begin();
        std::size_t next = 0;
        Json entries = page(listing.entries, static_cast<std::size_t>(first), request.limit, next,
                            [](const Entry& e) { return to_json(e); });
        const bool more = next < listing.entries.size();
        const Json cursor = more ? entries.back()["path"] : Json();
        return Json{{"entries", std::move(entries)}, {"cursor", cursor}, {"truncated", listing.truncated}};
      },
      reply_to(id, true));
}

/// A file on its way through the reader of tables, a slice at a time, so that it can be cancelled in between.
struct Host::Description {
  OpenFile file;
  std::unique_ptr<TableReader> reader;
  std::uint64_t at = 0;
  std::string slice;

  Failure malformed(const Error& e) const {
    return Failure("dataset.malformed", "'" + file.path + "': " + e.what(),
                   {{"path", file.path}, {"cause", e.code()}, {"line", e.line()}, {"column", e.column()}});
  }

  void start(const Json& options) {
    translated<Error>(
        [&] { reader = open_detecting(options, file.path.substr(file.path.find_last_of('/') + 1), {.keep = false}); },
        [&](const Error& e) { return malformed(e); });
    slice.resize(kDescribeSlice);
  }

  /// Gives the reply at the end of the file, null before.
  Json advance() {
    const std::size_t n = file.read(slice.data(), slice.size(), at);
    at += n;
    file.check_unchanged(n > 0 || at == size_of(file.status));
    return translated<Error>([&] { return n > 0 ? feed(n) : result(); }, [&](const Error& e) { return malformed(e); });
  }

 private:
  Json feed(std::size_t n) {
    reader->feed({reinterpret_cast<const std::uint8_t*>(slice.data()), n});
    return nullptr;
  }

  Json result() {
    const Table table = reader->finish();
    for (const DescribeLimits& limits :
         {DescribeLimits{}, DescribeLimits{200, 20, 64 * 1024}, DescribeLimits{50, 5, 16 * 1024}}) {
      Json description = sg::describe(table, limits);
      if (description.dump(-1, ' ', false, Json::error_handler_t::replace).size() > kPageBytes) continue;
      return Json{{"path", file.path},
                  {"size", size_of(file.status)},
                  {"mtime", mtime_of(file.status)},
                  {"description", std::move(description)}};
    }
    throw Error("table.too_wide", "its column names alone are larger than a message may be.", 1);
  }
};

void Host::describe(Id id, const DatasetReading& request) {
  open_[id].cancellable = true;
  const auto description = std::make_shared<Description>();
  on_pool(
      [this, description, request] {
        description->file = grants_.open(request.path);
        description->start(request.options);
        return Json();
      },
      [this, id, description](const Json&, const std::exception_ptr& error) {
        if (error) return end(id, error);
        describe_slice(id, description);
      });
}

void Host::describe_slice(Id id, std::shared_ptr<Description> description) {
  if (open_[id].cancelled) return end(id, cancelled(id));
  on_pool([description] { return description->advance(); },
          [this, id, description](Json value, const std::exception_ptr& error) {
            if (!error && value.is_null()) return describe_slice(id, description);
            reply_to(id, true)(std::move(value), error);
          });
}

void Host::check_streams() const {
  const auto streams = std::count_if(open_.begin(), open_.end(), [](const auto& open) { return open.second.streams; });
  if (static_cast<std::size_t>(streams) >= kMostStreams) {
    throw Failure("request.busy",
                  std::to_string(kMostStreams) + " streams are open: wait for one to end, or cancel it.");
  }
}

void Host::read(Id id, const DatasetRead& request) {
  check_streams();
  const auto opened = std::make_shared<std::shared_ptr<Stream>>();
  on_pool(
      [this, id, request, opened] {
        *opened = std::make_shared<FileStream>(id, "dataset", grants_.open(request.path), request.offset,
                                               request.length, request.credits);
        return (*opened)->announcement();
      },
      flow(id, opened));
}

void Host::read_checkpoint(Id id, const CheckpointRead& request) {
  check_streams();
  const auto opened = std::make_shared<std::shared_ptr<Stream>>();
  in_store(
      [this, id, request, opened](Store& store) {
        grants_.check_lock();
        *opened =
            std::make_shared<FileStream>(id, "checkpoint", store.open(request.name), 0, kLargestWhole, request.credits);
        Json announcement = (*opened)->announcement();
        announcement["name"] = request.name;
        return announcement;
      },
      flow(id, opened));
}

Host::Done Host::flow(Id id, std::shared_ptr<std::shared_ptr<Stream>> opened) {
  open_[id].streams = open_[id].cancellable = true;
  return [this, id, opened](Json announcement, const std::exception_ptr& error) {
    if (error) return end(id, error);
    if (open_[id].cancelled) return end(id, cancelled(id));
    open_[id].stream = *opened;
    reply(id, std::move(announcement));
    pump(*opened);
  };
}

void Host::pump(const std::shared_ptr<Stream>& stream) {
  const Id id = stream->id();
  const auto open = open_.find(id);
  if (open == open_.end() || open->second.stream != stream || stream->busy || finishing_) return;
  if (open->second.cancelled) return end(id, cancelled(id));
  if (stream->finished()) {
    open_.erase(id);
    return send_text(stream->end_frame());
  }
  if (pipe_->queued() > kEnoughQueued) return;
  const std::int64_t count = stream->spend(kBatch);
  if (count == 0) return;
  stream->busy = true;
  const auto frames = std::make_shared<std::vector<std::string>>();
  on_pool(
      [stream, count, frames] {
        *frames = stream->read(count);
        return Json();
      },
      [this, id, stream, frames](const Json&, const std::exception_ptr& error) {
        stream->busy = false;
        const auto open = open_.find(id);
        if (open == open_.end() || open->second.stream != stream) return finish_if_idle();
        if (error) return end(id, error);
        if (open->second.cancelled) return end(id, cancelled(id));
        for (const std::string& frame : *frames) send_text(frame);
        frames_sent_ += static_cast<std::int64_t>(frames->size());
        pump(stream);
      });
}

void Host::credit(Id id, const FlowCredit& request) {
  const auto open = open_.find(id);
  // Credit for a stream that has just ended, or is being opened, crosses its end on the way: no mistake of the sender.
  if (open == open_.end() || !open->second.stream) return;
  const auto stream = open->second.stream;
  stream->credit(request.frames);
  pump(stream);
}

void Host::cancel(Id id, const RequestCancel& request) {
  const auto open = open_.find(request.target);
  const bool possible = open != open_.end() && open->second.cancellable;
  reply(id, {{"cancelled", possible}});
  if (!possible) return;
  open->second.cancelled = true;
  const Open now = open->second;  // by value: what is done here may take the request out
  if (now.at_cancel) now.at_cancel();
  if (now.stream) pump(now.stream);
}

void Host::begin(Id id, const CheckpointBegin& request) {
  in_store(
      [this, request](Store& store) {
        grants_.check_lock();
        return Json{{"handle", store.begin(request.name, static_cast<std::uint64_t>(request.size))},
                    {"window", kWindow}};
      },
      reply_to(id));
}

void Host::write(Id id, const CheckpointWrite& request) {
  const std::int64_t handle = request.handle;
  if (unanswered_writes_[handle] >= kWindow) {
    in_store(
        [handle](Store& store) {
          store.abort(handle);
          return Json();
        },
        [](const Json&, const std::exception_ptr&) {});
    throw Failure("flow.exceeded",
                  "More than " + std::to_string(kWindow) + " writes of a save are unanswered: the save ends.");
  }
  ++unanswered_writes_[handle];
  in_store(
      [request](Store& store) {
        return Json{{"handle", request.handle},
                    {"received", store.write(request.handle, request.sequence, request.bytes)}};
      },
      [this, handle, done = reply_to(id)](Json value, std::exception_ptr error) {
        if (--unanswered_writes_[handle] == 0) unanswered_writes_.erase(handle);
        done(std::move(value), error);
      });
}

void Host::commit(Id id, const CheckpointEnd& request) {
  in_store(
      [request](Store& store) {
        const Stored stored = store.commit(request.handle);
        return Json{{"name", stored.name}, {"size", stored.size}, {"mtime", stored.mtime}};
      },
      reply_to(id));
}

void Host::abort(Id id, const CheckpointEnd& request) {
  in_store(
      [request](Store& store) {
        store.abort(request.handle);
        return Json{{"handle", request.handle}};
      },
      reply_to(id));
}

void Host::list_checkpoints(Id id, const StoreList& request) {
  in_store(
      [this, request](Store& store) {
        grants_.check_lock();
        const std::vector<Stored> all = store.list();
        std::size_t first = 0, next = 0;
        if (request.cursor) first = position_after(all, *request.cursor);
        Json list = page(all, first, request.limit, next, [](const Stored& s) { return to_json(s); });
        const Json cursor = next < all.size() ? Json(cursor_of(all[next - 1])) : Json();
        return Json{{"checkpoints", std::move(list)}, {"cursor", cursor}, {"folder", store.folder()}};
      },
      reply_to(id));
}

void Host::remove(Id id, const CheckpointRemove& request) {
  in_store(
      [this, request](Store& store) {
        grants_.check_lock();
        store.remove(request.name);
        return Json{{"name", request.name}};
      },
      reply_to(id));
}

}  // namespace sg::host

#include "native_host/store.h"

#include <algorithm>
#include <optional>
#include <span>
#include <tuple>

#include "io/safetensors.h"
#include "native_host/partial.h"

namespace sg::host {
namespace {

constexpr std::size_t kMostRuns = 10'000, kMostCheckpoints = 10'000;
constexpr std::size_t kCopySlice = 1 << 20;

std::span<const std::uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// The header of a file on disk, without its payload. Throws checkpoint.corrupt.
SafetensorsHeader read_header(int file, std::uint64_t size) {
  const std::string first = read_start(file, std::min<std::uint64_t>(size, 8));
  const std::string prefix = read_start(file, safetensors_header_size(as_bytes(first), size));
  return read_safetensors_header(as_bytes(prefix), size);
}

/// A checkpoint of a run as it lies there; nothing when it is gone meanwhile.
std::optional<Stored> stored_at(const Fd& folder, const CheckpointName& name) {
  Stored stored{name.whole(), 0, 0, "", {}};
  struct stat s {};
  const Fd file(openat(folder.get(), name.file.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
  if (!file || fstat(file.get(), &s) != 0) {
    if (errno == ENOENT) return std::nullopt;
    stored.reason = errno == ELOOP ? "it is a symbolic link" : error_text(errno);
  } else if (!S_ISREG(s.st_mode)) {
    stored.reason = "it is not a regular file";
  } else {
    stored.size = size_of(s);
    stored.mtime = mtime_of(s);
    // A damaged file is shown as such: it must not hide the others, nor be hidden.
    try {
      stored.metadata = read_header(file.get(), stored.size).metadata;
    } catch (const Error& e) {
      stored.reason = e.what();
    }
  }
  return stored;
}

}  // namespace

struct Store::Save {
  CheckpointName name;
  std::uint64_t size = 0;
  std::uint64_t received = 0;
  std::int64_t sequence = 0;
  Fd store, run;
  std::optional<Partial> partial;

  Save() = default;
  Save(Save&&) = default;
  ~Save() {
    if (!partial) return;
    partial.reset();
    unlinkat(store.get(), name.run.c_str(), AT_REMOVEDIR);  // a folder that was made for nothing
  }
};

Store::Store(std::string folder) : folder_(std::move(folder)) {}

Store::~Store() = default;

Fd Store::open_own_folder(bool create) const { return open_folder(folder_, create); }

Failure Store::failure(const std::string& what, int error, std::uint64_t needed) const {
  const std::string path = what.empty() ? folder_ : path_of(what);
  switch (trouble_of(error)) {
    case Trouble::no_room: {
      struct statvfs fs {};
      const std::uint64_t free = statvfs(folder_.c_str(), &fs) == 0 ? std::uint64_t{fs.f_bavail} * fs.f_frsize : 0;
      return Failure("store.disk_full",
                     "There is no room for " + path + ": " + std::to_string(needed) + " bytes are needed, " +
                         std::to_string(free) + " are free. The old file stands; make room and save again.",
                     {{"path", path}, {"free", free}, {"needed", needed}});
    }
    case Trouble::denied:
      return Failure("store.denied",
                     path + " can't be used: " + error_text(error) + ". Check the folder's permissions.",
                     {{"path", path}});
    case Trouble::missing:
      return Failure("store.not_found", "There is no " + path + ".", {{"path", path}});
    case Trouble::other:
      break;
  }
  return Failure("store.failed", path + " can't be used: " + error_text(error) + ".", {{"path", path}});
}

Fd open_run(const Fd& store, const std::string& run) { return open_beneath(store.get(), run, O_RDONLY | O_DIRECTORY); }

std::int64_t Store::begin(const std::string& name, std::uint64_t size) {
  Save save;
  save.name = checkpoint_name(name);
  save.size = size;
  if (size > kLargestCheckpoint) {
    throw Failure("store.too_large",
                  name + " would have " + std::to_string(size) + " bytes, and a checkpoint may have " +
                      std::to_string(kLargestCheckpoint) + ": make the model smaller.",
                  {{"size", size}, {"most", kLargestCheckpoint}});
  }
  const auto same = [&](const auto& entry) { return entry.second.name.whole() == name; };
  if (std::any_of(saves_.begin(), saves_.end(), same))
    throw Failure("store.busy", name + " is being written: commit or abort that save first.");
  if (saves_.size() >= kMostSaves)
    throw Failure("store.busy", std::to_string(kMostSaves) + " saves are open: commit or abort one first.");
  return translated(
      [&] {
        save.store = open_own_folder(true);
        struct statvfs fs {};
        if (fstatvfs(save.store.get(), &fs) == 0 && std::uint64_t{fs.f_bavail} * fs.f_frsize < size)
          throw failure(name, ENOSPC, size);
        open_partial(save);
        saves_.emplace(next_handle_, std::move(save));
        return next_handle_++;
      },
      [&](int e) { return failure(name, e, size); });
}

/// Makes the run's folder where it is missing. One that holds nothing yet may be taken away by another host, and is
/// made anew.
void Store::open_partial(Save& save) const {
  constexpr int kAttempts = 100;
  for (int attempt = 1;; ++attempt) {
    if (mkdirat(save.store.get(), save.name.run.c_str(), 0700) != 0 && errno != EEXIST)
      throw failure(save.name.whole(), errno, save.size);
    try {
      save.run = open_run(save.store, save.name.run);
      save.partial.emplace(save.run.get());
      return;
    } catch (const std::system_error& e) {
      if (e.code().value() != ENOENT || attempt == kAttempts) throw;
    }
  }
}

std::map<std::int64_t, Store::Save>::iterator Store::find(std::int64_t handle) {
  const auto at = saves_.find(handle);
  if (at == saves_.end()) {
    throw Failure("store.no_handle", "No save is open under handle " + std::to_string(handle) +
                                         ": it ended, or failed before. Begin again.");
  }
  return at;
}

std::uint64_t Store::write(std::int64_t handle, std::int64_t sequence, std::string_view bytes) {
  // Out of the map first: whatever fails below ends the save.
  auto own = saves_.extract(find(handle));
  Save& save = own.mapped();
  if (sequence != save.sequence || bytes.size() > save.size - save.received) {
    throw Failure("store.out_of_order",
                  sequence != save.sequence
                      ? "The piece " + std::to_string(sequence) + " of " + save.name.whole() + " came where " +
                            std::to_string(save.sequence) + " was expected."
                      : save.name.whole() + " got more than the " + std::to_string(save.size) + " bytes announced.",
                  {{"expected", save.sequence}});
  }
  translated([&] { write_at(save.partial->file(), bytes, save.received); },
             [&](int e) { return failure(save.name.whole(), e, save.size - save.received); });
  save.received += bytes.size();
  ++save.sequence;
  const std::uint64_t received = save.received;
  saves_.insert(std::move(own));
  return received;
}

Stored Store::commit(std::int64_t handle) {
  auto own = saves_.extract(find(handle));
  Save& save = own.mapped();
  const std::string name = save.name.whole(), path = path_of(name);
  if (save.received != save.size) {
    throw Failure("store.incomplete",
                  path + " has " + std::to_string(save.received) + " of " + std::to_string(save.size) + " bytes.",
                  {{"received", save.received}, {"size", save.size}});
  }
  const auto failure_of = [&](int e) { return failure(name, e, save.size); };
  const auto corrupt = [&](const Error& e) {
    return Failure("store.corrupt", path + " would not be a readable checkpoint: " + e.what(), {{"path", path}});
  };
  // What counts is what the file holds, not what was sent: it is read back.
  SafetensorsChecker checker(save.size);
  std::string slice(kCopySlice, '\0');
  for (std::uint64_t at = 0; at < save.size;) {
    const std::size_t n =
        translated([&] { return read_at(save.partial->file(), slice.data(), slice.size(), at); }, failure_of);
    if (n == 0) break;
    translated<Error>([&] { checker.feed(as_bytes({slice.data(), n})); }, corrupt);
    at += n;
  }
  translated<Error>([&] { return checker.finish(); }, corrupt);
  return translated(
      [&] {
        struct stat s {};
        if (fstat(save.partial->file(), &s) != 0) throw failure_of(errno);
        save.partial->become(save.name.file);
        sync_file(save.run.get());
        sync_file(save.store.get());  // where the run's folder may be new
        return Stored{name, size_of(s), mtime_of(s), "", {}};
      },
      failure_of);
}

bool Store::saving_in(const std::string& run) const {
  return std::any_of(saves_.begin(), saves_.end(), [&](const auto& entry) { return entry.second.name.run == run; });
}

void Store::abort_all() { saves_.clear(); }

void Store::abort(std::int64_t handle) { saves_.erase(find(handle)); }

std::pair<Fd, std::vector<std::string>> Store::open_runs() const {
  const auto failure_of = [&](int e) { return failure("", e); };
  Fd store(host::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!store && errno == ENOENT) return {};  // nothing was saved yet
  if (!store) throw failure_of(errno);
  std::vector<std::string> runs = translated([&] { return names_in(store.get(), kMostRuns); }, failure_of);
  std::erase_if(runs, [](const std::string& name) { return !is_run(name); });
  std::sort(runs.begin(), runs.end());
  return {std::move(store), std::move(runs)};
}

std::vector<Stored> Store::list() const {
  std::vector<Stored> all;
  const auto [store, runs] = open_runs();
  for (const std::string& run : runs) {
    try {
      const Fd folder = open_run(store, run);
      for (const std::string& file : names_in(folder.get(), kMostCheckpoints)) {
        if (!is_checkpoint_file(file) || all.size() == kMostCheckpoints) continue;
        if (auto stored = stored_at(folder, {run, file})) all.push_back(*std::move(stored));
      }
    } catch (const std::system_error&) {
      // It is no folder, or gone, or can't be read: runs() has the reason.
    }
  }
  std::sort(all.begin(), all.end(),
            [](const Stored& a, const Stored& b) { return std::tie(b.mtime, a.name) < std::tie(a.mtime, b.name); });
  return all;
}

OpenFile Store::open(const std::string& name) const {
  checkpoint_name(name);
  return translated(
      [&] {
        const Fd store = open_own_folder(false);
        OpenFile open{open_beneath(store.get(), name, O_RDONLY | O_NONBLOCK), path_of(name)};
        if (fstat(open.file.get(), &open.status) != 0) throw failure(name, errno);
        if (!S_ISREG(open.status.st_mode)) throw failure(name, EINVAL);
        return open;
      },
      [&](int e) { return failure(name, e); });
}

void Store::remove(const std::string& name) {
  const CheckpointName parts = checkpoint_name(name);
  translated(
      [&] {
        const Fd store = open_own_folder(false), run = open_run(store, parts.run);
        if (unlinkat(run.get(), parts.file.c_str(), 0) != 0) throw failure(name, errno);
        sync_file(run.get());
        if (unlinkat(store.get(), parts.run.c_str(), AT_REMOVEDIR) == 0) sync_file(store.get());
      },
      [&](int e) { return failure(name, e); });
}

}  // namespace sg::host

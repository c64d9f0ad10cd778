// What the store knows of runs beyond their checkpoints: a run's name and note lie in its folder, in run.json, so that
// they go wherever the folder is copied to.
#include <algorithm>

#include "native_host/json.h"
#include "native_host/partial.h"
#include "native_host/store.h"

namespace sg::host {
namespace {

constexpr const char* kRunFile = "run.json";
constexpr const char* kFormat = "shadegrad-run/1";
constexpr std::size_t kMostRunNames = 100'000;
constexpr std::uint64_t kLargestRunFile = 64 * 1024;

std::string text_of(const Json& run, const char* field) {
  const auto at = run.find(field);
  return at != run.end() && at->is_string() ? at->get<std::string>() : "";
}

/// Takes the name and the note from run.json, when there is one.
void read_run_file(const Fd& folder, StoredRun& run) {
  const Fd file(openat(folder.get(), kRunFile, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
  if (!file && errno == ENOENT) return;
  struct stat s {};
  if (!file || fstat(file.get(), &s) != 0) throw std::system_error(errno, std::generic_category());
  if (!S_ISREG(s.st_mode) || size_of(s) > kLargestRunFile)
    throw Error("store.corrupt", std::string(kRunFile) + " is no file of at most 64 KiB");
  const Json json = parse_json(read_start(file.get(), size_of(s)));
  if (!json.is_object() || text_of(json, "format") != kFormat)
    throw Error("store.corrupt", std::string(kRunFile) + " is not of the format " + kFormat);
  run.name = text_of(json, "name");
  run.note = text_of(json, "note");
}

StoredRun run_at(const Fd& folder, const std::string& name) {
  StoredRun run{name, "", "", 0, 0, ""};
  for (const std::string& file : names_in(folder.get(), kMostRunNames)) {
    if (!is_checkpoint_file(file)) continue;
    struct stat s {};
    if (fstatat(folder.get(), file.c_str(), &s, AT_SYMLINK_NOFOLLOW) != 0) continue;
    ++run.checkpoints;
    if (S_ISREG(s.st_mode)) run.size += size_of(s);
  }
  try {
    read_run_file(folder, run);
  } catch (const std::exception& e) {
    run.reason = std::string("its name and note can't be read: ") + e.what();
  }
  return run;
}

}  // namespace

std::vector<StoredRun> Store::runs() const {
  std::vector<StoredRun> all;
  const auto [store, names] = open_runs();
  for (const std::string& name : names) {
    try {
      all.push_back(run_at(open_run(store, name), name));
    } catch (const std::system_error& e) {
      const int error = e.code().value();
      if (error == ENOENT || error == ENOTDIR) continue;
      all.push_back({name, "", "", 0, 0, error == ELOOP ? "it is a symbolic link" : error_text(error)});
    }
  }
  return all;
}

void Store::describe(const std::string& run, const std::string& name, const std::string& note) {
  check_run(run);
  const std::string text = Json{{"format", kFormat}, {"name", name}, {"note", note}}.dump() + "\n";
  translated(
      [&] {
        const Fd store = open_own_folder(false), folder = open_run(store, run);
        Partial partial(folder.get());
        write_at(partial.file(), text, 0);
        partial.become(kRunFile);
        sync_file(folder.get());
      },
      [&](int e) { return failure(run, e, text.size()); });
}

bool Store::remove_run(const std::string& run) {
  check_run(run);
  if (saving_in(run)) throw Failure("store.busy", run + " is being saved to: commit or abort that first.");
  return translated(
      [&] {
        const Fd store = open_own_folder(false), folder = open_run(store, run);
        remove_partials(folder.get());
        for (const std::string& name : names_in(folder.get(), kMostRunNames)) {
          const bool own = is_checkpoint_file(name) || name == kRunFile;
          if (own && unlinkat(folder.get(), name.c_str(), 0) != 0 && errno != ENOENT)
            throw failure(run + "/" + name, errno);
        }
        sync_file(folder.get());
        const bool gone = unlinkat(store.get(), run.c_str(), AT_REMOVEDIR) == 0;
        if (!gone && errno != ENOTEMPTY && errno != EEXIST) throw failure(run, errno);
        if (gone) sync_file(store.get());
        return !gone;
      },
      [&](int e) { return failure(run, e); });
}

void Store::remove_leftovers() const {
  const auto [store, runs] = open_runs();
  if (!store) return;
  remove_partials(store.get());
  for (const std::string& run : runs) {
    try {
      remove_partials(open_run(store, run).get());
      unlinkat(store.get(), run.c_str(), AT_REMOVEDIR);
    } catch (const std::system_error&) {
      // Not a folder of ours to clear.
    }
  }
}

}  // namespace sg::host

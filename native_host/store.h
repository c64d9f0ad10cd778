// The checkpoints on this machine: a folder a run, and in it a file a checkpoint and what the person says of the run.
// A save grows in a hidden file beside its target and takes the target's name only when every byte is there, checked
// and on the disk; whatever happens before that, the old file stands and nothing else is seen. One thread at a time
// uses a store (the host's queue sees to it).
#pragma once
#include <map>
#include <string>
#include <vector>

#include "native_host/error.h"
#include "native_host/files.h"
#include "native_host/grants.h"
#include "native_host/store_names.h"

namespace sg::host {

inline constexpr std::size_t kMostSaves = 4;
inline constexpr std::uint64_t kLargestCheckpoint = std::uint64_t{1} << 32;

struct Stored {
  std::string name;
  std::uint64_t size = 0;
  std::int64_t mtime = 0;
  std::string reason;  // why it can't be used; empty for a good one
  std::map<std::string, std::string> metadata;
};

struct StoredRun {
  std::string run;         // its folder
  std::string name, note;  // as the person has them; may be empty
  std::uint64_t size = 0;  // of its checkpoints together
  std::size_t checkpoints = 0;
  std::string reason;  // why the folder, or its name and note, can't be read
};

class Store {
 public:
  explicit Store(std::string folder);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  const std::string& folder() const { return folder_; }

  /// Opens a save of `size` bytes and gives its handle.
  std::int64_t begin(const std::string& name, std::uint64_t size);
  /// Appends; gives how many bytes there are now. Any failure ends the save.
  std::uint64_t write(std::int64_t handle, std::int64_t sequence, std::string_view bytes);
  Stored commit(std::int64_t handle);
  void abort(std::int64_t handle);
  /// Ends every open save.
  void abort_all();

  /// All checkpoints, newest first; only their headers are read.
  std::vector<Stored> list() const;
  /// A checkpoint opened for reading; errors while reading it are those of a dataset, with this store's path.
  OpenFile open(const std::string& name) const;
  /// Gone for good when this returns, and the run's folder with the last of what is in it.
  void remove(const std::string& name);

  /// By the name of their folders.
  std::vector<StoredRun> runs() const;
  /// Replaces the name and the note of a run.
  void describe(const std::string& run, const std::string& name, const std::string& note);
  /// Removes a run's checkpoints, name and note; gives whether its folder stands, since it holds something else.
  bool remove_run(const std::string& run);

  /// Removes the hidden files of hosts that are gone, and folders without anything.
  void remove_leftovers() const;

 private:
  struct Save;
  std::string folder_;
  std::int64_t next_handle_ = 1;
  std::map<std::int64_t, Save> saves_;

  Fd open_own_folder(bool create) const;
  /// The store's folder and the names of the runs in it; no folder and none before the first save.
  std::pair<Fd, std::vector<std::string>> open_runs() const;
  void open_partial(Save& save) const;
  bool saving_in(const std::string& run) const;
  std::map<std::int64_t, Save>::iterator find(std::int64_t handle);
  Failure failure(const std::string& what, int error, std::uint64_t needed = 0) const;
  std::string path_of(const std::string& name) const { return folder_ + "/" + name; }
};

/// A run's folder in the store's; throws std::system_error.
Fd open_run(const Fd& store, const std::string& run);

}  // namespace sg::host

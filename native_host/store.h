// The checkpoints on this machine. A save grows in a hidden file beside its target and takes the target's name only
// when every byte is there, checked and on the disk; whatever happens before that, the old file stands and nothing else
// is seen. One thread at a time uses a store (the host's queue sees to it).
#pragma once
#include <map>
#include <string>
#include <vector>

#include "native_host/error.h"
#include "native_host/files.h"
#include "native_host/grants.h"

namespace sg::host {

inline constexpr std::size_t kMostSaves = 4;

struct Stored {
  std::string name;
  std::uint64_t size = 0;
  std::int64_t mtime = 0;
  std::string reason;  // why it can't be used; empty for a good one
  std::map<std::string, std::string> metadata;
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
  void remove(const std::string& name);

  /// Removes the hidden files of hosts that are gone.
  void remove_leftovers() const;

 private:
  struct Save;
  std::string folder_;
  std::int64_t next_handle_ = 1;
  std::map<std::int64_t, Save> saves_;

  Fd open_own_folder(bool create) const;
  std::map<std::int64_t, Save>::iterator find(std::int64_t handle);
  Failure failure(const std::string& what, int error, std::uint64_t needed = 0) const;
  std::string path_of(const std::string& name) const { return folder_ + "/" + name; }
};

}  // namespace sg::host

// A file that grows beside the one whose name it will take: hidden, locked as long as its host lives, and gone with it
// unless it was moved to its name.
#pragma once
#include <string>

#include "native_host/files.h"

namespace sg::host {

class Partial {
 public:
  Partial() = default;
  /// Makes one in an open folder, which must outlive it. Throws std::system_error; ENOENT when the folder is no more.
  explicit Partial(int folder);
  Partial(Partial&&) = default;
  Partial& operator=(Partial&&) = delete;
  ~Partial();

  int file() const { return file_.get(); }
  /// The bytes are on the disk, and then have the name. The folder is the caller's to sync. When this throws, the bytes
  /// are not to be trusted, and go away with the partial: a second fsync would say that all is well.
  void become(const std::string& name);

 private:
  int folder_ = -1;
  std::string name_;
  Fd file_;
};

/// Removes those of hosts that are gone.
void remove_partials(int folder);

}  // namespace sg::host

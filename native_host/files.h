// Files and folders as the host may touch them: everything is opened beneath a folder that is already open, no link is
// ever followed, only regular files are read, and what is written appears whole or not at all.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "native_host/posix.h"

namespace sg::host {

/// An open file or folder, closed with its owner.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept;
  ~Fd() { reset(); }
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release();
  void reset();

 private:
  int fd_ = -1;
};

std::uint64_t size_of(const struct stat& s);
/// Time of change in whole milliseconds since 1970.
std::int64_t mtime_of(const struct stat& s);

/// Opens a path beneath `folder` (openat2, or step by step on kernels without it); throws std::system_error.
Fd open_beneath(int folder, const std::string& path, int flags);
/// The fallback: one openat a component, each refusing links. Same results.
Fd open_beneath_by_steps(int folder, const std::string& path, int flags);

/// Fills `to` from `read(to, size, have)`, which gives as many of the bytes after the first `have` as come at once: how
/// many there are, fewer than `size` only where `read` gave none.
template <class Read>
std::size_t read_full(char* to, std::size_t size, Read read) {
  std::size_t have = 0;
  while (have < size) {
    const std::size_t n = read(to + have, size - have, have);
    if (n == 0) break;
    have += n;
  }
  return have;
}

/// Reads `size` bytes at `offset`, fewer only where the file ends. Throws std::system_error, as the following do.
std::size_t read_at(int file, char* to, std::size_t size, std::uint64_t offset);
/// The first `size` bytes of a file, fewer only where it ends before.
std::string read_start(int file, std::size_t size);
/// Writes all of `bytes` at `offset`.
void write_at(int file, std::string_view bytes, std::uint64_t offset);
/// Waits until the file (or folder) is on the disk.
void sync_file(int file);

/// Opens an absolute folder; `create` makes what is missing of it, for the person alone (0700).
Fd open_folder(const std::string& path, bool create = false);

/// Replaces `path` by these bytes, or leaves it: written beside, synced, renamed, folder synced.
void write_whole(const std::string& path, std::string_view bytes, mode_t mode);
/// The bytes of a small regular file; nothing may be larger than `cap`. Throws std::system_error.
std::string read_whole(const std::string& path, std::size_t cap);

/// Removes what a write_whole of `path` that was killed left beside it; tells whether there was something.
bool remove_partials(const std::string& path);

/// Eight random bytes in hex, for names that nobody else picks.
std::string random_name();

/// Names in an open folder, without `.` and `..`, at most `limit`; `more` tells whether there were more.
std::vector<std::string> names_in(int folder, std::size_t limit, bool* more = nullptr);

}  // namespace sg::host

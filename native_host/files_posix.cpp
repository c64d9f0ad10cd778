// What files need of Linux and its kin beyond the common calls.
#include <dirent.h>

#include <cstdlib>
#include <memory>
#include <system_error>

#include "native_host/files.h"

#if defined(__linux__)
#include <linux/openat2.h>
#include <sys/syscall.h>
#endif
#include <sys/random.h>

namespace sg::host {
namespace {

[[noreturn]] void fail_call(const std::string& what, int error = errno) {
  throw std::system_error(error, std::generic_category(), what);
}

constexpr int kMostInterruptions = 100;  // a file system that never stops interrupting has failed

ssize_t uninterrupted(const char* what, const auto& call) {
  for (int tries = 0;; ++tries) {
    const ssize_t n = call();
    if (n >= 0) return n;
    if (errno != EINTR || tries == kMostInterruptions) fail_call(what);
  }
}

}  // namespace

#if defined(__linux__)
Fd open_beneath(int folder, const std::string& path, int flags) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS;
  for (int attempt = 0;; ++attempt) {
    const long fd = syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how);
    if (fd >= 0) return Fd(static_cast<int>(fd));
    if (errno == ENOSYS || errno == EPERM) return open_beneath_by_steps(folder, path, flags);
    // A rename somewhere on the way makes the kernel give up with EAGAIN: it could not prove that nothing escaped.
    if ((errno != EAGAIN && errno != EINTR) || attempt == 100) fail_call(path);
  }
}
#else
Fd open_beneath(int folder, const std::string& path, int flags) { return open_beneath_by_steps(folder, path, flags); }
#endif

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::size_t read_at(int file, char* to, std::size_t size, std::uint64_t offset) {
  return read_full(to, size, [&](char* at, std::size_t most, std::size_t have) {
    return static_cast<std::size_t>(
        uninterrupted("read", [&] { return pread(file, at, most, static_cast<off_t>(offset + have)); }));
  });
}

void write_at(int file, std::string_view bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    const auto n = static_cast<std::size_t>(
        uninterrupted("write", [&] { return pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset)); }));
    if (n == 0) fail_call("write", EIO);
    bytes.remove_prefix(n);
    offset += n;
  }
}

void sync_file(int file) {
#if defined(__APPLE__)
  // There fsync leaves the bytes in the drive's cache.
  if (fcntl(file, F_FULLFSYNC) == 0) return;
#endif
  if (fsync(file) != 0) fail_call("fsync");
}

std::string random_name() {
  unsigned char bytes[8];
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) fail_call("random numbers");
  std::string name;
  for (const unsigned char b : bytes) {
    name += "0123456789abcdef"[b >> 4];
    name += "0123456789abcdef"[b & 15];
  }
  return name;
}

std::vector<std::string> names_in(int folder, std::size_t limit, bool* more) {
  // A new description of the folder: reading moves its position.
  Fd own(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(own ? fdopendir(own.get()) : nullptr, closedir);
  if (!dir) fail_call("reading a folder");
  (void)own.release();
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = readdir(dir.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (names.size() == limit) {
      if (more != nullptr) *more = true;
      return names;
    }
    names.emplace_back(name);
    errno = 0;
  }
  if (errno != 0) fail_call("reading a folder");
  return names;
}

}  // namespace sg::host

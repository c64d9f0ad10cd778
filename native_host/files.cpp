#include "native_host/files.h"

#if defined(_WIN32)
#include <io.h>
#endif

#include <system_error>
#include <utility>

namespace sg::host {
namespace {

[[noreturn]] void fail(const std::string& what, int error = errno) {
  throw std::system_error(error, std::generic_category(), what);
}

/// `path` up to its last slash: the folder that holds it.
std::string parent_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  // The root of a drive keeps its slash, as / does.
  return path.substr(0, slash == 0 || path[slash - 1] == ':' ? slash + 1 : slash);
}

/// How the name of a file begins that is to take the name of `path`; a random_name follows.
std::string partial_start(const std::string& path) { return "." + path.substr(path.find_last_of('/') + 1) + "."; }

/// Removes what is left of a file that did not reach its name; nothing is left when it did.
struct Unfinished {
  int folder;
  std::string name;
  ~Unfinished() { unlinkat(folder, name.c_str(), 0); }
};

}  // namespace

Fd& Fd::operator=(Fd&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = other.release();
  }
  return *this;
}

int Fd::release() { return std::exchange(fd_, -1); }

void Fd::reset() {
  if (fd_ >= 0) close(std::exchange(fd_, -1));
}

std::uint64_t size_of(const struct stat& s) { return static_cast<std::uint64_t>(s.st_size); }

std::int64_t mtime_of(const struct stat& s) {
  return std::int64_t{s.st_mtim.tv_sec} * 1000 + s.st_mtim.tv_nsec / 1'000'000;
}

Fd open_beneath_by_steps(int folder, const std::string& path, int flags) {
  Fd at;
  std::size_t start = 0;
  for (;;) {
    const std::size_t slash = path.find('/', start);
    const std::string name = path.substr(start, slash - start);
    const bool last = slash == std::string::npos;
    if (name.empty() || name == "..") fail(path, EXDEV);
    const int from = at ? at.get() : folder;
    const int how = last ? flags : O_PATH | O_DIRECTORY;
    const int fd = openat(from, name.c_str(), how | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
      struct stat s {};
      // With O_DIRECTORY a link is reported as "not a folder"; openat2 would say that it is a link.
      if (errno == ENOTDIR && fstatat(from, name.c_str(), &s, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(s.st_mode))
        fail(path, ELOOP);
      fail(path, errno);
    }
    at = Fd(fd);
    if (last) return at;
    start = slash + 1;
  }
}

std::string read_start(int file, std::size_t size) {
  std::string bytes(size, '\0');
  bytes.resize(read_at(file, bytes.data(), size, 0));
  return bytes;
}

Fd open_folder(const std::string& path, bool create) {
  int fd = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT && create && path != "/") {
    const std::string parent = parent_of(path);
    const Fd above = open_folder(parent, true);
    if (mkdirat(above.get(), path.substr(path.find_last_of('/') + 1).c_str(), 0700) != 0 && errno != EEXIST) fail(path);
    sync_file(above.get());
    fd = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  }
  if (fd < 0) fail(path);
  return Fd(fd);
}

void write_whole(const std::string& path, std::string_view bytes, mode_t mode) {
  const Fd folder = open_folder(parent_of(path), true);
  const std::string target = path.substr(path.find_last_of('/') + 1);
  const Unfinished partial{folder.get(), partial_start(path) + random_name()};
  const Fd file(openat(folder.get(), partial.name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  struct stat s {};
  if (!file || fstat(file.get(), &s) != 0) fail(path);
  // Only where the umask took something: the running host may change no modes.
  if ((s.st_mode & 07777) != mode && fchmod(file.get(), mode) != 0) fail(path);
  write_at(file.get(), bytes, 0);
  sync_file(file.get());
  if (renameat(folder.get(), partial.name.c_str(), folder.get(), target.c_str()) != 0) fail(path);
  sync_file(folder.get());
}

std::string read_whole(const std::string& path, std::size_t cap) {
  const Fd file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat s {};
  if (!file || fstat(file.get(), &s) != 0) fail(path);
  if (!S_ISREG(s.st_mode)) fail(path, EINVAL);
  if (size_of(s) > cap) fail(path, EFBIG);
  return read_start(file.get(), size_of(s));
}

bool remove_partials(const std::string& path) {
  const Fd folder(open(parent_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return false;
  const std::string start = partial_start(path);
  bool found = false;
  for (const std::string& name : names_in(folder.get(), 10'000)) {
    const bool random = name.size() == start.size() + 16 &&
                        name.find_first_not_of("0123456789abcdef", start.size()) == std::string::npos;
    if (random && name.rfind(start, 0) == 0) found = unlinkat(folder.get(), name.c_str(), 0) == 0 || found;
  }
  return found;
}

}  // namespace sg::host

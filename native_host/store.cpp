#include "native_host/store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <tuple>

#include "io/safetensors.h"
#include "native_host/pipe.h"

namespace sg::host {
namespace {

constexpr std::string_view kPartial = ".partial-";
constexpr std::string_view kEnding = ".safetensors";
constexpr std::size_t kMostCheckpoints = 10'000;
constexpr std::size_t kSlice = 1 << 20;

bool is_name(const std::string& name) {
  const auto plain = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-' || c == '.'; };
  return name.size() > kEnding.size() && name.size() <= 100 && name[0] != '.' &&
         name.compare(name.size() - kEnding.size(), kEnding.size(), kEnding) == 0 &&
         std::all_of(name.begin(), name.end(), plain);
}

void check_name(const std::string& name) {
  if (is_name(name)) return;
  throw Failure("store.name_refused",
                "A checkpoint's name has letters, digits, '.', '_' and '-' alone, does not begin with '.', ends in "
                ".safetensors and "
                "has at most 100 characters.");
}

std::span<const std::uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string read_up_to(int file, std::uint64_t size) {
  std::string bytes(size, '\0');
  std::size_t have = 0;
  while (have < size) {
    const std::size_t n = read_at(file, bytes.data() + have, size - have, have);
    if (n == 0) break;
    have += n;
  }
  bytes.resize(have);
  return bytes;
}

/// The header of a file on disk, without its payload. Throws checkpoint.corrupt.
SafetensorsHeader read_header(int file, std::uint64_t size) {
  const std::string first = read_up_to(file, std::min<std::uint64_t>(size, 8));
  const std::string prefix = read_up_to(file, safetensors_header_size(as_bytes(first), size));
  return read_safetensors_header(as_bytes(prefix), size);
}

}  // namespace

/// A save in progress. Its file is locked as long as its host lives, and gone with it unless it was renamed.
struct Store::Save {
  std::string name;
  std::uint64_t size = 0;
  std::uint64_t received = 0;
  std::int64_t sequence = 0;
  Fd folder;
  std::string partial;
  Fd file;

  Save() = default;
  Save(Save&&) = default;
  ~Save() {
    if (file) unlinkat(folder.get(), partial.c_str(), 0);
  }
};

Store::Store(std::string folder) : folder_(std::move(folder)) {}

Store::~Store() = default;

Fd Store::open_own_folder(bool create) const { return open_folder(folder_, create); }

Failure Store::failure(const std::string& what, int error, std::uint64_t needed) const {
  const std::string path = what.empty() ? folder_ : path_of(what);
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG: {
      struct statvfs fs {};
      const std::uint64_t free = statvfs(folder_.c_str(), &fs) == 0 ? std::uint64_t{fs.f_bavail} * fs.f_frsize : 0;
      return Failure("store.disk_full",
                     "There is no room for " + path + ": " + std::to_string(needed) + " bytes are needed, " +
                         std::to_string(free) + " are free. The old file stands; make room and save again.",
                     {{"path", path}, {"free", free}, {"needed", needed}});
    }
    case EACCES:
    case EPERM:
    case EROFS:
    case ELOOP:
    case EXDEV:
      return Failure("store.denied",
                     path + " can't be used: " + error_text(error) + ". Check the folder's permissions.",
                     {{"path", path}});
    case ENOENT:
      return Failure("store.not_found", "There is no checkpoint " + path + ".", {{"path", path}});
    default:
      return Failure("store.failed", path + " can't be used: " + error_text(error) + ".", {{"path", path}});
  }
}

std::int64_t Store::begin(const std::string& name, std::uint64_t size) {
  check_name(name);
  const auto same = [&](const auto& entry) { return entry.second.name == name; };
  if (std::any_of(saves_.begin(), saves_.end(), same))
    throw Failure("store.busy", name + " is being written: commit or abort that save first.");
  if (saves_.size() >= kMostSaves)
    throw Failure("store.busy", std::to_string(kMostSaves) + " saves are open: commit or abort one first.");
  return translated(
      [&] {
        Save save;
        save.name = name;
        save.size = size;
        save.folder = open_own_folder(true);
        struct statvfs fs {};
        if (fstatvfs(save.folder.get(), &fs) == 0 && std::uint64_t{fs.f_bavail} * fs.f_frsize < size)
          throw failure(name, ENOSPC, size);
        struct stat s {};
        do {
          // Between its making and its locking another host may take the file for a leftover: then it has no name, and
          // is made anew.
          save.partial = std::string(kPartial) + random_name();
          save.file = Fd(openat(save.folder.get(), save.partial.c_str(),
                                O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
          if (!save.file || flock(save.file.get(), LOCK_EX) != 0 || fstat(save.file.get(), &s) != 0)
            throw failure(name, errno, size);
        } while (s.st_nlink == 0);
        saves_.emplace(next_handle_, std::move(save));
        return next_handle_++;
      },
      [&](int e) { return failure(name, e, size); });
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
                      ? "The piece " + std::to_string(sequence) + " of " + save.name + " came where " +
                            std::to_string(save.sequence) + " was expected."
                      : save.name + " got more than the " + std::to_string(save.size) + " bytes announced.",
                  {{"expected", save.sequence}});
  }
  translated([&] { write_at(save.file.get(), bytes, save.received); },
             [&](int e) { return failure(save.name, e, save.size - save.received); });
  save.received += bytes.size();
  ++save.sequence;
  const std::uint64_t received = save.received;
  saves_.insert(std::move(own));
  return received;
}

Stored Store::commit(std::int64_t handle) {
  auto own = saves_.extract(find(handle));
  const Save& save = own.mapped();
  const std::string path = path_of(save.name);
  if (save.received != save.size) {
    throw Failure("store.incomplete",
                  path + " has " + std::to_string(save.received) + " of " + std::to_string(save.size) + " bytes.",
                  {{"received", save.received}, {"size", save.size}});
  }
  const auto failure_of = [&](int e) { return failure(save.name, e, save.size); };
  const auto corrupt = [&](const Error& e) {
    return Failure("store.corrupt", path + " would not be a readable checkpoint: " + e.what(), {{"path", path}});
  };
  // What counts is what the file holds, not what was sent: it is read back.
  SafetensorsChecker checker(save.size);
  std::string slice(kSlice, '\0');
  for (std::uint64_t at = 0; at < save.size;) {
    const std::size_t n =
        translated([&] { return read_at(save.file.get(), slice.data(), slice.size(), at); }, failure_of);
    if (n == 0) break;
    translated<Error>([&] { checker.feed(as_bytes({slice.data(), n})); }, corrupt);
    at += n;
  }
  translated<Error>([&] { return checker.finish(); }, corrupt);
  return translated(
      [&] {
        sync_file(save.file.get());
        struct stat s {};
        if (fstat(save.file.get(), &s) != 0 ||
            renameat(save.folder.get(), save.partial.c_str(), save.folder.get(), save.name.c_str()) != 0) {
          throw failure_of(errno);
        }
        sync_file(save.folder.get());
        return Stored{save.name, size_of(s), mtime_of(s), "", {}};
      },
      failure_of);
}

void Store::abort_all() { saves_.clear(); }

void Store::abort(std::int64_t handle) { saves_.erase(find(handle)); }

std::vector<Stored> Store::list() const {
  std::vector<Stored> all;
  const auto failure_of = [&](int e) { return failure("", e); };
  const Fd folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder && errno == ENOENT) return all;  // nothing was saved yet
  if (!folder) throw failure_of(errno);
  for (const std::string& name : translated([&] { return names_in(folder.get(), kMostCheckpoints); }, failure_of)) {
    if (!is_name(name)) continue;
    Stored stored{name, 0, 0, "", {}};
    struct stat s {};
    const Fd file(openat(folder.get(), name.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
    if (!file || fstat(file.get(), &s) != 0) {
      if (errno == ENOENT) continue;
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
    all.push_back(std::move(stored));
  }
  std::sort(all.begin(), all.end(),
            [](const Stored& a, const Stored& b) { return std::tie(b.mtime, a.name) < std::tie(a.mtime, b.name); });
  return all;
}

OpenFile Store::open(const std::string& name) const {
  check_name(name);
  return translated(
      [&] {
        const Fd folder = open_own_folder(false);
        OpenFile open{open_beneath(folder.get(), name, O_RDONLY | O_NONBLOCK), path_of(name)};
        if (fstat(open.file.get(), &open.status) != 0) throw failure(name, errno);
        if (!S_ISREG(open.status.st_mode)) throw failure(name, EINVAL);
        return open;
      },
      [&](int e) { return failure(name, e); });
}

void Store::remove(const std::string& name) {
  check_name(name);
  translated(
      [&] {
        const Fd folder = open_own_folder(false);
        if (unlinkat(folder.get(), name.c_str(), 0) != 0) throw failure(name, errno);
        sync_file(folder.get());
      },
      [&](int e) { return failure(name, e); });
}

void Store::remove_leftovers() const {
  const Fd folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return;
  for (const std::string& name : names_in(folder.get(), kMostCheckpoints)) {
    if (name.rfind(kPartial, 0) != 0) continue;
    const Fd file(openat(folder.get(), name.c_str(), O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
    if (file && flock(file.get(), LOCK_EX | LOCK_NB) == 0) unlinkat(folder.get(), name.c_str(), 0);
  }
}

}  // namespace sg::host

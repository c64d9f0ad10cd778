#include "native_host/datasets.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <tuple>

#include "native_host/pipe.h"

namespace sg::host {
namespace {

constexpr std::string_view kPartial = ".partial-";
constexpr std::size_t kMostSets = 10'000, kMostFiles = 10'000'000;
constexpr std::uint64_t kReserve = 64u << 20;  // left free for the rest of the machine

bool is_id(const std::string& id) {
  const auto plain = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; };
  return !id.empty() && id.size() <= 64 && std::all_of(id.begin(), id.end(), plain);
}

void check_id(const std::string& id) {
  if (is_id(id)) return;
  throw Failure("import.id_refused", "A data set's id has letters, digits, '_' and '-' alone, and at most 64 of them.");
}

/// "prices-2024" of "Prices 2024.csv.gz", to recognise the folder by.
std::string slug(const std::string& name) {
  const std::string last = name.substr(name.find_last_of('/') + 1);
  std::string text;
  for (const unsigned char c : last.substr(0, last.find('.'))) {
    if (std::isalnum(c) && c < 128)
      text += static_cast<char>(std::tolower(c));
    else if (!text.empty() && text.back() != '-')
      text += '-';
  }
  text = text.substr(0, 40);
  while (!text.empty() && text.back() == '-') text.pop_back();
  return text.empty() ? "data" : text;
}

/// Removes a folder that holds files alone.
void remove_folder(int parent, const std::string& name) {
  const Fd folder(openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder) return;
  for (const std::string& file : names_in(folder.get(), kMostFiles)) unlinkat(folder.get(), file.c_str(), 0);
  unlinkat(parent, name.c_str(), AT_REMOVEDIR);
}

std::string amount(std::uint64_t bytes) {
  const std::uint64_t tenths = bytes / 100'000;
  return tenths < 100 ? std::to_string(bytes) + " bytes"
                      : std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " MB";
}

}  // namespace

std::uint64_t ImportedSet::bytes() const {
  std::uint64_t sum = 0;
  if (manifest)
    for (const ManifestShard& shard : manifest->shards) sum += shard.bytes;
  return sum;
}

std::uint64_t room_needed(std::uint64_t written, std::uint64_t read, std::uint64_t size) {
  if (read == 0 || read >= size) return 0;
  return static_cast<std::uint64_t>(1.05 * static_cast<double>(written) / static_cast<double>(read) *
                                    static_cast<double>(size - read));
}

std::uint64_t Datasets::free_bytes() const {
  struct statvfs fs {};
  return statvfs(folder_.c_str(), &fs) == 0 ? std::uint64_t{fs.f_bavail} * fs.f_frsize : 0;
}

Failure Datasets::failure(const std::string& what, int error, std::uint64_t needed) const {
  const std::string path = what.empty() ? folder_ : path_of(what);
  switch (trouble_of(error)) {
    case Trouble::no_room: {
      const std::uint64_t free = free_bytes();
      return Failure("import.disk_full",
                     "There is no room in " + folder_ + " for the import: about " + amount(needed) +
                         " more are needed, " + amount(free) + " are free. Make room, or forget an older import.",
                     {{"path", path}, {"free", free}, {"needed", needed}});
    }
    case Trouble::denied:
      return Failure("import.denied",
                     path + " can't be used: " + error_text(error) + ". Check the folder's permissions.",
                     {{"path", path}});
    case Trouble::missing:
      return Failure("import.not_found", "There is no imported data set " + path + ".", {{"path", path}});
    case Trouble::other:
      break;
  }
  return Failure("import.failed", path + " can't be used: " + error_text(error) + ".", {{"path", path}});
}

Fd Datasets::open_set(const std::string& id) const {
  check_id(id);
  return translated(
      [&] {
        const Fd own = open_folder(folder_);
        return open_beneath(own.get(), id, O_RDONLY | O_DIRECTORY);
      },
      [&](int e) { return failure(id, e); });
}

std::string Datasets::manifest_text(const std::string& id) const {
  const Fd set = open_set(id);
  const std::string name(kManifestFile);
  return translated(
      [&] {
        const Fd file = open_beneath(set.get(), name, O_RDONLY | O_NONBLOCK);
        struct stat s {};
        if (fstat(file.get(), &s) != 0) throw failure(id, errno);
        if (!S_ISREG(s.st_mode)) throw failure(id + "/" + name, EINVAL);
        if (size_of(s) > kMaxManifestBytes) throw failure(id + "/" + name, EOVERFLOW);
        return read_start(file.get(), size_of(s));
      },
      [&](int e) { return failure(id + "/" + name, e); });
}

ImportedSet Datasets::find(const std::string& id) const {
  struct stat s {};
  {
    const Fd set = open_set(id);
    if (fstat(set.get(), &s) != 0) throw failure(id, errno);
    const std::lock_guard lock(mutex_);
    if (last_.id == id && last_.created == mtime_of(s)) return last_;
  }
  ImportedSet found{id, mtime_of(s), "", nullptr};
  const std::string text = manifest_text(id);
  found.manifest = translated<Error>([&] { return std::make_shared<const Manifest>(parse_manifest(text)); },
                                     [&](const Error& e) {
                                       return Failure("import.damaged",
                                                      path_of(id) + "/manifest.json is no manifest: " + e.what() +
                                                          ". Forget the data set and import it again.",
                                                      {{"path", path_of(id)}});
                                     });
  const std::lock_guard lock(mutex_);
  return last_ = found;
}

std::vector<ImportedSet> Datasets::list() const {
  std::vector<ImportedSet> all;
  const Fd own(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!own && errno == ENOENT) return all;  // nothing was imported yet
  if (!own) throw failure("", errno);
  const auto names = translated([&] { return names_in(own.get(), kMostSets); }, [&](int e) { return failure("", e); });
  for (const std::string& id : names) {
    struct stat s {};
    if (!is_id(id) || fstatat(own.get(), id.c_str(), &s, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(s.st_mode)) continue;
    ImportedSet set{id, mtime_of(s), "", nullptr};
    // A damaged one is shown as such: it must not hide the others, nor be hidden.
    try {
      set = find(id);
      check_shards(set);
    } catch (const Failure& e) {
      set.reason = e.what();
    }
    all.push_back(std::move(set));
  }
  std::sort(all.begin(), all.end(), [](const ImportedSet& a, const ImportedSet& b) {
    return std::tie(b.created, a.id) < std::tie(a.created, b.id);
  });
  return all;
}

Failure Datasets::damaged(const std::string& path) const {
  return Failure("import.damaged",
                 path + " is not the shard that was imported, or is gone. Forget the data set and import it again.",
                 {{"path", path}});
}

/// Whether each is there in its size; what is in it is compared when it is read.
void Datasets::check_shards(const ImportedSet& set) const {
  const Fd folder = open_set(set.id);
  for (const ManifestShard& shard : set.manifest->shards) {
    struct stat s {};
    const bool there = fstatat(folder.get(), shard.file.c_str(), &s, AT_SYMLINK_NOFOLLOW) == 0;
    if (!there || !S_ISREG(s.st_mode) || size_of(s) != shard.bytes) throw damaged(path_of(set.id + "/" + shard.file));
  }
}

OpenFile Datasets::open_shard(const std::string& id, const ManifestShard& shard) const {
  const Fd set = open_set(id);
  const std::string name = id + "/" + shard.file;
  return translated(
      [&] {
        OpenFile open{open_beneath(set.get(), shard.file, O_RDONLY | O_NONBLOCK), path_of(name), {}};
        if (fstat(open.file.get(), &open.status) != 0) throw failure(name, errno);
        if (!S_ISREG(open.status.st_mode) || size_of(open.status) != shard.bytes) throw damaged(open.path);
        return open;
      },
      [&](int e) { return trouble_of(e) == Trouble::missing ? damaged(path_of(name)) : failure(name, e); });
}

void Datasets::forget(const std::string& id) {
  check_id(id);
  translated(
      [&] {
        const Fd own = open_folder(folder_);
        const std::string hidden = std::string(kPartial) + random_name();
        if (renameat(own.get(), id.c_str(), own.get(), hidden.c_str()) != 0) throw failure(id, errno);
        sync_file(own.get());
        remove_folder(own.get(), hidden);
      },
      [&](int e) { return failure(id, e); });
}

void Datasets::remove_leftovers() const {
  const Fd own(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!own) return;
  for (const std::string& name : names_in(own.get(), kMostSets)) {
    if (name.rfind(kPartial, 0) != 0) continue;
    const Fd folder(openat(own.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (folder && flock(folder.get(), LOCK_EX | LOCK_NB) == 0) remove_folder(own.get(), name);
  }
}

DatasetWriter::DatasetWriter(const Datasets& datasets) : datasets_(datasets) {
  const auto failure_of = [&](int e) { return datasets.failure("", e); };
  translated(
      [&] {
        parent_ = open_folder(datasets.folder(), true);
        struct stat s {};
        do {
          // Between its making and its locking another host may take the folder for a leftover: then it is made anew.
          partial_ = std::string(kPartial) + random_name();
          if (mkdirat(parent_.get(), partial_.c_str(), 0700) != 0) throw failure_of(errno);
          folder_ = Fd(openat(parent_.get(), partial_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
          if (!folder_ && errno != ENOENT) throw failure_of(errno);
          if (folder_ && (flock(folder_.get(), LOCK_EX) != 0 || fstat(folder_.get(), &s) != 0)) throw failure_of(errno);
        } while (!folder_ || s.st_nlink == 0);
      },
      failure_of);
}

DatasetWriter::~DatasetWriter() {
  if (committed_) return;
  try {
    remove_folder(parent_.get(), partial_);
  } catch (const std::exception&) {
    // It stays hidden, and the next host removes it.
  }
}

void DatasetWriter::write(const std::string& file, std::string_view bytes) {
  translated(
      [&] {
        const Fd to(openat(folder_.get(), file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
        if (!to) throw datasets_.failure("", errno, bytes.size());
        write_at(to.get(), bytes, 0);
        sync_file(to.get());
      },
      [&](int e) { return datasets_.failure("", e, bytes.size()); });
}

void DatasetWriter::take(const std::string& file, std::vector<std::uint8_t> bytes) {
  write(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  bytes_ += bytes.size();
}

void DatasetWriter::check_room(std::uint64_t read, std::uint64_t size) const {
  const std::uint64_t needed = room_needed(bytes_, read, size) + kReserve;
  if (datasets_.free_bytes() < needed) throw datasets_.failure("", ENOSPC, needed);
}

std::string DatasetWriter::commit(const Manifest& manifest) {
  const std::string id = slug(manifest.source.name) + "-" + random_name().substr(0, 8);
  write(std::string(kManifestFile), to_json(manifest).dump(1));
  translated(
      [&] {
        sync_file(folder_.get());
        if (renameat(parent_.get(), partial_.c_str(), parent_.get(), id.c_str()) != 0)
          throw datasets_.failure("", errno);
        committed_ = true;
        sync_file(parent_.get());
      },
      [&](int e) { return datasets_.failure("", e); });
  return id;
}

}  // namespace sg::host

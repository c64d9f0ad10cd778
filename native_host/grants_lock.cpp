// The grants of a process that has locked itself: what it was locked to, and how it notices that this is no longer what
// the person has granted. Files are told apart by device and number, so that a folder that was missing, unmounted or
// replaced counts as new.
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "native_host/grants.h"

namespace sg::host {

/// A file by its number, whatever it is called; all zero when there is none.
struct FileIdentity {
  dev_t device = 0;
  ino_t number = 0;
  bool operator==(const FileIdentity&) const = default;
};

namespace {

FileIdentity identity_of(const std::string& path) {
  struct stat s {};
  return stat(path.c_str(), &s) == 0 ? FileIdentity{s.st_dev, s.st_ino} : FileIdentity{};
}

/// The file at `path`, and nothing that has taken its place. Its folder is only passed through: it was not granted.
Fd open_single(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  const Fd folder(::open(path.substr(0, std::max<std::size_t>(slash, 1)).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder) throw std::system_error(errno, std::generic_category(), path);
  Fd file = open_beneath(folder.get(), path.substr(slash + 1), O_RDONLY | O_NONBLOCK | O_NOCTTY);
  struct stat s {};
  if (fstat(file.get(), &s) != 0 || !S_ISREG(s.st_mode)) {
    throw std::system_error(EISDIR, std::generic_category(), path);
  }
  return file;
}

Failure restart() {
  return Failure("host.restart",
                 "The granted folders have changed, and a running host can't gain one: the host ends, so that the "
                 "browser starts it anew.");
}

}  // namespace

struct Grants::Locked {
  std::optional<File> file;  // none when grants.json could not be used
  FileIdentity list;         // grants.json
  std::map<std::string, FileIdentity> folders;
};

Powers Grants::lock() {
  auto locked = std::make_shared<Locked>();
  Powers powers;
  const auto keep = [&](std::vector<Fd>& with, const std::string& path) {
    Fd at(::open(path.c_str(), O_PATH | O_CLOEXEC));
    struct stat s {};
    if (!at || fstat(at.get(), &s) != 0) return FileIdentity{};
    with.push_back(std::move(at));
    return FileIdentity{s.st_dev, s.st_ino};
  };
  const std::string list = places_.grants();
  keep(powers.read, list.substr(0, list.find_last_of('/')));
  locked->list = keep(powers.read, list);  // by itself too: it may be a link to elsewhere
  try {
    locked->file = load();
  } catch (const Failure&) {
    // Every request that needs the list says what is wrong with it.
  }
  if (locked->file) {
    for (const std::string& folder : {locked->file->checkpoints, locked->file->datasets}) {
      try {
        open_folder(folder, true);
      } catch (const std::system_error&) {
        // Whoever saves is told, with the reason.
      }
      locked->folders[folder] = keep(powers.write, folder);
    }
    for (const Root& root : locked->file->roots) {
      struct stat s {};
      // What has become of another kind since it was granted is known, and not opened.
      const bool other = stat(root.path.c_str(), &s) == 0 && S_ISREG(s.st_mode) != root.file;
      locked->folders.emplace(root.path, other ? FileIdentity{s.st_dev, s.st_ino} : keep(powers.read, root.path));
    }
  }
  locked_ = std::move(locked);
  return powers;
}

Grants::File Grants::current() const {
  if (!locked_) return load();
  std::optional<File> file;
  try {
    file = load();
  } catch (const Failure&) {
    // A list that was put in place since then is beyond this process's reach; the next one can say what is wrong.
    if (identity_of(places_.grants()) != locked_->list) throw restart();
    throw;
  }
  if (file != locked_->file) throw restart();
  return *std::move(file);
}

Fd Grants::opened(const std::string& path, const std::function<Fd()>& open) const {
  try {
    return open();
  } catch (const std::system_error& e) {
    // It was not there when this process was locked, or was another: the next one can have it.
    const bool late = locked_ && e.code().value() == EACCES && locked_->folders.count(path) &&
                      !(locked_->folders.at(path) == identity_of(path));
    if (late) throw restart();
    throw;
  }
}

void Grants::enter(const std::string& folder) const {
  opened(folder, [&] { return open_folder(folder, true); });
}

Fd Grants::enter(const Root& root) const {
  return opened(root.path, [&] { return root.file ? open_single(root.path) : open_folder(root.path); });
}

Fd Grants::find(const Root& root) const {
  try {
    return enter(root);
  } catch (const std::system_error&) {
    return {};
  }
}

void Grants::check_lock() const {
  const File file = current();
  for (const std::string& folder : {file.checkpoints, file.datasets}) {
    try {
      enter(folder);
    } catch (const std::system_error&) {
      // The store says what is wrong with it.
    }
  }
}

}  // namespace sg::host

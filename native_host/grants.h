// Which folders and files the person has granted, and how a path from a message becomes an open file below one of them.
// Grants change on this side alone (the program's verbs `grant` and `revoke`, and the picker, where the person chooses
// in the desktop's own dialog): nothing here takes a root from a message.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "native_host/error.h"
#include "native_host/files.h"
#include "native_host/harden.h"
#include "native_host/places.h"

namespace sg::host {

struct Root {
  std::string name;   // what paths begin with
  std::string path;   // absolute
  bool file = false;  // a single file, and nothing beside it
  bool operator==(const Root&) const = default;
};

/// A root that was granted, now or before.
struct Granted {
  Root root;
  bool before = false;
};

/// A file opened for reading, as it was at that moment.
struct OpenFile {
  Fd file;
  std::string path;
  struct stat status {};
  /// Throws dataset.changed or dataset.vanished when it is no longer as it was, or gave fewer bytes than it has.
  void check_unchanged(bool whole = true) const;
  /// `size` bytes at `offset`, fewer only where the file ends.
  std::size_t read(char* to, std::size_t size, std::uint64_t offset) const;
};

struct Entry {
  std::string path;
  bool folder = false;
  std::uint64_t size = 0;
  std::int64_t mtime = 0;
};

struct Listing {
  std::vector<Entry> entries;  // sorted by path
  bool truncated = false;
};

class Grants {
 public:
  explicit Grants(Places places) : places_(std::move(places)) {}
  const Places& places() const { return places_; }

  /// Fixes what this process may touch, which harden() then makes binding: the roots that are there are read, the
  /// folders of checkpoints and data sets (made here when they are missing) are written. From then on whatever uses a
  /// folder throws host.restart when the grants are no longer those, or when the folder has come since: a process that
  /// is locked can't gain one.
  Powers lock();
  /// Throws host.restart if the grants, or the folders that the host writes, are not those that this process knows.
  void check_lock() const;

  /// As the file says now; without a file, the person's Shadegrad folder.
  std::vector<Root> roots() const;
  /// Where checkpoints are kept.
  std::string checkpoints() const;
  /// Where imported data sets are kept.
  std::string datasets() const;
  static bool available(const Root& root);
  /// The folder or file of a root, empty when it is not there.
  Fd find(const Root& root) const;

  /// Opens a regular file for reading by its path in messages.
  OpenFile open(const std::string& path) const;
  /// What lies in a folder, or below it; without a path, the roots.
  Listing list(const std::optional<std::string>& path, bool recursive) const;

  /// Grants a folder, or a file alone; `file` says which of the two it must be.
  Granted grant(const std::string& path, std::optional<bool> file = std::nullopt);
  /// Gives a sentence for the person.
  std::string revoke(const std::string& path);

 private:
  Places places_;
  struct File {
    std::vector<Root> roots;
    std::string checkpoints, datasets;
    bool operator==(const File&) const = default;
  };
  struct Locked;
  std::shared_ptr<const Locked> locked_;

  File load() const;
  /// load(), which in a locked process must give what it gave then.
  File current() const;
  /// Opens a folder of ours, made when missing.
  void enter(const std::string& folder) const;
  Fd enter(const Root& root) const;
  Fd opened(const std::string& path, const std::function<Fd()>& open) const;
  void save(const File& file) const;
  /// Held from load() to save(), or one of two changes at once would be lost.
  Fd hold() const;
};

/// Throws path.refused unless `path` may be asked for; gives the root's name and the rest (empty for the root itself).
std::pair<std::string, std::string> split_path(const std::string& path);

}  // namespace sg::host

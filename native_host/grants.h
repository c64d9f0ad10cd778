// Which folders the person has granted, and how a path from a message becomes an open file below one of them. Grants
// change on this side alone (the program's verbs `grant` and `revoke`): nothing here takes a root from a message.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "native_host/error.h"
#include "native_host/files.h"

namespace sg::host {

struct Root {
  std::string name;    // what paths begin with
  std::string folder;  // absolute
};

/// Where this person's things are, from the environment.
struct Places {
  std::string home;    // absolute
  std::string config;  // ~/.config
  std::string grants() const { return config + "/shadegrad/grants.json"; }
  std::string folder() const { return home + "/Shadegrad"; }
  static Places from_environment();
};

/// A file opened for reading, as it was at that moment.
struct OpenFile {
  Fd file;
  std::string path;
  struct stat status {};
  /// Throws dataset.changed or dataset.vanished when it is no longer as it was, or gave fewer bytes than it has.
  void check_unchanged(bool whole = true) const;
  /// At most `size` bytes at `offset`; 0 at the end.
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

  /// As the file says now; without a file, the person's Shadegrad folder.
  std::vector<Root> roots() const;
  /// Where checkpoints are kept.
  std::string checkpoints() const;
  static bool available(const Root& root);

  /// Opens a regular file for reading by its path in messages.
  OpenFile open(const std::string& path) const;
  /// What lies in a folder, or below it; without a path, the roots.
  Listing list(const std::optional<std::string>& path, bool recursive) const;

  /// For the program's verbs; both give a sentence for the person.
  std::string grant(const std::string& folder);
  std::string revoke(const std::string& folder);

 private:
  Places places_;
  struct File {
    std::vector<Root> roots;
    std::string checkpoints;
  };
  File load() const;
  void save(const File& file) const;
};

/// Throws path.refused unless `path` may be asked for; gives the root's name and the rest (empty for the root itself).
std::pair<std::string, std::string> split_path(const std::string& path);

}  // namespace sg::host

#include "native_host/grants.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>

#include "native_host/json.h"
#include "native_host/pipe.h"

namespace sg::host {
namespace {

constexpr std::size_t kMostEntries = 10'000;
constexpr int kMostLevels = 16;

Failure refused(const std::string& path, const std::string& why) {
  // The path itself may be hostile: only what can be shown is shown.
  const std::string shown = valid_utf8(path) ? path.substr(0, 200) : "";
  return Failure("path.refused", "The path '" + (valid_utf8(shown) ? shown : "") + "' can't be asked for: " + why + ".",
                 {{"path", valid_utf8(shown) ? shown : ""}});
}

Failure dataset_failure(const std::string& path, int error) {
  const Json details{{"path", path}};
  const std::string at = "'" + path + "'";
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return Failure("dataset.not_found", "There is no " + at + " in the granted folders.", details);
    case ELOOP:
    case EXDEV:
      return refused(path, "a symbolic link is on the way, and links are not followed");
    case ENXIO:
    case ENODEV:
    case EISDIR:
      return Failure("dataset.not_a_file", at + " is not a regular file.", details);
    case EACCES:
    case EPERM:
      return Failure("dataset.denied", at + " may not be read: check its permissions.", details);
    default:
      return Failure("dataset.failed", at + " can't be read: " + error_text(error) + ".", details);
  }
}

Failure invalid(const std::string& file, const std::string& why) {
  return Failure("grants.invalid", "The list of granted folders, " + file + ", can't be used: " + why + ".",
                 {{"path", file}});
}

bool hidden(const std::string& name) { return name.empty() || name[0] == '.'; }

bool printable(const std::string& text) {
  return valid_utf8(text) &&
         std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; });
}

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

std::string real_path(const std::string& path) {
  char resolved[PATH_MAX];
  return realpath(path.c_str(), resolved) != nullptr ? resolved : "";
}

std::string own_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

/// A name for paths to begin with: the root's own, numbered when it is taken (a file's before its ending, which says
/// what is in it).
std::string root_name(const std::string& path, bool file, const std::vector<Root>& roots) {
  const std::string own = own_name(path);
  const std::size_t end = file ? std::min(own.find('.'), own.size()) : own.size();
  std::string name = own;
  for (int n = 2; std::any_of(roots.begin(), roots.end(), [&](const Root& r) { return r.name == name; }); ++n) {
    name = own.substr(0, end) + "-" + std::to_string(n) + own.substr(end);
  }
  return name;
}

/// Where nobody keeps data: the system's own folders, hidden names, and what a message could not name.
bool grantable(const std::string& path) {
  const std::string inside = path + "/";
  const bool system =
      path == "/" || inside.rfind("/proc/", 0) == 0 || inside.rfind("/sys/", 0) == 0 || inside.rfind("/dev/", 0) == 0;
  return !system && !hidden(own_name(path)) && printable(path);
}

/// Which folder it is, whatever it is called.
using Identity = std::pair<dev_t, ino_t>;

/// Adds what lies in the open folder `at`, whose path in messages is `prefix`, without the host's own folders.
void add_entries(Listing& listing, const Fd& at, const std::string& prefix, bool recursive, int level,
                 const std::vector<Identity>& own) {
  for (const std::string& name : names_in(at.get(), kMostEntries, &listing.truncated)) {
    struct stat s {};
    if (hidden(name) || !printable(name) || fstatat(at.get(), name.c_str(), &s, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode)) continue;
    const std::string path = prefix + "/" + name;
    if (path.size() > PATH_MAX) continue;
    if (listing.entries.size() >= kMostEntries) {
      listing.truncated = true;
      return;
    }
    const bool folder = S_ISDIR(s.st_mode);
    if (folder && std::find(own.begin(), own.end(), Identity(s.st_dev, s.st_ino)) != own.end()) continue;
    listing.entries.push_back({path, folder, folder ? 0 : size_of(s), mtime_of(s)});
    if (!folder || !recursive) continue;
    // A folder that can't be opened is still listed: opening it by name says why.
    const Fd below(openat(at.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!below) continue;
    if (level == kMostLevels) {
      listing.truncated = true;
    } else {
      add_entries(listing, below, path, true, level + 1, own);
    }
  }
}

}  // namespace

void OpenFile::check_unchanged(bool whole) const {
  struct stat now {};
  if (fstat(file.get(), &now) != 0) throw dataset_failure(path, errno);
  const Json details{{"path", path}};
  if (now.st_nlink == 0) {
    throw Failure("dataset.vanished", "'" + path + "' was removed or replaced while it was read.", details);
  }
  if (!whole || now.st_size != status.st_size || now.st_mtim.tv_sec != status.st_mtim.tv_sec ||
      now.st_mtim.tv_nsec != status.st_mtim.tv_nsec) {
    throw Failure("dataset.changed",
                  "'" + path + "' changed while it was read (" + std::to_string(status.st_size) + " bytes before, " +
                      std::to_string(now.st_size) + " now). Read it again when it rests.",
                  details);
  }
}

std::size_t OpenFile::read(char* to, std::size_t size, std::uint64_t offset) const {
  return translated([&] { return read_at(file.get(), to, size, offset); },
                    [&](int e) { return dataset_failure(path, e); });
}

std::pair<std::string, std::string> split_path(const std::string& path) {
  if (path.empty() || path.size() > 4096) throw refused(path, "it must have 1 to 4,096 bytes");
  if (!printable(path)) throw refused(path, "it holds control characters or is not UTF-8");
  if (path[0] == '/') throw refused(path, "it is absolute; begin with the name of a granted folder");
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    const std::string name = path.substr(start, end - start);
    if (name.empty()) throw refused(path, "a name between slashes is empty");
    if (name[0] == '.') throw refused(path, "'.', '..' and hidden files are not offered");
    if (name.size() > NAME_MAX) throw refused(path, "a name is longer than 255 bytes");
    start = end + 1;
  }
  const std::size_t slash = path.find('/');
  return {path.substr(0, slash), slash == std::string::npos ? "" : path.substr(slash + 1)};
}

Grants::File Grants::load() const {
  const std::string path = places_.grants();
  struct stat s {};
  if (stat(path.c_str(), &s) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) throw invalid(path, error_text(errno));
    return {{{own_name(places_.folder()), places_.folder()}}, places_.checkpoints(), places_.datasets()};
  }
  if ((s.st_mode & (S_IWGRP | S_IWOTH)) != 0 || (s.st_uid != geteuid() && s.st_uid != 0)) {
    throw invalid(path, "other people may write it (chmod 600 helps)");
  }
  const std::string text =
      translated([&] { return read_whole(path, 1 << 20); }, [&](int e) { return invalid(path, error_text(e)); });
  const Json json =
      translated<Failure>([&] { return parse_json(text); },
                          [&](const Failure&) { return invalid(path, "it is not JSON with a list 'roots'"); });
  if (!json.is_object() || !json.contains("roots") || !json["roots"].is_array())
    throw invalid(path, "it is not JSON with a list 'roots'");
  const auto folder = [&](const char* name, const std::string& otherwise) {
    const Json value = json.value(name, Json(otherwise));
    if (!value.is_string() || value.get_ref<const std::string&>().rfind('/', 0) != 0)
      throw invalid(path, "'" + std::string(name) + "' is not an absolute path");
    return value.get<std::string>();
  };
  File file{{}, folder("checkpoints", places_.checkpoints()), folder("datasets", places_.datasets())};
  for (const Json& root : json["roots"]) {
    const bool sound = root.is_object() && root.contains("name") && root["name"].is_string() && root.contains("path") &&
                       root["path"].is_string();
    if (!sound) throw invalid(path, "a root needs 'name' and 'path'");
    const Json single = root.value("file", Json(false));
    if (!single.is_boolean()) throw invalid(path, "the 'file' of a root is neither true nor false");
    Root r{root["name"], root["path"], single};
    if (hidden(r.name) || !printable(r.name) || r.name.find('/') != std::string::npos || r.path[0] != '/') {
      throw invalid(path, "a root needs a plain name and an absolute path");
    }
    file.roots.push_back(std::move(r));
  }
  return file;
}

void Grants::save(const File& file) const {
  Json roots = Json::array();
  for (const Root& r : file.roots) {
    roots.push_back({{"name", r.name}, {"path", r.path}});
    if (r.file) roots.back()["file"] = true;
  }
  const std::string text =
      Json{{"roots", roots}, {"checkpoints", file.checkpoints}, {"datasets", file.datasets}}.dump(2) + "\n";
  translated([&] { write_whole(places_.grants(), text, 0600); },
             [&](int e) { return invalid(places_.grants(), error_text(e)); });
}

Fd Grants::hold() const {
  const std::string path = places_.grants();
  return translated(
      [&] {
        open_folder(path.substr(0, path.find_last_of('/')), true);
        Fd lock(::open(places_.grants_lock().c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
        while (!lock || flock(lock.get(), LOCK_EX) != 0)
          if (!lock || errno != EINTR) throw std::system_error(errno, std::generic_category());
        return lock;
      },
      [&](int e) { return invalid(path, error_text(e)); });
}

std::vector<Root> Grants::roots() const { return current().roots; }

std::string Grants::checkpoints() const { return current().checkpoints; }

std::string Grants::datasets() const { return current().datasets; }

namespace {

const Root& find_root(const std::vector<Root>& roots, const std::string& name) {
  const auto root = std::find_if(roots.begin(), roots.end(), [&](const Root& r) { return r.name == name; });
  if (root == roots.end()) {
    throw Failure("dataset.not_found",
                  "No granted folder is called '" + name + "'. Grant one with: shadegrad-host grant DIR",
                  {{"path", name}});
  }
  return *root;
}

}  // namespace

bool Grants::available(const Root& root) { return static_cast<bool>(Grants(Places{}).find(root)); }

OpenFile Grants::open(const std::string& path) const {
  const auto [name, rest] = split_path(path);
  const auto failure_of = [&](int e) { return dataset_failure(path, e); };
  return translated(
      [&, name = name, rest = rest] {
        const std::vector<Root> granted = roots();
        const Root& root = find_root(granted, name);
        Fd at = enter(root);
        if (rest.empty() != root.file) throw dataset_failure(path, root.file ? ENOTDIR : EISDIR);
        if (!root.file) at = open_beneath(at.get(), rest, O_RDONLY | O_NONBLOCK | O_NOCTTY);
        OpenFile open{std::move(at), path};
        if (fstat(open.file.get(), &open.status) != 0) throw dataset_failure(path, errno);
        if (!S_ISREG(open.status.st_mode)) throw dataset_failure(path, EISDIR);
        return open;
      },
      failure_of);
}

Listing Grants::list(const std::optional<std::string>& path, bool recursive) const {
  Listing listing;
  const File file = current();
  std::vector<Identity> own;
  for (const std::string& folder : {file.checkpoints, file.datasets}) {
    struct stat s {};
    if (stat(folder.c_str(), &s) == 0) own.emplace_back(s.st_dev, s.st_ino);
  }
  const auto failure_of = [&](int e) {
    return e == ENOTDIR ? Failure("dataset.not_a_file", "'" + *path + "' is not a folder.", {{"path", *path}})
                        : dataset_failure(*path, e);
  };
  if (path) {
    const auto [name, rest] = split_path(*path);
    translated(
        [&, name = name, rest = rest] {
          const Root& root = find_root(file.roots, name);
          Fd at = enter(root);
          if (root.file) throw std::system_error(ENOTDIR, std::generic_category(), root.path);
          if (!rest.empty()) at = open_beneath(at.get(), rest, O_RDONLY | O_DIRECTORY);
          add_entries(listing, at, *path, recursive, 0, own);
        },
        failure_of);
  } else {
    for (const Root& root : file.roots) {
      const Fd at = find(root);
      struct stat s {};
      if (!at || fstat(at.get(), &s) != 0) continue;
      listing.entries.push_back({root.name, !root.file, root.file ? size_of(s) : 0, mtime_of(s)});
      if (recursive && !root.file) add_entries(listing, at, root.name, true, 0, own);
    }
  }
  std::sort(listing.entries.begin(), listing.entries.end(),
            [](const Entry& a, const Entry& b) { return a.path < b.path; });
  return listing;
}

Granted Grants::grant(const std::string& given, std::optional<bool> file) {
  const std::string path = real_path(given);
  struct stat s {};
  const bool there = !path.empty() && stat(path.c_str(), &s) == 0 && (S_ISDIR(s.st_mode) || S_ISREG(s.st_mode));
  const bool single = there && S_ISREG(s.st_mode);
  const std::string wanted = file ? (*file ? "file" : "folder") : "folder or file";
  // A path may be hostile, and its bytes need not be text: only what can be shown is shown.
  const auto shown = [](const std::string& text) { return printable(text) ? "'" + text + "'" : "of that name"; };
  if (!there || (file && *file != single)) {
    throw Failure("path.refused", "There is no " + wanted + " " + shown(given) + ".");
  }
  if (!grantable(path)) {
    throw Failure("path.refused",
                  std::string("The ") + (single ? "file " : "folder ") + shown(path) + " can't be granted.");
  }
  const Fd held = hold();
  File all = load();
  for (const Root& r : all.roots) {
    if (r.path == path && r.file == single) return {r, true};
  }
  all.roots.push_back({root_name(path, single, all.roots), path, single});
  save(all);
  return {all.roots.back(), false};
}

std::string Grants::revoke(const std::string& given) {
  // The folder may be gone by now: its text counts as well.
  const std::string path = real_path(given), text = without_slash(given);
  const Fd held = hold();
  File file = load();
  const auto named = [&](const Root& r) { return r.path == text || r.path == path; };
  auto gone = std::remove_if(file.roots.begin(), file.roots.end(), named);
  // By the name that the list of grants shows, where no path is meant.
  if (gone == file.roots.end())
    gone = std::remove_if(file.roots.begin(), file.roots.end(), [&](const Root& r) { return r.name == given; });
  if (gone == file.roots.end()) throw Failure("path.refused", "'" + given + "' is not granted.");
  file.roots.erase(gone, file.roots.end());
  save(file);
  return "Revoked " + text + ".";
}

}  // namespace sg::host

#include "native_host/safety.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <deque>
#include <filesystem>

#include "native_host/error.h"
#include "native_host/terminal.h"

namespace sg::host {
namespace {

constexpr int kMostLinks = 40;  // as the kernel has it

bool trusted(const struct stat& s) { return s.st_uid == 0 || s.st_uid == geteuid(); }

std::optional<Danger> judge(const std::string& place, const struct stat& s) {
  if (!trusted(s)) {
    return Danger{place, "belongs to another user (id " + std::to_string(s.st_uid) + ")",
                  "sudo chown " + std::to_string(geteuid()) + " " + quoted(place)};
  }
  // In a folder with the sticky bit nobody can replace what is another's, as in /tmp.
  const bool sticky = S_ISDIR(s.st_mode) && (s.st_mode & S_ISVTX) != 0;
  if ((s.st_mode & (S_IWGRP | S_IWOTH)) == 0 || sticky) return std::nullopt;
  const char* who = (s.st_mode & S_IWOTH) != 0 ? "everybody" : "its group";
  const std::string command = "chmod go-w " + quoted(place);
  return Danger{place, std::string("can be changed by ") + who, s.st_uid == geteuid() ? command : "sudo " + command};
}

/// The names in a path, first to last.
std::deque<std::string> names_of(const std::string& path) {
  std::deque<std::string> names;
  for (std::size_t start = 0; start < path.size();) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    if (end > start) names.push_back(path.substr(start, end - start));
    start = end + 1;
  }
  return names;
}

}  // namespace

std::optional<Danger> danger_at(const std::string& path) {
  std::string at;  // a folder that was judged; empty for /
  struct stat s {};
  if (stat("/", &s) == 0) {
    if (auto danger = judge("/", s)) return danger;
  }
  int links = 0;
  for (std::deque<std::string> rest = names_of(path); !rest.empty();) {
    const std::string name = rest.front();
    rest.pop_front();
    if (name == ".") continue;
    if (name == "..") {
      at.erase(std::min(at.find_last_of('/'), at.size()));
      continue;
    }
    const std::string next = at + "/" + name;
    if (lstat(next.c_str(), &s) != 0) return std::nullopt;
    if (!S_ISLNK(s.st_mode)) {
      if (auto danger = judge(next, s)) return danger;
      at = next;
      continue;
    }
    std::error_code failed;
    const std::string target = std::filesystem::read_symlink(next, failed).string();
    if (!trusted(s) || failed || ++links > kMostLinks) {
      return Danger{next, failed || trusted(s) ? "is a link that leads nowhere" : "is another user's link",
                    "rm " + quoted(next)};
    }
    if (target.rfind('/', 0) == 0) at.clear();
    const std::deque<std::string> more = names_of(target);
    rest.insert(rest.begin(), more.begin(), more.end());
  }
  return std::nullopt;
}

}  // namespace sg::host

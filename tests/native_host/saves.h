// The messages of a save, and a host with an empty home to send them to.
#pragma once
#include <string>
#include <vector>

#include "tests/native_host/program.h"

namespace sg::test {

inline constexpr std::size_t kPiece = 262'144;

inline Json begin(const std::string& name, std::size_t size) {
  return {{"id", 1}, {"type", "checkpoint.begin"}, {"name", name}, {"size", size}};
}

inline Json write(const Json& handle, std::size_t sequence, const std::string& bytes) {
  return {
      {"id", 2}, {"type", "checkpoint.write"}, {"handle", handle}, {"sequence", sequence}, {"bytes", base64(bytes)}};
}

inline Json commit(const Json& handle) { return {{"id", 3}, {"type", "checkpoint.commit"}, {"handle", handle}}; }

/// A whole save; gives the first reply that is not ok, or the last.
inline Json save(Program& host, const std::string& name, const std::string& bytes) {
  Json reply = host.ask(begin(name, bytes.size()));
  if (reply["ok"] != true) return reply;
  const Json handle = reply["handle"];
  for (std::size_t at = 0, i = 0; at < bytes.size(); at += kPiece, ++i) {
    reply = host.ask(write(handle, i, bytes.substr(at, kPiece)));
    if (reply["ok"] != true) return reply;
  }
  return host.ask(commit(handle));
}

struct Setup {
  Folder home;
  std::string folder = home / "Shadegrad/checkpoints";
  Program host{home.path()};
  Setup() { host.hello(); }
  /// What is in the folder, hidden files too.
  std::vector<std::string> all() { return exists(folder) ? names(folder) : std::vector<std::string>{}; }
};

}  // namespace sg::test

#include "native_host/places.h"

#include "native_host/error.h"
#include "native_host/posix.h"

namespace sg::host {
namespace {

#if defined(_WIN32)
constexpr const char *kHome = "USERPROFILE", *kConfig = "LOCALAPPDATA", *kBelowHome = "/AppData/Local";
#elif defined(__APPLE__)
constexpr const char *kHome = "HOME", *kConfig = nullptr, *kBelowHome = "/Library/Application Support";
#else
constexpr const char *kHome = "HOME", *kConfig = "XDG_CONFIG_HOME", *kBelowHome = "/.config";
#endif

/// The folder that a variable names; empty unless it is absolute.
std::string folder_in(const char* variable) {
  std::string path = variable == nullptr ? "" : environment(variable);
  const bool drive = path.size() > 2 && path[1] == ':' && path[2] == '/';  // as Windows has it
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return drive || path.rfind('/', 0) == 0 ? path : "";
}

}  // namespace

Places Places::from_environment() {
  Places places{folder_in(kHome), folder_in(kConfig)};
  if (places.home.empty()) {
    throw Failure("grants.invalid",
                  std::string(kHome) + " is not set to an absolute path: the granted folders can't be found.");
  }
  if (places.config.empty()) places.config = places.home + kBelowHome;
  return places;
}

}  // namespace sg::host

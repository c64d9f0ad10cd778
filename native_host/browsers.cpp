#include "native_host/browsers.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "native_host/build.h"

namespace sg::host {
namespace {

namespace fs = std::filesystem;

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));
}

std::string data_folder(const Browser& b, const Places& places) {
#if defined(__APPLE__)
  return places.home + "/Library/Application Support/" + b.mac_folder;
#elif defined(_WIN32)
  // One file a family: what the browsers read is the registry, and several share a key.
  return places.config + "/shadegrad/" + (b.family == Family::firefox ? "firefox" : "chromium");
#else
  return (b.family == Family::firefox ? places.home : places.config) + "/" + b.linux_folder;
#endif
}

std::string manifest_folder(const Browser& b, const Places& places) {
#if defined(__APPLE__)
  return data_folder(b, places) + "/NativeMessagingHosts";
#elif defined(_WIN32)
  return data_folder(b, places);
#else
  return data_folder(b, places) + (b.family == Family::firefox ? "/native-messaging-hosts" : "/NativeMessagingHosts");
#endif
}

/// Whether a program's file only leads into a sandbox: snap's own link, or a script that starts a snap or a flatpak (as
/// Ubuntu's packages of Chromium and Firefox are).
bool leads_into_sandbox(const std::string& file, const System& system) {
  std::error_code failed;
  const std::string real = fs::canonical(file, failed).string();
  if (failed) return false;
  if (file.rfind(system.root + "/snap/", 0) == 0 || fs::path(real).filename() == "snap") return true;
  std::string head(4096, '\0');
  std::ifstream in(real, std::ios::binary);
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  return head.rfind("#!", 0) == 0 &&
         (head.find("/snap/bin/") != std::string::npos || head.find("flatpak run") != std::string::npos);
}

bool has_program(const Browser& b, const System& system) {
  for (std::size_t start = 0; start < system.path.size();) {
    const std::size_t end = std::min(system.path.find(':', start), system.path.size());
    const std::string folder = system.path.substr(start, end - start);
    start = end + 1;
    for (const char* name : b.programs) {
      const std::string file = folder + "/" + name;
      if (!folder.empty() && exists(file) && !leads_into_sandbox(file, system)) return true;
    }
  }
  return false;
}

}  // namespace

// Sources: the browsers' own pages for Chrome, Edge and Firefox; what KeePassXC's installer writes for the others.
const std::vector<Browser>& browsers() {
  constexpr Family chromium = Family::chromium, firefox = Family::firefox;
  static const std::vector<Browser> table{
      {"chrome",
       chromium,
       "google-chrome",
       "Google/Chrome",
       "Google\\Chrome",
       {"google-chrome", "google-chrome-stable"},
       nullptr,
       "com.google.Chrome",
       "google-chrome-stable"},
      {"chromium",
       chromium,
       "chromium",
       "Chromium",
       "Chromium",
       {"chromium", "chromium-browser"},
       "chromium",
       "org.chromium.Chromium",
       "chromium"},
      {"edge",
       chromium,
       "microsoft-edge",
       "Microsoft Edge",
       "Microsoft\\Edge",
       {"microsoft-edge", "microsoft-edge-stable"},
       nullptr,
       "com.microsoft.Edge",
       "microsoft-edge-stable"},
      {"brave",
       chromium,
       "BraveSoftware/Brave-Browser",
       "BraveSoftware/Brave-Browser",
       "Google\\Chrome",
       {"brave-browser", "brave-browser-stable", "brave"},
       "brave",
       "com.brave.Browser",
       "brave-browser"},
      {"vivaldi",
       chromium,
       "vivaldi",
       "Vivaldi",
       "Google\\Chrome",
       {"vivaldi", "vivaldi-stable"},
       "vivaldi",
       "com.vivaldi.Vivaldi",
       "vivaldi-stable"},
      {"firefox",
       firefox,
       ".mozilla",
       "Mozilla",
       "Mozilla",
       {"firefox", "firefox-esr"},
       "firefox",
       "org.mozilla.firefox",
       "firefox-esr"},
      {"librewolf",
       firefox,
       ".librewolf",
       "LibreWolf",
       "Mozilla",
       {"librewolf"},
       nullptr,
       "io.gitlab.librewolf-community",
       "librewolf"},
  };
  return table;
}

System System::from_environment() {
  const char* path = std::getenv("PATH");
  return {"", path == nullptr ? "" : path};
}

Presence presence_of(const Browser& b, const Places& places, const System& system) {
  Presence presence;
  const auto look = [&](const char* kind, const std::vector<std::string>& candidates) {
    const auto place = std::find_if(candidates.begin(), candidates.end(), exists);
    if (place != candidates.end()) presence.sandboxes.push_back({kind, *place});
  };
  if (b.snap != nullptr) {
    const std::string name = b.snap;
    look("snap", {system.root + "/snap/bin/" + name, system.root + "/snap/" + name,
                  system.root + "/var/lib/snapd/snap/" + name, places.home + "/snap/" + name});
  }
  const std::string id = b.flatpak;
  look("flatpak", {system.root + "/var/lib/flatpak/app/" + id, places.home + "/.local/share/flatpak/app/" + id,
                   places.home + "/.var/app/" + id});
  // Data alone may be left from before the browser moved into its sandbox.
  presence.native = has_program(b, system) || (presence.sandboxes.empty() && exists(data_folder(b, places)));
  return presence;
}

Target target_of(const Browser& b, const Places& places) {
  Target target{b.name, b.family, manifest_folder(b, places) + "/" + kHostName + ".json", ""};
#if defined(_WIN32)
  target.registry_key = std::string("Software\\") + b.windows_key + "\\NativeMessagingHosts\\" + kHostName;
#endif
  return target;
}

Target target_of_profile(const std::string& folder) {
  return {"profile", Family::chromium, folder + "/NativeMessagingHosts/" + kHostName + ".json", ""};
}

}  // namespace sg::host

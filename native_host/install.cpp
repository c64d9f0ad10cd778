#include "native_host/install.h"

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <stdexcept>

#include "native_host/build.h"

namespace sg::host {
namespace {

/// One browser: where it looks for hosts, and how to find it. Sandboxed packagings (snap, flatpak) can't start a host.
struct Browser {
  const char* name;
  bool firefox;
  const char* folder;                 // below ~/.config, or below the home for Firefox
  const char* manifests;              // below that
  std::vector<const char*> programs;  // in PATH
  const char* snap;
  const char* flatpak;
};

const std::vector<Browser>& browsers() {
  static const std::vector<Browser> table{
      {"chromium",
       false,
       "/chromium",
       "/NativeMessagingHosts",
       {"chromium", "chromium-browser"},
       "chromium",
       "org.chromium.Chromium"},
      {"chrome",
       false,
       "/google-chrome",
       "/NativeMessagingHosts",
       {"google-chrome", "google-chrome-stable"},
       nullptr,
       "com.google.Chrome"},
      {"edge",
       false,
       "/microsoft-edge",
       "/NativeMessagingHosts",
       {"microsoft-edge", "microsoft-edge-stable"},
       nullptr,
       "com.microsoft.Edge"},
      {"brave",
       false,
       "/BraveSoftware/Brave-Browser",
       "/NativeMessagingHosts",
       {"brave-browser", "brave"},
       "brave",
       "com.brave.Browser"},
      {"firefox",
       true,
       "/.mozilla",
       "/native-messaging-hosts",
       {"firefox", "firefox-esr"},
       "firefox",
       "org.mozilla.firefox"},
  };
  return table;
}

/// A manifest's place and kind.
struct Target {
  std::string name;
  std::string file;
  bool firefox = false;
};

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

std::string data_folder(const Browser& b, const Places& places) {
  return (b.firefox ? places.home : places.config) + b.folder;
}

bool in_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  const std::string all = path == nullptr ? "" : path;
  for (std::size_t start = 0; start < all.size();) {
    const std::size_t end = std::min(all.find(':', start), all.size());
    if (end > start && exists(all.substr(start, end - start) + "/" + program)) return true;
    start = end + 1;
  }
  return false;
}

bool found(const Browser& b, const Places& places) {
  return exists(data_folder(b, places)) || std::any_of(b.programs.begin(), b.programs.end(), in_path);
}

Target target_of(const Browser& b, const Places& places) {
  return {b.name, data_folder(b, places) + b.manifests + "/" + kHostName + ".json", b.firefox};
}

/// The manifests that these options mean. `everywhere`: without names, all browsers instead of those found.
std::vector<Target> targets(const InstallOptions& o, bool everywhere) {
  std::vector<Target> list;
  if (!o.profile.empty())
    list.push_back({"profile", o.profile + "/NativeMessagingHosts/" + kHostName + ".json", false});
  for (const Browser& b : browsers()) {
    const bool named = std::count(o.browsers.begin(), o.browsers.end(), b.name) > 0;
    const bool meant = o.browsers.empty() && o.profile.empty() && (everywhere || found(b, o.places));
    if (named || meant) list.push_back(target_of(b, o.places));
  }
  return list;
}

std::string manifest(const Target& target, const std::string& program) {
  nlohmann::ordered_json json{
      {"name", kHostName},
      {"description", "Keeps checkpoints and reads granted folders for the Shadegrad extension"},
      {"path", program},
      {"type", "stdio"}};
  // Firefox refuses a manifest that has the other browsers' field beside its own.
  if (target.firefox) {
    json["allowed_extensions"] = {kFirefoxId};
  } else {
    json["allowed_origins"] = nlohmann::ordered_json::array();
    for (const std::string_view id : kChromiumIds)
      json["allowed_origins"].push_back("chrome-extension://" + std::string(id) + "/");
  }
  return json.dump(2) + "\n";
}

std::string bytes_of(const std::string& path) { return exists(path) ? read_whole(path, 1 << 20) : ""; }

/// Why a file may not be trusted at `path`, or "".
std::string unsafe(const std::string& path) {
  struct stat s {};
  if (stat(path.c_str(), &s) == 0 && (s.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return path + " can be changed by other people";
  const std::string ancestor = unsafe_ancestor(path);
  return ancestor.empty() ? "" : ancestor + ", above " + path + ", can be changed by other people (chmod go-w helps)";
}

/// Removes empty folders from the one that held `file` upwards, the home itself never.
void remove_empty_above(std::string file, const std::string& home) {
  for (;;) {
    file = file.substr(0, file.find_last_of('/'));
    if (file.empty() || file == home || rmdir(file.c_str()) != 0) return;
  }
}

std::string sandbox_warning(const Browser& b, const Places& places) {
  const auto warn = [&](const char* kind) {
    return std::string(b.name) + ": installed as a " + kind +
           ", which can't start programs outside its sandbox; use the package of the distribution\n";
  };
  const auto any = [](const std::vector<std::string>& paths) {
    return std::any_of(paths.begin(), paths.end(), exists);
  };
  std::string text;
  if (b.snap != nullptr && any({std::string("/snap/") + b.snap, places.home + "/snap/" + b.snap})) text += warn("snap");
  if (any({places.home + "/.var/app/" + b.flatpak, std::string("/var/lib/flatpak/app/") + b.flatpak}))
    text += warn("flatpak");
  return text;
}

/// One line about a manifest; `good` is whether the browser will start this very program for our extension.
std::string diagnose(const Target& target, const std::string& program, bool& good) {
  good = false;
  const std::string at = target.name + ": " + target.file;
  if (!exists(target.file)) return target.name + ": not installed (no " + target.file + ")\n";
  const std::string bytes = bytes_of(target.file);
  const std::string danger = unsafe(target.file);
  if (!danger.empty()) return at + ": not safe, " + danger + "\n";
  if (bytes == manifest(target, program)) {
    good = true;
    return at + ": ok\n";
  }
  const Json json = Json::parse(bytes, nullptr, false);
  if (!json.is_object()) return at + ": damaged; install again\n";
  const std::string path = json.value("path", Json("")).dump();
  if (path != Json(program).dump())
    return at + ": starts another program, " + path + "; install again to use this one\n";
  return at + ": the ids of the extension are not those of this program; install again\n";
}

}  // namespace

InstallOptions parse_install(const std::vector<std::string>& arguments) {
  InstallOptions options;
  options.places = Places::from_environment();
  char program[PATH_MAX];
  const ssize_t n = readlink("/proc/self/exe", program, sizeof program);
  if (n <= 0 || n == static_cast<ssize_t>(sizeof program))
    throw std::runtime_error("the program can't find its own path");
  options.program.assign(program, static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    const std::string& name = arguments[i];
    if (i + 1 == arguments.size()) throw std::invalid_argument(name + " needs a value");
    const std::string& value = arguments[i + 1];
    if (name == "--profile") {
      char full[PATH_MAX];
      open_folder(value[0] == '/' ? value : "./" + value, true);
      if (realpath(value.c_str(), full) == nullptr) throw std::invalid_argument("there is no folder " + value);
      options.profile = full;
    } else if (name == "--browser") {
      for (const Browser& b : browsers()) {
        if (value == "all" || value == b.name) options.browsers.emplace_back(b.name);
      }
      if (options.browsers.empty())
        throw std::invalid_argument("'" + value + "' is none of chromium, chrome, edge, brave, firefox, all");
    } else {
      throw std::invalid_argument("'" + name + "' is neither --browser nor --profile");
    }
  }
  return options;
}

Report install(const InstallOptions& o) {
  const auto list = targets(o, false);
  if (list.empty()) return {"No browser was found. Name one: shadegrad-host install --browser chromium\n", 1};
  // Everything is judged before anything is written.
  std::vector<std::string> places{o.program};
  for (const Target& t : list) places.push_back(t.file);
  for (const std::string& place : places) {
    const std::string danger = unsafe(place);
    if (!danger.empty()) return {"Not installed: " + danger + ".\n", 1};
  }
  Report report;
  for (const Target& t : list) {
    const std::string bytes = manifest(t, o.program);
    const bool same = bytes_of(t.file) == bytes;
    if (!same) write_whole(t.file, bytes, 0644);
    report.text += t.name + ": " + (same ? "unchanged " : "wrote ") + t.file + "\n";
  }
  const Grants grants(o.places);
  open_folder(grants.checkpoints(), true);
  for (const Root& root : grants.roots()) {
    if (root.folder == o.places.folder()) open_folder(root.folder, true);
    report.text += "granted folder: " + root.folder + (Grants::available(root) ? "\n" : " (not there)\n");
  }
  report.text += "checkpoints: " + grants.checkpoints() + "\n";
  return report;
}

Report uninstall(const InstallOptions& o) {
  Report report;
  for (const Target& t : targets(o, true)) {
    if (!exists(t.file)) continue;
    if (unlink(t.file.c_str()) != 0) {
      report.text += t.name + ": " + t.file + " can't be removed: " + error_text(errno) + "\n";
      report.status = 1;
      continue;
    }
    report.text += t.name + ": removed " + t.file + "\n";
    remove_empty_above(t.file, o.places.home);
  }
  const bool whole = o.profile.empty() && (o.browsers.empty() || o.browsers.size() == browsers().size());
  if (whole) {
    if (unlink(o.places.grants().c_str()) == 0) report.text += "removed " + o.places.grants() + "\n";
    remove_empty_above(o.places.grants(), o.places.home);
    // Only when they are empty: what was saved is the person's.
    rmdir((o.places.folder() + "/checkpoints").c_str());
    if (rmdir(o.places.folder().c_str()) != 0 && exists(o.places.folder()))
      report.text += "kept " + o.places.folder() + ", which holds files\n";
  }
  if (report.text.empty()) report.text = "Nothing was installed.\n";
  return report;
}

Report doctor(const InstallOptions& o) {
  Report report;
  int working = 0;
  const std::string danger = unsafe(o.program);
  report.text += "program: " + o.program + (danger.empty() ? "" : ": not safe, " + danger) + "\n";
  for (const Target& t : targets(o, true)) {
    bool good = false;
    report.text += diagnose(t, o.program, good);
    working += good;
  }
  for (const Browser& b : browsers()) report.text += sandbox_warning(b, o.places);
  const Grants grants(o.places);
  bool folders = true;
  for (const Root& root : grants.roots()) {
    const bool there = Grants::available(root);
    folders = folders && there;
    report.text += "granted folder: " + root.folder + (there ? ": ok\n" : ": not there; make it, or revoke it\n");
  }
  report.text +=
      "checkpoints: " + grants.checkpoints() + (exists(grants.checkpoints()) ? ": ok\n" : ": not there yet\n");
  report.status = working > 0 && folders && danger.empty() ? 0 : 1;
  if (working == 0) report.text += "No browser would start this program. Run: shadegrad-host install\n";
  return report;
}

}  // namespace sg::host

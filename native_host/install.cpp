#include "native_host/install.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <stdexcept>

#include "native_host/build.h"
#include "native_host/manifest.h"
#include "native_host/safety.h"
#include "native_host/store.h"
#include "native_host/terminal.h"

namespace sg::host {
namespace {

std::string browser_names() {
  std::string names;
  for (const Browser& b : browsers()) names += std::string(b.name) + ", ";
  return names;
}

std::string own_path() {
  char program[PATH_MAX];
  const ssize_t n = readlink("/proc/self/exe", program, sizeof program);
  if (n <= 0 || n == static_cast<ssize_t>(sizeof program) || access("/proc/self/exe", F_OK) != 0)
    throw std::runtime_error("the program can't find its own path; was it moved while it ran?");
  return {program, static_cast<std::size_t>(n)};
}

std::string folder_from(const std::string& value) {
  char full[PATH_MAX];
  if (!value.empty()) open_folder(value[0] == '/' ? value : "./" + value, true);
  if (value.empty() || realpath(value.c_str(), full) == nullptr)
    throw std::invalid_argument("there is no folder '" + value + "'");
  return full;
}

/// Removes empty folders from the one that held `file` upwards, the home itself never.
void remove_empty_above(std::string file, const std::string& home) {
  for (;;) {
    file = file.substr(0, file.find_last_of('/'));
    if (file.empty() || file == home || rmdir(file.c_str()) != 0) return;
  }
}

/// Writes one manifest, or says why not.
void install_one(const Target& target, const InstallOptions& o, Report& report) {
  const std::string name = target.browser + ": ";
  const auto refuse = [&](const std::string& why) {
    report.text += name + "not installed: " + why + "\n";
    report.status = 1;
  };
  if (const auto danger = danger_at(target.file))
    return refuse(shown(danger->place) + " " + danger->why + ". Run: " + danger->command);
  const std::string bytes = manifest_for(target.family, o.program);
  const HostManifest old = read_manifest(target);
  if (old.bytes == bytes) {
    report.text += name + "already set up in " + shown(target.file) + "\n";
    return;
  }
  const bool theirs = old.kind == HostManifest::Kind::foreign || old.kind == HostManifest::Kind::unreadable;
  if (theirs && !o.replace) {
    return refuse(shown(target.file) + " is there, and this program did not write it. To replace it: " +
                  quoted(o.program) + " install --replace --browser " + target.browser);
  }
  try {
    write_whole(target.file, bytes, 0644);
  } catch (const std::system_error& e) {
    return refuse(shown(target.file) + " can't be written: " + error_text(e.code().value()));
  }
  report.text += name + (old.kind == HostManifest::Kind::missing ? "wrote " : "replaced ") + shown(target.file);
  if (!old.program.empty() && old.program != o.program) report.text += ", which named " + shown(old.program);
  report.text += "\n";
}

/// The folders that checkpoints and the granted root need, and where they are.
void prepare_folders(const Grants& grants, Report& report) {
  open_folder(grants.checkpoints(), true);
  for (const Root& root : grants.roots()) {
    if (root.path == grants.places().folder()) open_folder(root.path, true);
    report.text += std::string(root.file ? "granted file: " : "granted folder: ") + shown(root.path) +
                   (Grants::available(root) ? "\n" : " (not there)\n");
  }
  report.text += "checkpoints: " + shown(grants.checkpoints()) + "\n";
}

void uninstall_one(const Target& target, const InstallOptions& o, Report& report) {
  const HostManifest old = read_manifest(target);
  // What a write that was killed left behind has no name that anybody reads.
  const bool swept = remove_partials(target.file);
  if (old.kind == HostManifest::Kind::own) {
    if (unlink(target.file.c_str()) == 0) {
      report.text += target.browser + ": removed " + shown(target.file) + "\n";
    } else {
      report.text += target.browser + ": " + shown(target.file) + " can't be removed: " + error_text(errno) + "\n";
      report.status = 1;
    }
  } else if (old.kind != HostManifest::Kind::missing) {
    report.text += target.browser + ": kept " + shown(target.file) +
                   ", which this program did not write. To remove it: rm -r " + quoted(target.file) + "\n";
    report.status = 1;
  }
  if (old.kind == HostManifest::Kind::own || swept) remove_empty_above(target.file, o.places.home);
}

/// The list of granted folders is the program's own and goes; what was saved and read is the person's and stays.
void forget_grants(const Places& places, Report& report) {
  const Grants grants(places);
  std::string checkpoints, datasets;
  std::vector<Root> roots;
  try {
    checkpoints = grants.checkpoints();
    datasets = grants.datasets();
    roots = grants.roots();
  } catch (const Failure& e) {
    report.text += "kept " + shown(places.grants()) + ", which alone says where checkpoints are: " + e.what() +
                   " To remove it: rm " + quoted(places.grants()) + "\n";
    report.status = 1;
    return;
  }
  remove_partials(places.grants());
  unlink(places.grants_lock().c_str());
  if (unlink(places.grants().c_str()) == 0) {
    report.text += "removed " + shown(places.grants()) + "; the granted folders themselves stay:\n";
    for (const Root& root : roots) report.text += "  " + shown(root.path) + "\n";
  }
  remove_empty_above(places.grants(), places.home);
  Store store(checkpoints);
  store.remove_leftovers();
  std::uint64_t bytes = 0;
  const auto saved = store.list();
  for (const Stored& s : saved) bytes += s.size;
  // Only folders that are empty go.
  rmdir(checkpoints.c_str());
  rmdir(datasets.c_str());
  rmdir(places.folder().c_str());
  if (!saved.empty()) {
    report.text += "kept " + std::to_string(saved.size()) + " checkpoints (" + grouped(bytes) + " bytes) in " +
                   shown(checkpoints) + "; they are yours\n";
  } else if (access(places.folder().c_str(), F_OK) == 0) {
    report.text += "kept " + shown(places.folder()) + ", which holds files; they are yours\n";
  }
}

}  // namespace

InstallOptions parse_install(const std::vector<std::string>& arguments) {
  InstallOptions options;
  options.places = Places::from_environment();
  options.system = System::from_environment();
  options.program = own_path();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    if (name == "--replace") {
      options.replace = true;
      continue;
    }
    if (name != "--browser" && name != "--profile")
      throw std::invalid_argument("'" + shown(name) + "' is none of --browser, --profile, --replace");
    if (++i == arguments.size()) throw std::invalid_argument(name + " needs a value");
    const std::string& value = arguments[i];
    if (name == "--profile") {
      options.profile = folder_from(value);
      continue;
    }
    const std::size_t before = options.browsers.size();
    for (const Browser& b : browsers()) {
      if (value == "all" || value == b.name) options.browsers.emplace_back(b.name);
    }
    if (options.browsers.size() == before)
      throw std::invalid_argument("'" + shown(value) + "' is none of " + browser_names() + "all");
  }
  return options;
}

bool is_meant(const InstallOptions& o, const Browser& b) {
  if (o.browsers.empty()) return o.profile.empty();
  return std::find(o.browsers.begin(), o.browsers.end(), b.name) != o.browsers.end();
}

std::string explain_sandbox(const Browser& b, const Presence& presence) {
  const Sandbox& sandbox = presence.sandboxes.front();
  return std::string("this browser is a ") + sandbox.kind + " (" + shown(sandbox.place) + "), and from inside a " +
         sandbox.kind + "'s sandbox no program of yours can be started; use the one that is a package of the system (" +
         b.package + ")";
}

Report install(const InstallOptions& o) {
  if (const auto danger = danger_at(o.program)) {
    return {"Not installed: a browser would start " + shown(o.program) + ", and " + shown(danger->place) + " " +
                danger->why + ". Run: " + danger->command + "\n",
            1};
  }
  const Grants grants(o.places);
  (void)grants.roots();  // a damaged list is said before anything is written
  Report report;
  int served = 0, sandboxed = 0;
  const auto serve = [&](const Target& target) {
    ++served;
    install_one(target, o, report);
  };
  if (!o.profile.empty()) serve(target_of_profile(o.profile));
  for (const Browser& b : browsers()) {
    if (!is_meant(o, b)) continue;
    const Presence presence = presence_of(b, o.places, o.system);
    if (presence.only_sandboxed()) {
      ++sandboxed;
      report.text += std::string(b.name) + ": no file was written: " + explain_sandbox(b, presence) + "\n";
    } else if (presence.native || !o.browsers.empty()) {
      serve(target_of(b, o.places));
    }
  }
  if (served == 0 && sandboxed == 0) {
    report.text = "No browser was found. Name one of " + browser_names() + "or all of them: " + quoted(o.program) +
                  " install --browser all\n";
  }
  if (served == 0) {
    report.status = 1;
    return report;
  }
  prepare_folders(grants, report);
  return report;
}

Report uninstall(const InstallOptions& o) {
  Report report;
  if (!o.profile.empty()) uninstall_one(target_of_profile(o.profile), o, report);
  for (const Browser& b : browsers()) {
    if (is_meant(o, b)) uninstall_one(target_of(b, o.places), o, report);
  }
  const auto meant = [&](const Browser& b) { return is_meant(o, b); };
  if (std::all_of(browsers().begin(), browsers().end(), meant)) forget_grants(o.places, report);
  if (report.text.empty()) report.text = "Nothing was installed.\n";
  return report;
}

}  // namespace sg::host

// The browsers that can start the host: where each looks for manifests on each system, how one is found on this
// machine, and its packagings in a sandbox (snap, flatpak), from which no host can be started. One row of the table is
// all that a browser needs.
#pragma once
#include <string>
#include <vector>

#include "native_host/grants.h"

namespace sg::host {

/// The two shapes of a manifest, and of the folders that hold it.
enum class Family { chromium, firefox };

struct Browser {
  const char* name;  // as `--browser` takes it
  Family family;
  const char* linux_folder;  // its data: below ~/.config, or below the home for Firefox and its kin
  const char* mac_folder;    // the same below ~/Library/Application Support
  const char* windows_key;   // below HKEY_CURRENT_USER\Software; some browsers read another's
  std::vector<const char*> programs;
  const char* snap;     // its name as a snap, or nullptr
  const char* flatpak;  // its id as a flatpak
  const char* package;  // its Debian package, from Debian or its maker
};

const std::vector<Browser>& browsers();

/// What is looked at outside of the person's own folders; tests give another root.
struct System {
  std::string root;  // before /snap and /var
  std::string path;  // the folders of programs, joined by ':'
  static System from_environment();
};

struct Sandbox {
  const char* kind;  // "snap" or "flatpak"
  std::string place;
};

/// How a browser stands on this machine.
struct Presence {
  bool native = false;  // it runs outside of any sandbox: its program or its data was found
  std::vector<Sandbox> sandboxes;
  bool only_sandboxed() const { return !native && !sandboxes.empty(); }
};

Presence presence_of(const Browser& browser, const Places& places, const System& system);

/// Where a browser's manifest stands.
struct Target {
  std::string browser;
  Family family = Family::chromium;
  std::string file;
  std::string registry_key;  // what points to the file on Windows, below HKEY_CURRENT_USER; elsewhere empty
};

Target target_of(const Browser& browser, const Places& places);
/// That of a private Chromium profile, by its user data folder.
Target target_of_profile(const std::string& folder);

}  // namespace sg::host

// Where this person's things are, from the environment: the one place that knows where each system keeps them.
#pragma once
#include <string>

namespace sg::host {

struct Places {
  std::string home;    // absolute
  std::string config;  // ~/.config; %LOCALAPPDATA% on Windows
  std::string grants() const { return config + "/shadegrad/grants.json"; }
  // Held by whoever changes the list; not the list itself, which is another file after each change.
  std::string grants_lock() const { return config + "/shadegrad/grants.lock"; }
  std::string folder() const { return home + "/Shadegrad"; }
  // Where the host writes, unless grants.json says otherwise.
  std::string checkpoints() const { return folder() + "/checkpoints"; }
  std::string datasets() const { return folder() + "/datasets"; }
  static Places from_environment();
};

}  // namespace sg::host

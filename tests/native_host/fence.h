// A granted folder with a secret beside it, and every kind of thing that is no plain file; and paths that must not
// reach the secret, or anything else that was not granted.
#pragma once
#include <string>
#include <vector>

#include "native_host/grants.h"
#include "tests/native_host/program.h"

namespace sg::test {

inline constexpr const char* kSecret = "the secret outside the granted folder";

struct Fence {
  Folder home;
  host::Places places{home.path(), home.path() + "/.config"};
  host::Grants grants{places};
  std::string root = home / "Shadegrad";
  Fence();
};

std::vector<std::string> hostile_paths(const std::string& home);

}  // namespace sg::test

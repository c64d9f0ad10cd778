#include "native_host/store_names.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "native_host/error.h"

namespace sg::host {
namespace {

constexpr std::string_view kEnding = ".safetensors";
constexpr std::size_t kLongestRun = 64, kLongestFile = 100;

constexpr const char* kRule =
    "letters, digits, '.', '_' and '-' alone, does not begin or end with '.', and is no device of Windows (con, nul, "
    "...)";

/// Windows takes these for devices, whatever follows after a dot.
bool is_device(std::string_view name) {
  std::string stem(name.substr(0, name.find('.')));
  std::transform(stem.begin(), stem.end(), stem.begin(), [](unsigned char c) { return std::tolower(c); });
  constexpr std::array<std::string_view, 4> kAlone{"con", "prn", "aux", "nul"};
  if (std::find(kAlone.begin(), kAlone.end(), stem) != kAlone.end()) return true;
  const bool numbered = stem.size() == 4 && std::isdigit(static_cast<unsigned char>(stem[3]));
  return numbered && (stem.rfind("com", 0) == 0 || stem.rfind("lpt", 0) == 0);
}

bool is_plain(std::string_view name) {
  const auto plain = [](unsigned char c) { return c < 128 && (std::isalnum(c) || c == '_' || c == '-' || c == '.'); };
  return !name.empty() && name.front() != '.' && name.back() != '.' && !is_device(name) &&
         std::all_of(name.begin(), name.end(), plain);
}

}  // namespace

bool is_run(std::string_view name) { return name.size() <= kLongestRun && is_plain(name); }

bool is_checkpoint_file(std::string_view name) {
  return name.size() <= kLongestFile && name.size() > kEnding.size() && is_plain(name) &&
         name.substr(name.size() - kEnding.size()) == kEnding;
}

CheckpointName checkpoint_name(const std::string& name) {
  const std::size_t slash = name.find('/');
  if (slash != std::string::npos) {
    const CheckpointName parts{name.substr(0, slash), name.substr(slash + 1)};
    if (is_run(parts.run) && is_checkpoint_file(parts.file)) return parts;
  }
  throw Failure("store.name_refused", "A checkpoint's name is RUN/FILE.safetensors: each of the two has " +
                                          std::string(kRule) +
                                          "; RUN has at most 64 characters, FILE.safetensors at most 100.");
}

void check_run(const std::string& name) {
  if (is_run(name)) return;
  throw Failure("store.name_refused", "A run's name has " + std::string(kRule) + ", and at most 64 characters.");
}

}  // namespace sg::host

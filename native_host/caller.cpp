#include "native_host/caller.h"

#include <algorithm>

#include "native_host/build.h"

namespace sg::host {
namespace {

/// `--parent-window=7` and the like, which Chromium adds; they mean nothing here.
bool is_switch(const std::string& argument) {
  const std::size_t equals = argument.find('=');
  const std::string name = argument.substr(0, equals);
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; };
  const auto plain = [](unsigned char c) { return c >= 0x20 && c < 0x7F; };
  return argument.size() <= 4096 && name.size() > 2 && name.rfind("--", 0) == 0 && name[2] != '-' &&
         std::all_of(name.begin(), name.end(), letter) && std::all_of(argument.begin(), argument.end(), plain);
}

bool is_chromium(const std::string& argument) {
  return std::any_of(kChromiumIds.begin(), kChromiumIds.end(),
                     [&](std::string_view id) { return argument == "chrome-extension://" + std::string(id) + "/"; });
}

/// An absolute path to our own manifest.
bool is_manifest(const std::string& argument) {
  const std::string file = "/" + std::string(kHostName) + ".json";
  return argument.size() > file.size() && argument[0] == '/' &&
         argument.compare(argument.size() - file.size(), file.size(), file) == 0;
}

}  // namespace

std::string refuse_caller(const std::vector<std::string>& arguments) {
  std::vector<std::string> plain;
  std::copy_if(arguments.begin(), arguments.end(), std::back_inserter(plain),
               [](const auto& a) { return !is_switch(a); });
  const bool chromium = plain.size() == 1 && is_chromium(plain[0]);
  const bool firefox = plain.size() == 2 && is_manifest(plain[0]) && plain[1] == kFirefoxId;
  if (chromium || firefox) return "";
  if (plain.empty())
    return "this program is started by the browser; see 'shadegrad-host --help' for what it does otherwise";
  return "not started by the Shadegrad extension (unknown origin, or arguments that no browser gives)";
}

}  // namespace sg::host

// The door to libFuzzer: FUZZ_TARGET names the target, `list` lists them.
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "tests/fuzz/targets.h"

namespace {

std::optional<sg::fuzz::Target> chosen;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* name = std::getenv("FUZZ_TARGET");
  for (const sg::fuzz::Target& target : sg::fuzz::targets()) {
    if (name == nullptr || std::string(name) == "list") std::puts(target.name.c_str());
    if (name != nullptr && target.name == name) chosen = target;
  }
  if (!chosen) std::exit(name != nullptr && std::string(name) == "list" ? 0 : 2);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen->run({data, size});
  return 0;
}

#include "tests/fuzz/targets.h"

#include <algorithm>

namespace sg::fuzz {
namespace {

std::vector<Target>& registered() {
  static std::vector<Target> all;
  return all;
}

}  // namespace

// Defined beside the readers of tables (tables.cpp).
std::vector<Target> table_targets();

std::vector<Target> targets() {
  std::vector<Target> all = registered();
  for (Target& target : table_targets()) all.push_back(std::move(target));
  std::sort(all.begin(), all.end(), [](const Target& a, const Target& b) { return a.name < b.name; });
  return all;
}

Registered::Registered(const char* name, std::function<void(Bytes)> run) {
  registered().push_back({name, std::move(run)});
}

void in_pieces(Bytes bytes, const std::function<void(Bytes)>& take) {
  std::uint32_t state = 2166136261u;
  for (const std::uint8_t byte : bytes) state = (state ^ byte) * 16777619u;
  while (!bytes.empty()) {
    state = state * 1664525u + 1013904223u;
    // Mostly a few bytes, at times many, so that both sides of every buffer are met.
    const std::size_t most = (state >> 24) % 4 == 0 ? 4096 : 16;
    const std::size_t n = std::min<std::size_t>(bytes.size(), 1 + (state >> 8) % most);
    take(bytes.first(n));
    bytes = bytes.subspan(n);
  }
}

}  // namespace sg::fuzz

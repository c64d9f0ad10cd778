// What is fuzzed: functions over hostile bytes, each with the invariants that hold whatever the bytes are. libFuzzer
// runs them for minutes (fuzz_main.cpp), the tests over the kept corpora (replay_test.cpp). A format of tables is a
// target by its row in io/formats.def; any other is a Registered in its own file.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace sg::fuzz {

using Bytes = std::span<const std::uint8_t>;

struct Target {
  std::string name;  // also its folder in tests/fuzz/corpus
  std::function<void(Bytes)> run;
};

std::vector<Target> targets();

struct Registered {
  Registered(const char* name, std::function<void(Bytes)> run);
};

/// An invariant that did not hold; nobody catches it.
class Broken : public std::logic_error {
  using logic_error::logic_error;
};

inline void hold(bool invariant, const std::string& what) {
  if (!invariant) throw Broken(what);
}

inline std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// Hands the bytes over in pieces whose sizes follow from the bytes themselves, so that an input stays one plain file.
void in_pieces(Bytes bytes, const std::function<void(Bytes)>& take);

}  // namespace sg::fuzz

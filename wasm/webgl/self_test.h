// Whether this GPU may be used: numbers go through its shaders, its textures and its read-backs, and those that come
// out must be right. Drivers exist that compute with fewer bits, flush what is small, lose NaN or fetch the wrong
// texel, and say nothing of it.
#pragma once
#include <string>
#include <vector>

namespace sg {

struct Probe {
  std::string name, expected, came;
  bool ok;
};

struct SelfTest {
  bool ok = true;
  std::vector<Probe> probes;
  double ms = 0;
  /// What failed, by name.
  std::string reason() const;
};

/// Of the context that webgl devices are made on, once for each context. Throws as make_webgl_device does.
const SelfTest& webgl_self_test();

#ifdef SG_BREAK_PROBES
/// The self-test runs anew when it is asked for, with what this probe is about spoilt: its shader, or the numbers on
/// their way. "": none. webgl_self_test() throws sg::Error("webgl.self_test") where nothing is known to spoil it by.
void break_probe(const std::string& name);
#endif

}  // namespace sg

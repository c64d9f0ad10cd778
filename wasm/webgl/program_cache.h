// Compiled programs by ProgramKey. A program's samplers are bound to the texture units 0, 1, 2, ... in the order of the
// kernel's inputs, and its parameters to uniform block binding 0. A program is asked for first and looked at later:
// between the two the driver compiles, several at a time where it can.
#pragma once
#include <GLES3/gl3.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "webgl/program_source.h"

namespace sg::webgl {

class ProgramCache {
 public:
  /// Whether GL says that a program is there without waiting for it: KHR_parallel_shader_compile.
  void set_says_when_there(bool says) { says_when_there_ = says; }
  bool says_when_there() const { return says_when_there_; }
  /// Asks for the program, once, and waits for nothing.
  void begin(const ProgramKey& key);
  /// Whether the program is there; asks for it. Waits for it where GL does not say otherwise. Throws as get() does.
  bool ready(const ProgramKey& key);
  /// The program, waited for. Throws sg::Error("webgl.shader") with the kernel and the compiler's log.
  GLuint get(const ProgramKey& key);
  /// A program of this fragment shader and these samplers, left in use; the caller deletes it.
  GLuint make(const std::string& fragment, const std::string& what, std::span<const std::string_view> inputs);
  /// Programs compiled since the context was made. Where it grows, another program was left in use.
  uint64_t count() const { return count_; }
  /// Deletes all programs; their context must be current.
  void clear();

 private:
  struct Entry {
    ProgramKey key;
    GLuint program;
    GLuint fragment;  // 0 once the program was found to be good
  };
  /// Of this key, asked for where there is none.
  Entry& entry(const ProgramKey& key);
  Entry start(const ProgramKey& key, const std::string& source);
  /// Waits until it is linked.
  void finish(Entry& entry, const std::string& what, std::span<const std::string_view> inputs);

  std::array<std::vector<Entry>, static_cast<size_t>(Kernel::count)> programs_;
  GLuint vertex_ = 0;
  uint64_t count_ = 0;
  bool says_when_there_ = false;
};

}  // namespace sg::webgl

// Compiled programs by ProgramKey. A program's samplers are bound to the texture units 0, 1, 2, ... in the order of the
// kernel's inputs, and its parameters to uniform block binding 0.
#pragma once
#include <GLES3/gl3.h>

#include <array>
#include <cstdint>
#include <vector>

#include "webgl/program_source.h"

namespace sg::webgl {

class ProgramCache {
 public:
  /// 0 where it is not compiled yet.
  GLuint find(const ProgramKey& key) const;
  /// Throws sg::Error("webgl.shader") with the kernel and the compiler's log.
  GLuint compile(const ProgramKey& key);
  /// A program of this fragment shader and these samplers, left in use; the caller deletes it.
  GLuint make(const std::string& fragment, const std::string& what, std::span<const std::string_view> inputs);
  /// Programs compiled since the context was made.
  uint64_t count() const { return count_; }
  /// Deletes all programs; their context must be current.
  void clear();

 private:
  struct Entry {
    ProgramKey key;
    GLuint program;
  };
  std::array<std::vector<Entry>, static_cast<size_t>(Kernel::count)> programs_;
  GLuint vertex_ = 0;
  uint64_t count_ = 0;
};

/// Compiles `source`; throws with `what` and the log.
GLuint compile_shader(GLenum stage, const std::string& source, const std::string& what);

}  // namespace sg::webgl

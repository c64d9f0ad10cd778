// The one GL context of the process, shared by all webgl devices: compiled programs outlive a device, and browsers
// allow few contexts. After a loss another one takes its place, and the devices of the lost one stay dead. It keeps
// what is bound, so that a draw sets only what changed. A device brings its own textures.
#pragma once
#include <GLES3/gl3.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>

#include "webgl/context.h"
#include "webgl/layout.h"
#include "webgl/parameter_ring.h"
#include "webgl/program_cache.h"

namespace sg::webgl {

inline constexpr size_t kMaxInputs = 13, kMaxOutputs = 6;

/// A 2D array texture of a buffer; `framebuffer` has its first layer as the only target.
struct Texture {
  GLuint id = 0, framebuffer = 0;
  Extent extent;
};

class Graphics {
 public:
  /// The context that lives, or a new one after a loss. Throws sg::Error("webgl.unavailable").
  static std::shared_ptr<Graphics> shared();
  /// The context that shared() gave last, if it is not lost.
  static Graphics* live();
  Graphics();
  ~Graphics();
  Graphics(const Graphics&) = delete;
  Graphics& operator=(const Graphics&) = delete;

  /// Every use begins with this: another context may be current.
  void enter();
  /// Throws sg::Error("webgl.context_lost").
  void check_not_lost() const;
  /// Binds a texel of its own for reading, after drawing `mark` into it. A browser tells of a GPU process that has died
  /// only some time later, and until then its reads bring zeros: values are those of the device if what is read after
  /// them is the mark.
  void bind_witness(float mark);
  /// Throws as check_not_lost does, where `seen` is not the mark.
  void check_witness(float mark, float seen);
  /// For each read-back another one, never 0.
  float next_mark() { return static_cast<float>(mark_ = mark_ % 1000003 + 1); }
  Context& context() { return context_; }
  const std::string& renderer() const { return renderer_; }
  uint64_t programs() const { return programs_.count(); }
  /// How buffers lie in textures here, where these are made no larger than `limit` texels in width and height.
  Layout layout(int limit) const { return {std::min(limit, max_texture_size_), max_layers_}; }
  /// Outputs that one draw can write here: draw buffers, as far as that many float targets go together.
  int max_outputs() const { return max_outputs_; }

  /// Makes the texture the one that glTexStorage3D and glTexSubImage3D write.
  void select_texture(GLuint texture);
  void bind_framebuffer(GLuint framebuffer);
  /// A framebuffer of one layer of these textures, left bound.
  GLuint make_framebuffer(std::span<const Texture> targets, int layer);
  /// After a deletion: GL unbinds what is deleted and may hand its name out again.
  void forget_bindings();

  /// Whether program_ready() tells without waiting.
  bool says_when_compiled() const { return programs_.says_when_there(); }
  /// Asks for a program and waits for nothing.
  void begin_program(const ProgramKey& key) { programs_.begin(key); }
  /// Whether a program is there, asking for it; waits for it where GL cannot be asked. Throws
  /// sg::Error("webgl.shader").
  bool program_ready(const ProgramKey& key);
  /// The program, waited for.
  GLuint program(const ProgramKey& key);

  /// One triangle over targets of this size. Sampler k reads inputs[k].
  void draw(const ProgramKey& key, std::span<const Texture> inputs, GLuint framebuffer, const Area& area,
            const ParameterBlock& parameters);
  void draw(GLuint program, std::span<const Texture> inputs, GLuint framebuffer, const Area& area,
            const ParameterBlock& parameters);
  void draw(GLuint program, std::span<const GLuint> inputs, GLuint framebuffer, const Area& area,
            const Uniforms& parameters);
  const ParameterRing& parameters() const { return parameters_; }
  /// For tests, after each draw of the kernel: throws what GL says of it. It stalls.
  void check_draw(Kernel kernel);
  /// For tests: the context goes away at this one of the draws that are checked.
  void lose_at_draw(uint64_t draw) { loses_in_ = draw; }
  /// A program beside the kernels', for the caller to delete.
  GLuint make_program(const std::string& fragment, const std::string& what, std::span<const std::string_view> inputs);

 private:
  int find_max_outputs();
  template <class Ask>
  auto asking(const Ask& ask);
  bool lost() const { return dead_ || context_.lost(); }
  void bind_texture(size_t unit, GLuint texture);

  Context context_;
  std::string renderer_;
  int max_texture_size_ = 0, max_layers_ = 0, max_outputs_ = 1;
  ProgramCache programs_;
  ParameterRing parameters_;
  std::array<GLuint, kMaxInputs> units_{};
  size_t active_unit_ = 0;
  GLuint program_ = 0, framebuffer_ = 0, witness_ = 0;
  Uniforms uniforms_;
  uint64_t loses_in_ = 0;
  int mark_ = 0;
  bool dead_ = false;
  Area area_;
};

}  // namespace sg::webgl

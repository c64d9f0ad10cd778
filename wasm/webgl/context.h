// A GL context: GLES 3.0 by EGL natively (context_egl.cpp), WebGL2 on an OffscreenCanvas in a browser
// (context_web.cpp). These two files are the only ones that know where they run; the GL calls of the others are the
// same in both.
#pragma once
#include <memory>
#include <span>
#include <string>

namespace sg::webgl {

class Context {
 public:
  /// Makes the context current; throws sg::Error("webgl.unavailable") with the reason where there is none that can
  /// render to float textures.
  Context();
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  void make_current();
  /// True once the browser or the driver took the context away: for good, another must be made.
  bool lost() const;
  /// Takes the context away, for tests; natively by saying so, and by bringing back nothing of worth from then on.
  void lose();
  /// For tests: the context goes away in the midst of the next read-back.
  void lose_at_next_read();
  /// Whether GL_COMPLETION_STATUS_KHR can be asked of a program: whether it is there, without waiting for it.
  bool says_when_compiled() const;
  /// The renderer's real name, unmasked.
  std::string renderer() const;
  /// Waits for the texels of the bound framebuffer's rows from y on. Without worth where the context is lost
  /// afterwards, as with read_pack_buffer.
  void read_pixels(int y, int width, int height, float* texels);
  /// Copies from the buffer bound to GL_PIXEL_PACK_BUFFER, from its float `first` on.
  void read_pack_buffer(std::span<float> values, int64_t first = 0);

 private:
  struct Platform;
  std::unique_ptr<Platform> platform_;
};

}  // namespace sg::webgl

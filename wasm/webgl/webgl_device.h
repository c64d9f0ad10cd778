// The device that computes in fragment shaders: a buffer is a texture, a kernel a draw or a few. All webgl devices of a
// process share one GL context and its programs; each has buffers of its own.
#pragma once
#include <memory>
#include <string>

#include "core/device.h"

namespace sg {

struct WebglOptions {
  /// Outputs that one draw may write, where the context allows as many: fewer make more draws.
  int max_outputs = 6;
  /// Textures are no larger than this in width and height, whatever the context allows: a buffer that needs more has
  /// several layers.
  int max_texture_size = 1 << 20;
  /// Asks GL for an error after every draw and throws it: for tests, it stalls.
  bool check_errors = false;
};

/// Throws sg::Error("webgl.unavailable") with the reason: no context, no float targets, or no 32-bit floats in shaders.
///
/// When the context is lost, every call of every device throws sg::Error("webgl.context_lost") from then on, except
/// size() and release(); no value of a lost context is given out. The next device is made on a new context.
std::unique_ptr<Device> make_webgl_device(const WebglOptions& options = {});

/// For tests: takes the context of all webgl devices away, at once or in the midst of their next read-back.
enum class Loss { now, at_next_read };
void lose_webgl_context(Loss when = Loss::now);
/// The same after so many more draws of devices that check errors.
void lose_webgl_context_at_draw(uint64_t draw);

struct WebglInfo {
  std::string renderer;
  /// Drawn by a CPU: slower than the cpu device.
  bool software;
};
/// Throws as make_webgl_device does.
WebglInfo webgl_info();

/// Whether a renderer of this name draws on a CPU.
bool is_software_renderer(const std::string& renderer);

}  // namespace sg

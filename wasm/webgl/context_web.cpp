// The context in a browser: WebGL2 on an OffscreenCanvas, made in whichever worker or page the module runs in.
// In EM_JS a pointer parameter needs a space after its star, or its name is lost.
#include <GLES3/gl3.h>
#include <emscripten/emscripten.h>

#include <array>

#include "io/error.h"
#include "webgl/context.h"

extern "C" void glGetBufferSubData(GLenum target, GLintptr offset, GLsizeiptr size, void* data);

// clang-format off
EM_JS(int, sg_gl_create, (char * reason, int capacity), {
  const fail = (text) => { stringToUTF8(text, reason, capacity); return 0; };
  if (typeof OffscreenCanvas === 'undefined') return fail('this browser has no OffscreenCanvas');
  const canvas = new OffscreenCanvas(1, 1);
  let why = "";
  canvas.addEventListener('webglcontextcreationerror', (event) => { why = event.statusMessage; });
  const options = {alpha: false, depth: false, stencil: false, antialias: false, powerPreference: 'high-performance'};
  const context = canvas.getContext('webgl2', options);
  if (!context) return fail('this browser gives no WebGL2 context' + (why ? ': ' + why : ""));
  if (!context.getExtension('EXT_color_buffer_float')) {
    return fail('WebGL2 here cannot render to float textures (no EXT_color_buffer_float)');
  }
  return GL.registerContext(context, {majorVersion: 2, minorVersion: 0, enableExtensionsByDefault: 0});
});

EM_JS(void, sg_gl_make_current, (int handle), { GL.makeContextCurrent(handle); });

EM_JS(void, sg_gl_destroy, (int handle), {
  const context = GL.getContext(handle);
  if (!context) return;
  const lose = context.GLctx.getExtension('WEBGL_lose_context');
  if (lose && !context.GLctx.isContextLost()) lose.loseContext();
  GL.deleteContext(handle);
});

EM_JS(int, sg_gl_lost, (int handle), {
  const context = GL.getContext(handle);
  return !context || context.GLctx.isContextLost() ? 1 : 0;
});

EM_JS(void, sg_gl_lose, (int handle), {
  const context = GL.getContext(handle);
  const lose = context && context.GLctx.getExtension('WEBGL_lose_context');
  if (lose) lose.loseContext();
});

EM_JS(int, sg_gl_says_when_compiled, (int handle), {
  return GL.getContext(handle).GLctx.getExtension('KHR_parallel_shader_compile') ? 1 : 0;
});

EM_JS(void, sg_gl_renderer, (int handle, char * name, int capacity), {
  const gl = GL.getContext(handle).GLctx;
  const debug = gl.getExtension('WEBGL_debug_renderer_info');
  stringToUTF8(gl.getParameter(debug ? debug.UNMASKED_RENDERER_WEBGL : gl.RENDERER) || "", name, capacity);
});
// clang-format on

namespace sg::webgl {

struct Context::Platform {
  int handle = 0;
  bool loses_at_read = false;
};

Context::Context() : platform_(std::make_unique<Platform>()) {
  std::array<char, 512> reason{};
  platform_->handle = sg_gl_create(reason.data(), static_cast<int>(reason.size()));
  if (!platform_->handle) throw Error("webgl.unavailable", reason.data());
  make_current();
}

Context::~Context() {
  if (platform_->handle) sg_gl_destroy(platform_->handle);
}

void Context::make_current() { sg_gl_make_current(platform_->handle); }

bool Context::lost() const { return sg_gl_lost(platform_->handle) != 0; }

void Context::lose() { sg_gl_lose(platform_->handle); }
void Context::lose_at_next_read() { platform_->loses_at_read = true; }

bool Context::says_when_compiled() const { return sg_gl_says_when_compiled(platform_->handle) != 0; }

std::string Context::renderer() const {
  std::array<char, 512> name{};
  sg_gl_renderer(platform_->handle, name.data(), static_cast<int>(name.size()));
  return name.data();
}

void Context::read_pixels(int y, int width, int height, float* texels) {
  if (platform_->loses_at_read) lose();
  glReadPixels(0, y, width, height, GL_RGBA, GL_FLOAT, texels);
}

void Context::read_pack_buffer(std::span<float> values, int64_t first) {
  if (platform_->loses_at_read) lose();
  glGetBufferSubData(GL_PIXEL_PACK_BUFFER, static_cast<GLintptr>(first * 4),
                     static_cast<GLsizeiptr>(values.size_bytes()), values.data());
}

}  // namespace sg::webgl

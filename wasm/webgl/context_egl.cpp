// The context of native builds: GLES 3 without a window system, on Mesa's surfaceless platform, else on the default
// display.
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl3.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "io/error.h"
#include "webgl/context.h"

namespace sg::webgl {

struct Context::Platform {
  EGLDisplay display = EGL_NO_DISPLAY;
  EGLContext context = EGL_NO_CONTEXT;
  bool lost = false, loses_at_read = false;
};

namespace {

[[noreturn]] void unavailable(const std::string& what, EGLint error = eglGetError()) {
  std::array<char, 16> code{};
  snprintf(code.data(), code.size(), "0x%04x", static_cast<unsigned>(error));
  throw Error("webgl.unavailable", what + " (EGL error " + code.data() + ")");
}

EGLDisplay open_display() {
  const char* extensions = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
  if (extensions && strstr(extensions, "EGL_MESA_platform_surfaceless")) {
    const auto get = reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
    if (get) return get(EGL_PLATFORM_SURFACELESS_MESA, nullptr, nullptr);
  }
  return eglGetDisplay(EGL_DEFAULT_DISPLAY);
}

bool has_extension(const char* name) {
  GLint count = 0;
  glGetIntegerv(GL_NUM_EXTENSIONS, &count);
  for (GLuint i = 0; i < static_cast<GLuint>(count); ++i) {
    if (!strcmp(reinterpret_cast<const char*>(glGetStringi(GL_EXTENSIONS, i)), name)) return true;
  }
  return false;
}

/// What a read-back from a lost context brings: numbers like any other.
void spoil(std::span<float> values) { std::fill(values.begin(), values.end(), 0.25f); }

}  // namespace

Context::Context() : platform_(std::make_unique<Platform>()) {
  platform_->display = open_display();
  if (platform_->display == EGL_NO_DISPLAY || !eglInitialize(platform_->display, nullptr, nullptr)) {
    unavailable("no EGL display could be opened");
  }
  const std::array<EGLint, 5> wanted{EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES3_BIT,
                                     EGL_NONE};
  EGLConfig config = nullptr;
  EGLint count = 0;
  if (!eglChooseConfig(platform_->display, wanted.data(), &config, 1, &count) || count == 0) {
    unavailable("EGL has no configuration for OpenGL ES 3");
  }
  const std::array<EGLint, 3> version{EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE};
  eglBindAPI(EGL_OPENGL_ES_API);
  platform_->context = eglCreateContext(platform_->display, config, EGL_NO_CONTEXT, version.data());
  if (platform_->context == EGL_NO_CONTEXT) unavailable("EGL could not make an OpenGL ES 3 context");
  make_current();
  if (!has_extension("GL_EXT_color_buffer_float")) {
    throw Error("webgl.unavailable", "the OpenGL ES driver '" + renderer() + "' lacks GL_EXT_color_buffer_float");
  }
}

Context::~Context() {
  if (platform_->context == EGL_NO_CONTEXT) return;
  eglMakeCurrent(platform_->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  eglDestroyContext(platform_->display, platform_->context);
}

void Context::make_current() {
  if (eglMakeCurrent(platform_->display, EGL_NO_SURFACE, EGL_NO_SURFACE, platform_->context)) return;
  const EGLint error = eglGetError();
  if (error != EGL_CONTEXT_LOST) unavailable("EGL could not make the context current without a surface", error);
  platform_->lost = true;
}

bool Context::lost() const { return platform_->lost; }
void Context::lose() { platform_->lost = true; }
void Context::lose_at_next_read() { platform_->loses_at_read = true; }

bool Context::says_when_compiled() const { return has_extension("GL_KHR_parallel_shader_compile"); }

std::string Context::renderer() const { return reinterpret_cast<const char*>(glGetString(GL_RENDERER)); }

void Context::read_pixels(int y, int width, int height, float* texels) {
  glReadPixels(0, y, width, height, GL_RGBA, GL_FLOAT, texels);
  platform_->lost |= platform_->loses_at_read;
  if (platform_->lost) spoil({texels, size_t{4} * static_cast<size_t>(width) * static_cast<size_t>(height)});
}

void Context::read_pack_buffer(std::span<float> values, int64_t first) {
  const void* mapped = glMapBufferRange(GL_PIXEL_PACK_BUFFER, static_cast<GLintptr>(first * 4),
                                        static_cast<GLsizeiptr>(values.size_bytes()), GL_MAP_READ_BIT);
  if (!mapped) throw Error("webgl.context_lost", "a buffer that was read back could not be mapped");
  memcpy(values.data(), mapped, values.size_bytes());
  glUnmapBuffer(GL_PIXEL_PACK_BUFFER);
  platform_->lost |= platform_->loses_at_read;
  if (platform_->lost) spoil(values);
}

}  // namespace sg::webgl

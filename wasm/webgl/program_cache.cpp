#include "webgl/program_cache.h"

#include "io/error.h"

namespace sg::webgl {
namespace {

using GetInteger = void (*)(GLuint, GLenum, GLint*);
using GetLog = void (*)(GLuint, GLsizei, GLsizei*, GLchar*);

std::string log_of(GLuint object, GetInteger get, GetLog read) {
  GLint length = 0;
  get(object, GL_INFO_LOG_LENGTH, &length);
  std::string log(static_cast<size_t>(length), '\0');
  GLsizei written = 0;
  if (length > 0) read(object, length, &written, log.data());
  log.resize(static_cast<size_t>(written));
  return log.empty() ? "no log: the context may be lost" : log;
}

GLuint link(GLuint vertex, const std::string& source, const std::string& what) {
  const GLuint fragment = compile_shader(GL_FRAGMENT_SHADER, source, what);
  const GLuint program = glCreateProgram();
  glAttachShader(program, vertex);
  glAttachShader(program, fragment);
  glLinkProgram(program);
  glDeleteShader(fragment);
  GLint linked = 0;
  glGetProgramiv(program, GL_LINK_STATUS, &linked);
  if (!linked) {
    const std::string log = log_of(program, glGetProgramiv, glGetProgramInfoLog);
    glDeleteProgram(program);
    throw Error("webgl.shader", "the kernel " + what + " does not link: " + log);
  }
  return program;
}

void bind_units(GLuint program, std::span<const std::string_view> inputs) {
  glUseProgram(program);
  GLint unit = 0;
  for (const std::string_view input : inputs) {
    glUniform1i(glGetUniformLocation(program, std::string(input).c_str()), unit++);
  }
  const GLuint block = glGetUniformBlockIndex(program, "Parameters");
  if (block != GL_INVALID_INDEX) glUniformBlockBinding(program, block, 0);
}

}  // namespace

GLuint compile_shader(GLenum stage, const std::string& source, const std::string& what) {
  const GLuint shader = glCreateShader(stage);
  const char* text = source.c_str();
  glShaderSource(shader, 1, &text, nullptr);
  glCompileShader(shader);
  GLint compiled = 0;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
  if (!compiled) {
    const std::string log = log_of(shader, glGetShaderiv, glGetShaderInfoLog);
    glDeleteShader(shader);
    throw Error("webgl.shader",
                "the kernel " + what +
                    " does not compile (string 0 is generated from the tables, 1 is prelude.glsl, 2 the "
                    "kernel's file, 3 special.glsl): " +
                    log);
  }
  return shader;
}

GLuint ProgramCache::find(const ProgramKey& key) const {
  for (const Entry& entry : programs_[static_cast<size_t>(key.kernel)]) {
    if (entry.key == key) return entry.program;
  }
  return 0;
}

GLuint ProgramCache::compile(const ProgramKey& key) {
  const GLuint program = make(fragment_source(key), describe(key), info(key.kernel).inputs);
  programs_[static_cast<size_t>(key.kernel)].push_back({key, program});
  ++count_;
  return program;
}

GLuint ProgramCache::make(const std::string& fragment, const std::string& what,
                          std::span<const std::string_view> inputs) {
  if (!vertex_) vertex_ = compile_shader(GL_VERTEX_SHADER, vertex_source(), "fullscreen.vert");
  const GLuint program = link(vertex_, fragment, what);
  bind_units(program, inputs);
  return program;
}

void ProgramCache::clear() {
  for (std::vector<Entry>& entries : programs_) {
    for (const Entry& entry : entries) glDeleteProgram(entry.program);
    entries.clear();
  }
  glDeleteShader(vertex_);
  vertex_ = 0;
}

}  // namespace sg::webgl

#include "webgl/program_cache.h"

#include <GLES2/gl2ext.h>

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

GLuint begin_shader(GLenum stage, const std::string& source) {
  const GLuint shader = glCreateShader(stage);
  const char* text = source.c_str();
  glShaderSource(shader, 1, &text, nullptr);
  glCompileShader(shader);
  return shader;
}

bool compiled(GLuint shader) {
  GLint status = 0;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &status);
  return status != 0;
}

/// Why a program did not link; most often since one of its shaders did not compile.
std::string reason(GLuint program, GLuint vertex, GLuint fragment, const std::string& what) {
  const std::string where =
      " does not compile (string 0 is generated from the tables, 1 is prelude.glsl, 2 the kernel's file, 3 "
      "special.glsl): ";
  if (!compiled(fragment)) return "the kernel " + what + where + log_of(fragment, glGetShaderiv, glGetShaderInfoLog);
  if (!compiled(vertex))
    return "fullscreen.vert does not compile: " + log_of(vertex, glGetShaderiv, glGetShaderInfoLog);
  return "the kernel " + what + " does not link: " + log_of(program, glGetProgramiv, glGetProgramInfoLog);
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

ProgramCache::Entry ProgramCache::start(const ProgramKey& key, const std::string& source) {
  if (!vertex_) vertex_ = begin_shader(GL_VERTEX_SHADER, vertex_source());
  const Entry entry{key, glCreateProgram(), begin_shader(GL_FRAGMENT_SHADER, source)};
  glAttachShader(entry.program, vertex_);
  glAttachShader(entry.program, entry.fragment);
  glLinkProgram(entry.program);
  return entry;
}

void ProgramCache::finish(Entry& entry, const std::string& what, std::span<const std::string_view> inputs) {
  GLint linked = 0;
  glGetProgramiv(entry.program, GL_LINK_STATUS, &linked);
  const std::string wrong = linked ? "" : reason(entry.program, vertex_, entry.fragment, what);
  glDeleteShader(std::exchange(entry.fragment, 0));
  if (linked) return bind_units(entry.program, inputs);
  glDeleteProgram(entry.program);
  throw Error("webgl.shader", wrong);
}

ProgramCache::Entry& ProgramCache::entry(const ProgramKey& key) {
  std::vector<Entry>& entries = programs_[static_cast<size_t>(key.kernel)];
  for (Entry& entry : entries) {
    if (entry.key == key) return entry;
  }
  entries.push_back(start(key, fragment_source(key)));
  return entries.back();
}

void ProgramCache::begin(const ProgramKey& key) { entry(key); }

bool ProgramCache::ready(const ProgramKey& key) {
  const Entry& asked = entry(key);
  if (asked.fragment && says_when_there_) {
    GLint there = 0;
    glGetProgramiv(asked.program, GL_COMPLETION_STATUS_KHR, &there);
    if (!there) return false;
  }
  return get(key) != 0;
}

GLuint ProgramCache::get(const ProgramKey& key) {
  Entry& asked = entry(key);
  if (!asked.fragment) return asked.program;
  try {
    finish(asked, describe(key), info(key).inputs);
  } catch (const Error&) {
    std::vector<Entry>& entries = programs_[static_cast<size_t>(key.kernel)];
    entries.erase(entries.begin() + (&asked - entries.data()));
    throw;
  }
  ++count_;
  return asked.program;
}

GLuint ProgramCache::make(const std::string& fragment, const std::string& what,
                          std::span<const std::string_view> inputs) {
  Entry made = start({}, fragment);
  finish(made, what, inputs);
  return made.program;
}

void ProgramCache::clear() {
  for (std::vector<Entry>& entries : programs_) {
    for (const Entry& entry : entries) {
      glDeleteShader(entry.fragment);
      glDeleteProgram(entry.program);
    }
    entries.clear();
  }
  glDeleteShader(vertex_);
  vertex_ = 0;
}

}  // namespace sg::webgl

#include "webgl/graphics.h"

#include "io/error.h"

namespace sg::webgl {
namespace {

const Graphics* current = nullptr;

// Never destroyed at exit: the driver's own exit handlers may have run before.
std::shared_ptr<Graphics>& last() {
  static auto* const graphics = new std::shared_ptr<Graphics>;
  return *graphics;
}

GLint integer(GLenum name) {
  GLint value = 0;
  glGetIntegerv(name, &value);
  return value;
}

void check_precision() {
  GLint range[2] = {0, 0}, precision = 0;
  glGetShaderPrecisionFormat(GL_FRAGMENT_SHADER, GL_HIGH_FLOAT, range, &precision);
  if (precision >= 23) return;
  throw Error("webgl.unavailable", "shaders here compute with " + std::to_string(precision) +
                                       " bits of a float's 23: training needs all of them");
}

GLuint texture_of_one_texel() {
  GLuint id = 0;
  glGenTextures(1, &id);
  glBindTexture(GL_TEXTURE_2D_ARRAY, id);
  glTexStorage3D(GL_TEXTURE_2D_ARRAY, 1, GL_RGBA32F, 1, 1, 1);
  return id;
}

}  // namespace

std::shared_ptr<Graphics> Graphics::shared() {
  if (!live()) {
    last().reset();
    current = nullptr;  // a new context becomes current, even where its making fails
    last() = std::make_shared<Graphics>();
  }
  last()->enter();
  return last();
}

Graphics* Graphics::live() { return last() && !last()->lost() ? last().get() : nullptr; }

Graphics::Graphics() : renderer_(context_.renderer()) {
  check_precision();
  programs_.set_says_when_there(context_.says_when_compiled());
  max_texture_size_ = integer(GL_MAX_TEXTURE_SIZE);
  max_layers_ = integer(GL_MAX_ARRAY_TEXTURE_LAYERS);
  max_outputs_ = find_max_outputs();
  Texture texel;
  texel.id = texture_of_one_texel();
  witness_ = make_framebuffer({&texel, 1}, 0);
  forget_bindings();
  current = this;
}

Graphics::~Graphics() {
  // The names of programs and buffers belong to the context that is current.
  enter();
  programs_.clear();
  parameters_.clear();
  current = nullptr;
}

int Graphics::find_max_outputs() {
  const int buffers = std::min(integer(GL_MAX_DRAW_BUFFERS), integer(GL_MAX_COLOR_ATTACHMENTS));
  int found = 1;
  for (const int count : {1, 4, static_cast<int>(kMaxOutputs)}) {
    if (count > buffers) break;
    std::array<Texture, kMaxOutputs> targets{};
    for (int i = 0; i < count; ++i) targets[static_cast<size_t>(i)].id = texture_of_one_texel();
    const GLuint framebuffer = make_framebuffer({targets.data(), static_cast<size_t>(count)}, 0);
    const bool complete = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    if (complete) found = count;
    glDeleteFramebuffers(1, &framebuffer);
    for (const Texture& target : targets) glDeleteTextures(1, &target.id);
    if (count == 1 && !complete) throw Error("webgl.unavailable", "a float texture cannot be rendered to here");
  }
  return found;
}

void Graphics::enter() {
  if (current == this) return;
  context_.make_current();
  current = this;
}

void Graphics::check_not_lost() const {
  if (!lost()) return;
  throw Error("webgl.context_lost",
              "the graphics context is gone (the driver was reset, or the browser took it back): "
              "go on from the last checkpoint, on a new device");
}

void Graphics::bind_witness(float mark) {
  const std::array<float, 4> color{mark, mark, mark, mark};
  bind_framebuffer(witness_);
  glClearBufferfv(GL_COLOR, 0, color.data());
}

void Graphics::check_witness(float mark, float seen) {
  dead_ = dead_ || seen != mark;
  check_not_lost();
}

void Graphics::bind_texture(size_t unit, GLuint texture) {
  if (units_[unit] == texture) return;
  if (active_unit_ != unit) glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(unit));
  active_unit_ = unit;
  glBindTexture(GL_TEXTURE_2D_ARRAY, texture);
  units_[unit] = texture;
}

void Graphics::select_texture(GLuint texture) {
  bind_texture(0, texture);
  if (active_unit_ != 0) glActiveTexture(GL_TEXTURE0);
  active_unit_ = 0;
}

void Graphics::bind_framebuffer(GLuint framebuffer) {
  if (framebuffer_ == framebuffer) return;
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  framebuffer_ = framebuffer;
}

GLuint Graphics::make_framebuffer(std::span<const Texture> targets, int layer) {
  GLuint framebuffer = 0;
  glGenFramebuffers(1, &framebuffer);
  bind_framebuffer(framebuffer);
  std::array<GLenum, kMaxOutputs> buffers{};
  for (size_t i = 0; i < targets.size(); ++i) {
    buffers[i] = GL_COLOR_ATTACHMENT0 + static_cast<GLenum>(i);
    glFramebufferTextureLayer(GL_FRAMEBUFFER, buffers[i], targets[i].id, 0, layer);
  }
  glDrawBuffers(static_cast<GLsizei>(targets.size()), buffers.data());
  return framebuffer;
}

void Graphics::forget_bindings() {
  for (size_t unit = 0; unit < kMaxInputs; ++unit) {
    glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(unit));
    glBindTexture(GL_TEXTURE_2D_ARRAY, 0);
  }
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  uniforms_ = {};
  units_.fill(0);
  active_unit_ = kMaxInputs - 1;
  framebuffer_ = 0;
}

void Graphics::draw(const ProgramKey& key, std::span<const Texture> inputs, GLuint framebuffer, const Area& area,
                    const ParameterBlock& parameters) {
  draw(program(key), inputs, framebuffer, area, parameters);
}

template <class Ask>
auto Graphics::asking(const Ask& ask) {
  const uint64_t before = programs_.count();
  try {
    const auto answer = ask();
    if (programs_.count() != before) program_ = 0;
    return answer;
  } catch (const Error&) {
    check_not_lost();  // a dead context compiles nothing
    throw;
  }
}

bool Graphics::program_ready(const ProgramKey& key) {
  return asking([&] { return programs_.ready(key); });
}

GLuint Graphics::program(const ProgramKey& key) {
  return asking([&] { return programs_.get(key); });
}

GLuint Graphics::make_program(const std::string& fragment, const std::string& what,
                              std::span<const std::string_view> inputs) {
  return program_ = programs_.make(fragment, what, inputs);
}

void Graphics::draw(GLuint program, std::span<const Texture> inputs, GLuint framebuffer, const Area& area,
                    const ParameterBlock& parameters) {
  std::array<GLuint, kMaxInputs> textures{};
  for (size_t i = 0; i < inputs.size(); ++i) textures[i] = inputs[i].id;
  draw(program, std::span(textures).first(inputs.size()), framebuffer, area, parameters_.place(parameters));
}

void Graphics::draw(GLuint program, std::span<const GLuint> inputs, GLuint framebuffer, const Area& area,
                    const Uniforms& parameters) {
  if (program != program_) glUseProgram(program);
  program_ = program;
  if (parameters != uniforms_) {
    glBindBufferRange(GL_UNIFORM_BUFFER, 0, parameters.buffer, parameters.offset, ParameterRing::kBytes);
  }
  uniforms_ = parameters;
  for (size_t unit = 0; unit < inputs.size(); ++unit) bind_texture(unit, inputs[unit]);
  bind_framebuffer(framebuffer);
  if (area != area_) glViewport(0, area.y, area.width, area.rows);
  area_ = area;
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

void Graphics::check_draw(Kernel kernel) {
  if (loses_in_ && --loses_in_ == 0) context_.lose();
  const GLenum error = glGetError();
  check_not_lost();
  if (error) throw Error("webgl.error", std::string(info(kernel).name) + ": GL error " + std::to_string(error));
}

}  // namespace sg::webgl

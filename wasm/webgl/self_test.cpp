#include "webgl/self_test.h"

#include <chrono>

#include "io/error.h"
#include "webgl/pieces.h"
#include "webgl/probes.h"
#include "webgl/transfer.h"

#ifdef SG_BREAK_PROBES
#include "webgl/faults.h"
#endif

namespace sg {
namespace webgl {
namespace {

/// Textures of 8 x 8 texels a layer: few cells have several layers.
constexpr int kLimit = 8;

std::weak_ptr<Graphics> tested;
SelfTest result;

#ifdef SG_BREAK_PROBES
std::string broken;
bool found_fault = false;
bool breaks(const char* probe) {
  if (broken != probe) return false;
  return found_fault = true;
}
void spoil_shader(std::string& source) { found_fault |= spoil(source, broken); }
#else
constexpr bool breaks(const char*) { return false; }
void spoil_shader(std::string&) {}
#endif

void judge(SelfTest& test, const char* name, const char* expected, std::span<const float> got,
           std::span<const float> want, float tolerance) {
  const std::string wrong = difference(got, want, tolerance);
  test.probes.push_back({name, expected, wrong.empty() ? closeness(got, want) : wrong, wrong.empty()});
  test.ok &= wrong.empty();
}

/// Float i is i.
std::vector<float> counted(int floats) {
  std::vector<float> values;
  for (int i = 0; i < floats; ++i) values.push_back(static_cast<float>(i));
  return values;
}

/// Every shader probe in one program: cell k goes through the function of the probe that it belongs to.
class ShaderTest {
 public:
  explicit ShaderTest(const std::shared_ptr<Graphics>& graphics)
      : graphics_(*graphics),
        pool_(graphics, graphics->layout(kLimit)),
        wide_pool_(graphics, graphics->layout(1 << 20)),
        outputs_(graphics->max_outputs()) {
    for (const ShaderProbe& probe : shader_probes()) {
      cells_.push_back(probe.cells());
      in_.insert(in_.end(), cells_.back().in.begin(), cells_.back().in.end());
    }
  }

  void run(SelfTest& test) {
    std::vector<std::unique_ptr<Temporary>> targets;
    for (int i = 0; i < outputs_; ++i) {
      targets.push_back(std::make_unique<Temporary>(pool_, static_cast<int64_t>(in_.size())));
      textures_.push_back(targets.back()->texture());
    }
    draw();
    judge_cells(test);
    judge_outputs(test);
    judge_pack_buffer(test);
  }

 private:
  std::string source() const;
  void draw();
  void judge_cells(SelfTest& test);
  void judge_outputs(SelfTest& test);
  void judge_pack_buffer(SelfTest& test);

  Graphics& graphics_;
  TexturePool pool_, wide_pool_;
  int outputs_;
  std::vector<Cells> cells_;
  std::vector<float> in_, out_;
  std::vector<Texture> textures_;
};

/// What output k > 0 holds in a cell.
float mark(int output, size_t cell) { return static_cast<float>(output * 1000) + static_cast<float>(cell); }

std::string ShaderTest::source() const {
  std::string text =
      "uniform tensor x, wide, deep;\nlayout(std140) uniform Parameters {\n" + std::string(kProbeParameters) + "};\n";
  std::string kernel = "void kernel(int e) {\n  int cell = e >> 2;\n  vec4 v = own(x);\n  ";
  size_t end = 0;
  for (size_t i = 0; i < cells_.size(); ++i) {
    const std::string name = shader_probes()[i].name;
    text += "vec4 " + name + "(vec4 v);\n";
    end += cells_[i].in.size() / 4;
    kernel += (i ? "  else if (cell < " : "if (cell < ") + std::to_string(end) + ") y0 = " + name + "(v);\n";
  }
  for (int k = 0; k < outputs_; ++k) {
    const std::string number = std::to_string(k);
    text += "layout(location = " + number + ") out highp vec4 y" + number + ";\n";
    if (k) kernel += "  y" + number + " = vec4(float(" + number + " * 1000 + cell));\n";
  }
  return fragment_source(pool_.layout().row_bits(), pool_.layout().layer_bits(), text + kernel + "}\n",
                         "self_test.glsl");
}

void ShaderTest::draw() {
  const auto floats = static_cast<int32_t>(in_.size());
  const Temporary x(pool_, floats), deep(pool_, kDeepFloats), wide(wide_pool_, kWideFloats);
  write(graphics_, pool_.layout(), x.texture(), in_);
  write(graphics_, pool_.layout(), deep.texture(), counted(kDeepFloats));
  write(graphics_, wide_pool_.layout(), wide.texture(), counted(kWideFloats));

  ProbeParameters p;
  if (breaks("parameter_block")) p.i0 = static_cast<int32_t>(static_cast<float>(p.i0));
  std::vector<Texture> targets = textures_;
  if (targets.size() > 2 && breaks("outputs")) std::swap(targets[1], targets[2]);

  std::string text = source();
  spoil_shader(text);
  constexpr std::array<std::string_view, 3> kSamplers{"x", "wide", "deep"};
  const GLuint program = graphics_.make_program(text, "self_test", kSamplers);
  const std::array<Texture, 3> inputs{x.texture(), wide.texture(), deep.texture()};
  for (int layer = 0; layer < x.texture().extent.layers; ++layer) {
    const auto first = static_cast<int32_t>(layer * pool_.layout().layer_floats());
    graphics_.draw(program, inputs, pool_.framebuffer(targets, layer), {.width = kLimit, .rows = kLimit},
                   ParameterBlock(bytes(p), floats, 0, first));
  }
  glDeleteProgram(program);
}

void ShaderTest::judge_cells(SelfTest& test) {
  out_.resize(in_.size());
  read(graphics_, pool_, textures_[0], out_);
  size_t first = 0;
  for (size_t i = 0; i < cells_.size(); ++i) {
    const ShaderProbe& probe = shader_probes()[i];
    const std::span<const float> got = std::span(out_).subspan(first, cells_[i].want.size());
    judge(test, probe.name, probe.expected, got, cells_[i].want, cells_[i].tolerance);
    first += cells_[i].in.size();
  }
}

void ShaderTest::judge_outputs(SelfTest& test) {
  std::vector<float> got, want;
  for (int k = 1; k < outputs_; ++k) {
    std::vector<float> values(in_.size());
    read(graphics_, pool_, textures_[static_cast<size_t>(k)], values);
    got.insert(got.end(), values.begin(), values.end());
    for (size_t i = 0; i < in_.size(); ++i) want.push_back(mark(k, i / 4));
  }
  judge(test, "outputs", "what one draw writes to several targets goes to its own, in every layer", got, want, 0);
}

void ShaderTest::judge_pack_buffer(SelfTest& test) {
  GLuint buffer = 0;
  glGenBuffers(1, &buffer);
  glBindBuffer(GL_PIXEL_PACK_BUFFER, buffer);
  std::vector<float> packed(out_.size());
  glBufferData(GL_PIXEL_PACK_BUFFER, static_cast<GLsizeiptr>(packed.size() * sizeof(float)), nullptr, GL_STREAM_READ);
  pack(graphics_, pool_, textures_[0], static_cast<int64_t>(packed.size() - (breaks("pack_buffer") ? 4 : 0)));
  graphics_.context().read_pack_buffer(packed);
  glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
  glDeleteBuffers(1, &buffer);
  graphics_.check_not_lost();
  judge(test, "pack_buffer", "values that come back through a buffer are those that come back at once", packed, out_,
        0);
}

}  // namespace
}  // namespace webgl

std::string SelfTest::reason() const {
  std::string text;
  for (const Probe& probe : probes) {
    if (!probe.ok) text += (text.empty() ? "" : "; ") + probe.name + " (" + probe.expected + "): " + probe.came;
  }
  return text;
}

const SelfTest& webgl_self_test() {
  using namespace webgl;
  const std::shared_ptr<Graphics> graphics = Graphics::shared();
  if (tested.lock() == graphics) return result;
  const auto start = std::chrono::steady_clock::now();
  SelfTest test;
  ShaderTest(graphics).run(test);
  test.ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
#ifdef SG_BREAK_PROBES
  if (!broken.empty() && !found_fault) throw Error("webgl.self_test", "no fault is known for the probe " + broken);
#endif
  tested = graphics;
  return result = test;
}

#ifdef SG_BREAK_PROBES
void break_probe(const std::string& name) {
  webgl::broken = name;
  webgl::found_fault = false;
  webgl::tested.reset();
}
#endif

}  // namespace sg

#include "webgl/replay.h"

#include <array>
#include <map>

#include "io/error.h"
#include "webgl/draw_recorder.h"
#include "webgl/passes.h"

namespace sg::webgl {
namespace {

/// Programs under way at once where GL does not say which are there: waiting for one waits for all asked for before,
/// and with few of them there is progress to see.
constexpr size_t kUnderWay = 4;

/// Framebuffers and a buffer of parameters, which live as long as this.
class Objects {
 public:
  explicit Objects(std::shared_ptr<Graphics> graphics) : graphics_(std::move(graphics)) {}
  ~Objects() {
    graphics_->enter();
    for (const auto& [targets, framebuffer] : framebuffers_) glDeleteFramebuffers(1, &framebuffer);
    glDeleteBuffers(1, &parameters_);
    graphics_->forget_bindings();
  }
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;

  void make_parameters(std::span<const ParameterBlock> blocks) {
    parameters_ = graphics_->parameters().make_buffer(blocks);
  }
  Uniforms parameters(uint32_t block) const {
    return {parameters_, graphics_->parameters().stride() * static_cast<GLsizeiptr>(block)};
  }
  GLuint framebuffer(std::span<const Texture> targets, int layer) {
    if (targets.size() == 1 && layer == 0) return targets[0].framebuffer;
    std::vector<GLuint> key{static_cast<GLuint>(layer)};
    for (const Texture& target : targets) key.push_back(target.id);
    GLuint& framebuffer = framebuffers_[key];
    if (!framebuffer) framebuffer = graphics_->make_framebuffer(targets, layer);
    return framebuffer;
  }

 private:
  std::shared_ptr<Graphics> graphics_;
  std::map<std::vector<GLuint>, GLuint> framebuffers_;  // by layer and textures
  GLuint parameters_ = 0;
};

class WebglReplay final : public Replay {
 public:
  WebglReplay(const ReplaySite& site, const Schedule& schedule);
  Progress prepare() override;
  void run(size_t variant) override;
  uint64_t bytes() const override { return bytes_; }

 private:
  struct Entry {
    GLuint program, framebuffer;
    Area area;
    Uniforms parameters;
    uint32_t first_input, inputs;  // of textures_
    Kernel kernel;
  };
  struct Variant {
    std::vector<Entry> entries;
    std::vector<GLuint> textures;
  };
  void enter() const {
    graphics_.enter();
    graphics_.check_not_lost();
  }
  void record(const ReplaySite& site, const Schedule& schedule);
  void plan(SharedTextures& textures);
  Variant bind(size_t variant);
  void name_programs();

  Graphics& graphics_;
  Counters& counters_;
  bool check_errors_;
  DrawRecorder recorder_;
  /// By value of the recorder: the texture of each variant.
  std::vector<std::array<Texture, kVariants>> textures_of_;
  std::vector<std::shared_ptr<const Texture>> held_;
  Objects objects_;
  std::array<Variant, kVariants> variants_;
  size_t asked_ = 0, there_ = 0;  // programs
  uint64_t calls_ = 0, bytes_ = 0;
};

WebglReplay::WebglReplay(const ReplaySite& site, const Schedule& schedule)
    : graphics_(*site.graphics),
      counters_(site.counters),
      check_errors_(site.check_errors),
      recorder_(site.layout),
      objects_(site.graphics),
      calls_(schedule.calls.size()) {
  enter();
  record(site, schedule);
  plan(site.textures);
  objects_.make_parameters(recorder_.parameters());
  bytes_ += recorder_.parameters().size() * static_cast<uint64_t>(graphics_.parameters().stride());
  for (size_t v = 0; v < kVariants; ++v) variants_[v] = bind(v);
  const GLenum error = glGetError();
  graphics_.check_not_lost();
  if (error) throw Error("webgl.error", "a step could not be prepared: GL error " + std::to_string(error));
}

/// Every kernel's draws, over values. Those of the schedule come first, each with its number.
void WebglReplay::record(const ReplaySite& site, const Schedule& schedule) {
  std::vector<Texture> values;
  for (const Schedule::Info& value : schedule.values) {
    values.push_back(recorder_.take(std::max<int64_t>(value.floats, 1)));
    textures_of_.emplace_back();
    for (size_t v = 0; v < kVariants; ++v) {
      if (value.floats && value.bound[v]) textures_of_.back()[v] = site.texture_of(value.bound[v]);
    }
  }
  Passes passes(recorder_, recorder_, site.max_outputs);
  std::array<Texture, kMaxInputs> inputs;
  std::array<Texture, kMaxOutputs> outputs;
  for (const TracedCall& call : schedule.calls) {
    for (size_t i = 0; i < call.inputs.size(); ++i) inputs[i] = values[call.inputs[i]];
    for (size_t i = 0; i < call.outputs.size(); ++i) outputs[i] = values[call.outputs[i]];
    passes.run({call.kernel, std::span(inputs).first(call.inputs.size()), std::span(outputs).first(call.outputs.size()),
                call.parameters, static_cast<int32_t>(schedule.values[call.outputs[0]].floats)});
  }
  textures_of_.resize(recorder_.needs().size());
}

/// A texture for every value that has none from outside.
void WebglReplay::plan(SharedTextures& textures) {
  std::vector<bool> drawn(textures_of_.size());
  for (const RecordedDraw& draw : recorder_.draws()) {
    for (const uint32_t value : draw.inputs) drawn[value] = true;
    for (const uint32_t value : draw.outputs) drawn[value] = true;
  }
  std::vector<uint32_t> values;
  std::vector<Need> needs;
  for (uint32_t value = 0; value < textures_of_.size(); ++value) {
    if (!drawn[value] || textures_of_[value][0].id) continue;
    values.push_back(value);
    needs.push_back(recorder_.needs()[value]);
  }
  const TexturePlan plan = plan_textures(needs);
  held_ = textures.take(plan.textures);
  for (size_t i = 0; i < values.size(); ++i) textures_of_[values[i]].fill(*held_[plan.of[i]]);
  for (const auto& texture : held_) {
    if (texture.use_count() == 1) bytes_ += static_cast<uint64_t>(texture->extent.bytes());  // else it is another's
  }
}

WebglReplay::Variant WebglReplay::bind(size_t variant) {
  Variant bound;
  for (const RecordedDraw& draw : recorder_.draws()) {
    std::vector<Texture> targets;
    for (const uint32_t value : draw.outputs) targets.push_back(textures_of_[value][variant]);
    bound.entries.push_back({.program = 0,
                             .framebuffer = objects_.framebuffer(targets, draw.layer),
                             .area = draw.area,
                             .parameters = objects_.parameters(draw.parameters),
                             .first_input = static_cast<uint32_t>(bound.textures.size()),
                             .inputs = static_cast<uint32_t>(draw.inputs.size()),
                             .kernel = draw.kernel});
    for (const uint32_t value : draw.inputs) bound.textures.push_back(textures_of_[value][variant].id);
  }
  return bound;
}

void WebglReplay::name_programs() {
  for (Variant& variant : variants_) {
    for (size_t i = 0; i < variant.entries.size(); ++i)
      variant.entries[i].program = graphics_.program(recorder_.programs()[recorder_.draws()[i].program]);
  }
}

Progress WebglReplay::prepare() {
  enter();
  const std::vector<ProgramKey>& programs = recorder_.programs();
  const size_t total = programs.size(), under_way = graphics_.says_when_compiled() ? total : kUnderWay;
  const uint64_t before = graphics_.programs();
  bool waited = false;
  while (there_ < total && !waited) {
    for (; asked_ < std::min(total, there_ + under_way); ++asked_) graphics_.begin_program(programs[asked_]);
    if (!graphics_.program_ready(programs[there_])) break;
    if (++there_ == total) name_programs();
    waited = under_way < total && graphics_.programs() > before;
  }
  counters_.programs = graphics_.programs();
  return {static_cast<int>(there_), static_cast<int>(total)};
}

void WebglReplay::run(size_t variant) {
  enter();
  if (there_ < recorder_.programs().size()) {
    for (const ProgramKey& key : recorder_.programs()) graphics_.begin_program(key);
    name_programs();
    there_ = recorder_.programs().size();
    counters_.programs = graphics_.programs();
  }
  const Variant& bound = variants_[variant];
  for (const Entry& e : bound.entries) {
    const std::span<const GLuint> inputs(bound.textures.data() + e.first_input, e.inputs);
    graphics_.draw(e.program, inputs, e.framebuffer, e.area, e.parameters);
    if (check_errors_) graphics_.check_draw(e.kernel);
  }
  counters_.draws += bound.entries.size();
  counters_.kernels += calls_;
}

}  // namespace

std::unique_ptr<Replay> make_replay(const ReplaySite& site, const Schedule& schedule) {
  return std::make_unique<WebglReplay>(site, schedule);
}

}  // namespace sg::webgl

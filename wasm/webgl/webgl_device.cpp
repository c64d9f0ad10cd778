#include "webgl/webgl_device.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "io/error.h"
#include "webgl/passes.h"
#include "webgl/readings.h"
#include "webgl/replay.h"
#include "webgl/texture_pool.h"
#include "webgl/transfer.h"

namespace sg {
namespace webgl {
namespace {

/// A handle is a slot and the generation of its use, so that a released one is told from the one that took its place.
constexpr uint32_t kSlotBits = 20, kBufferSlots = 1u << kSlotBits;

/// Draws at once.
class DirectDraws final : public Draws {
 public:
  DirectDraws(Graphics& graphics, TexturePool& pool, Counters& counters, bool check_errors)
      : graphics_(graphics), pool_(pool), counters_(counters), check_errors_(check_errors) {}
  void draw(const Draw& draw) override {
    graphics_.draw(draw.program, draw.inputs, pool_.framebuffer(draw.outputs, draw.layer), draw.area, draw.parameters);
    ++counters_.draws;
    if (check_errors_) graphics_.check_draw(draw.program.kernel);
  }

 private:
  Graphics& graphics_;
  TexturePool& pool_;
  Counters& counters_;
  bool check_errors_;
};

class WebglDevice final : public Device {
 public:
  explicit WebglDevice(const WebglOptions& options)
      : graphics_(Graphics::shared()),
        pool_(graphics_, graphics_->layout(options.max_texture_size)),
        readings_(graphics_, pool_),
        textures_(pool_, counters_),
        draws_(*graphics_, pool_, counters_, options.check_errors),
        max_outputs_(std::clamp(options.max_outputs, 1, graphics_->max_outputs())),
        passes_(draws_, pool_, max_outputs_),
        check_errors_(options.check_errors) {}

  ~WebglDevice() override {
    for (const Slot& slot : slots_) {
      if (slot.live) pool_.give_back(slot.texture);
    }
  }

  std::string name() const override { return "webgl"; }
  bool can_be_lost() const override { return true; }
  Buffer allocate(int64_t floats) override;
  void release(Buffer buffer) override;
  int64_t size(Buffer buffer) const override { return slot(buffer).floats; }
  void upload(Buffer buffer, std::span<const float> values) override;
  void download(Buffer buffer, std::span<float> values) override;
  void run(const Call& call) override;
  uint32_t begin_read(Buffer buffer, int64_t floats) override;
  bool finish_read(uint32_t reading, std::span<float> values) override;
  std::unique_ptr<Replay> prepare(const Schedule& schedule) override;

 private:
  struct Slot {
    Texture texture;
    int64_t floats = 0;
    uint32_t generation = 0;
    bool live = false;
  };
  /// Every call that needs the context begins with this.
  void enter() {
    graphics_->enter();
    graphics_->check_not_lost();
  }
  const Slot& slot(Buffer buffer) const;
  void check_size(const char* what, Buffer buffer, size_t count) const;

  std::shared_ptr<Graphics> graphics_;
  TexturePool pool_;
  Readings readings_;
  SharedTextures textures_;
  DirectDraws draws_;
  int max_outputs_;
  Passes passes_;
  bool check_errors_;
  std::vector<Slot> slots_;
  std::vector<uint32_t> free_slots_;
};

const WebglDevice::Slot& WebglDevice::slot(Buffer buffer) const {
  const uint32_t index = buffer % kBufferSlots;
  if (index < slots_.size() && slots_[index].live && slots_[index].generation == buffer >> kSlotBits)
    return slots_[index];
  throw Error("device.handle", "a buffer was used after its release (handle " + std::to_string(buffer) + ")");
}

Buffer WebglDevice::allocate(int64_t floats) {
  if (floats < 1) throw Error("device.size", "a buffer holds 1 float or more, not " + std::to_string(floats));
  if (free_slots_.empty() && slots_.size() == kBufferSlots) {
    throw Error("device.memory", "more than " + std::to_string(kBufferSlots) + " buffers are alive");
  }
  enter();
  const Texture texture = pool_.take(floats);
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const uint32_t index = free_slots_.back();
  free_slots_.pop_back();
  Slot& slot = slots_[index];
  slot = {texture, floats, slot.generation % 4095 + 1, true};
  counters_.allocations = pool_.made();
  ++counters_.live_buffers;
  counters_.live_bytes += static_cast<uint64_t>(texture.extent.bytes());
  return slot.generation << kSlotBits | index;
}

void WebglDevice::release(Buffer buffer) {
  const Texture texture = slot(buffer).texture;
  pool_.give_back(texture);
  slots_[buffer % kBufferSlots].live = false;
  free_slots_.push_back(buffer % kBufferSlots);
  --counters_.live_buffers;
  counters_.live_bytes -= static_cast<uint64_t>(texture.extent.bytes());
}

void WebglDevice::check_size(const char* what, Buffer buffer, size_t count) const {
  if (static_cast<int64_t>(count) == size(buffer)) return;
  throw Error("device.size", std::string(what) + " of " + std::to_string(count) + " floats, but the buffer has " +
                                 std::to_string(size(buffer)));
}

void WebglDevice::upload(Buffer buffer, std::span<const float> values) {
  enter();
  check_size("upload", buffer, values.size());
  write(*graphics_, pool_.layout(), slot(buffer).texture, values);
}

void WebglDevice::download(Buffer buffer, std::span<float> values) {
  enter();
  check_size("download", buffer, values.size());
  read(*graphics_, pool_, slot(buffer).texture, values);
}

void WebglDevice::run(const Call& call) {
  enter();
  check(*this, call);
  std::array<Texture, kMaxInputs> inputs;
  std::array<Texture, kMaxOutputs> outputs;
  for (size_t i = 0; i < call.inputs.size(); ++i) inputs[i] = slot(call.inputs[i]).texture;
  for (size_t i = 0; i < call.outputs.size(); ++i) outputs[i] = slot(call.outputs[i]).texture;
  passes_.run({call.kernel,
               {inputs.data(), call.inputs.size()},
               {outputs.data(), call.outputs.size()},
               call.parameters,
               static_cast<int32_t>(size(call.outputs[0]))});
  ++counters_.kernels;
  counters_.programs = graphics_->programs();
  counters_.allocations = pool_.made();
}

std::unique_ptr<Replay> WebglDevice::prepare(const Schedule& schedule) {
  enter();
  return make_replay({.graphics = graphics_,
                      .layout = pool_.layout(),
                      .textures = textures_,
                      .counters = counters_,
                      .max_outputs = max_outputs_,
                      .check_errors = check_errors_,
                      .texture_of = [this](Buffer buffer) { return slot(buffer).texture; }},
                     schedule);
}

uint32_t WebglDevice::begin_read(Buffer buffer, int64_t floats) {
  enter();
  if (floats < 1 || floats > size(buffer)) check_size("reading", buffer, static_cast<size_t>(floats));
  return readings_.begin(slot(buffer).texture, floats);
}

bool WebglDevice::finish_read(uint32_t reading, std::span<float> values) {
  enter();
  return readings_.finish(reading, values);
}

}  // namespace
}  // namespace webgl

std::unique_ptr<Device> make_webgl_device(const WebglOptions& options) {
  return std::make_unique<webgl::WebglDevice>(options);
}

bool is_software_renderer(const std::string& renderer) {
  std::string name = renderer;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(tolower(c)); });
  for (const char* known : {"swiftshader", "llvmpipe", "softpipe", "lavapipe", "basic render", "software"}) {
    if (name.find(known) != std::string::npos) return true;
  }
  return false;
}

void lose_webgl_context(Loss when) {
  webgl::Graphics* const live = webgl::Graphics::live();
  if (!live) return;
  when == Loss::now ? live->context().lose() : live->context().lose_at_next_read();
}

void lose_webgl_context_at_draw(uint64_t draw) {
  if (webgl::Graphics* const live = webgl::Graphics::live()) live->lose_at_draw(draw);
}

WebglInfo webgl_info() {
  const std::string& renderer = webgl::Graphics::shared()->renderer();
  return {renderer, is_software_renderer(renderer)};
}

}  // namespace sg

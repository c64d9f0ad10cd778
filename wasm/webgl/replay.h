// A recorded step on the webgl device: a flat list of draws whose programs, textures, framebuffers and parameters are
// all there before the first run. A run is a loop over it: it looks nothing up, makes nothing and asks GL nothing.
#pragma once
#include <functional>
#include <memory>

#include "core/schedule.h"
#include "webgl/texture_plan.h"

namespace sg::webgl {

/// What a replay uses of its device.
struct ReplaySite {
  std::shared_ptr<Graphics> graphics;
  const Layout& layout;
  SharedTextures& textures;
  Counters& counters;
  int max_outputs;
  /// See WebglOptions.
  bool check_errors;
  std::function<Texture(Buffer)> texture_of;
};

/// Throws sg::Error("webgl.out_of_memory"), ("webgl.too_large") or ("webgl.context_lost").
std::unique_ptr<Replay> make_replay(const ReplaySite& site, const Schedule& schedule);

}  // namespace sg::webgl

#include "webgl/draw_recorder.h"

#include <algorithm>

namespace sg::webgl {

Texture DrawRecorder::take(int64_t floats) {
  needs_.push_back({.extent = layout().extent(floats)});
  used_.push_back(false);
  return {.id = static_cast<GLuint>(needs_.size()), .extent = needs_.back().extent};
}

/// The draw at the end of the list needs it.
uint32_t DrawRecorder::use(const Texture& texture) {
  const uint32_t value = texture.id - 1, now = static_cast<uint32_t>(draws_.size()) - 1;
  if (!used_[value]) needs_[value].first = now;
  used_[value] = true;
  needs_[value].last = now;
  return value;
}

void DrawRecorder::draw(const Draw& draw) {
  auto program = std::find(programs_.begin(), programs_.end(), draw.program);
  if (program == programs_.end()) program = programs_.insert(program, draw.program);
  const auto [place, is_new] = place_of_.emplace(draw.parameters, static_cast<uint32_t>(parameters_.size()));
  if (is_new) parameters_.push_back(draw.parameters);
  draws_.push_back({.kernel = draw.program.kernel,
                    .program = static_cast<uint32_t>(program - programs_.begin()),
                    .parameters = place->second,
                    .inputs = {},
                    .outputs = {},
                    .layer = draw.layer,
                    .area = draw.area});
  RecordedDraw& recorded = draws_.back();
  for (const Texture& texture : draw.inputs) recorded.inputs.push_back(use(texture));
  for (const Texture& texture : draw.outputs) recorded.outputs.push_back(use(texture));
  if (recorded.outputs.size() == 1) return;
  for (const uint32_t value : recorded.outputs) needs_[value].exact = true;
}

}  // namespace sg::webgl

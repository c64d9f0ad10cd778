// A recorded step as draws over values: what each needs on the way from kernels to textures, before any texture is
// there.
#pragma once
#include <unordered_map>
#include <vector>

#include "webgl/draws.h"
#include "webgl/texture_plan.h"

namespace sg::webgl {

/// A draw of a step. Programs, parameters and values are numbers.
struct RecordedDraw {
  Kernel kernel;
  uint32_t program, parameters;
  std::vector<uint32_t> inputs, outputs;
  int layer;
  Area area;
};

/// Takes kernels' draws and writes them down. Its textures are values: `id` is a value's number, counted from 1.
class DrawRecorder final : public Draws, public Textures {
 public:
  explicit DrawRecorder(const Layout& layout) : Textures(layout) {}
  /// A new value.
  Texture take(int64_t floats) override;
  void give_back(const Texture&) override {}
  void draw(const Draw& draw) override;

  const std::vector<RecordedDraw>& draws() const { return draws_; }
  const std::vector<ProgramKey>& programs() const { return programs_; }
  const std::vector<ParameterBlock>& parameters() const { return parameters_; }
  /// By value: from the first draw that it is part of to the last.
  const std::vector<Need>& needs() const { return needs_; }

 private:
  uint32_t use(const Texture& texture);

  std::vector<RecordedDraw> draws_;
  std::vector<ProgramKey> programs_;
  std::vector<ParameterBlock> parameters_;
  std::unordered_map<ParameterBlock, uint32_t, ParameterBlock::Hash> place_of_;
  std::vector<Need> needs_;
  std::vector<bool> used_;
};

}  // namespace sg::webgl

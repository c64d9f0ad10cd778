#include "webgl/texture_plan.h"

#include <algorithm>
#include <numeric>

namespace sg::webgl {
namespace {

/// A value lies in no texture of more times its size: GPUs that draw in tiles load and store all of a target.
constexpr int64_t kMostRoom = 4;

bool fits(const Extent& wanted, bool exact, const Extent& texture) {
  if (exact) return texture == wanted;
  return texture.width >= wanted.width && texture.height >= wanted.height && texture.layers >= wanted.layers &&
         texture.bytes() <= kMostRoom * wanted.bytes();
}

/// A texture of the plan with what lies in it.
struct Planned {
  TexturePlan::Wanted wanted;
  std::vector<const Need*> needs;

  bool free_for(const Need& need) const {
    return std::none_of(needs.begin(), needs.end(),
                        [&](const Need* other) { return other->first <= need.last && need.first <= other->last; });
  }
};

}  // namespace

TexturePlan plan_textures(std::span<const Need> needs) {
  std::vector<uint32_t> order(needs.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return needs[a].extent.bytes() > needs[b].extent.bytes(); });
  TexturePlan plan;
  plan.of.resize(needs.size());
  std::vector<Planned> textures;
  for (const uint32_t n : order) {
    const Need& need = needs[n];
    // From the smallest on: the large ones stay free for those that need them.
    auto found = std::find_if(textures.rbegin(), textures.rend(), [&](const Planned& t) {
      return fits(need.extent, need.exact, t.wanted.extent) && t.free_for(need);
    });
    if (found == textures.rend()) {
      textures.push_back({{need.extent, false}, {}});
      found = textures.rbegin();
    }
    found->needs.push_back(&need);
    found->wanted.exact |= need.exact;
    plan.of[n] = static_cast<uint32_t>(textures.rend() - found) - 1;
  }
  for (const Planned& t : textures) plan.textures.push_back(t.wanted);
  return plan;
}

std::shared_ptr<const Texture> SharedTextures::make(const Extent& extent) {
  const auto give_back = [this](const Texture* texture) {
    --counters_.live_buffers;
    counters_.live_bytes -= static_cast<uint64_t>(texture->extent.bytes());
    pool_.give_back(*texture);
    delete texture;
  };
  auto texture = std::make_unique<Texture>(pool_.take(extent));
  ++counters_.live_buffers;
  counters_.live_bytes += static_cast<uint64_t>(extent.bytes());
  counters_.allocations = pool_.made();
  return {texture.release(), give_back};
}

std::vector<std::shared_ptr<const Texture>> SharedTextures::take(std::span<const TexturePlan::Wanted> wanted) {
  std::vector<std::shared_ptr<const Texture>> free, taken;
  for (const auto& weak : all_) {
    if (auto texture = weak.lock()) free.push_back(std::move(texture));
  }
  all_.assign(free.begin(), free.end());
  const auto smaller = [](const auto& a, const auto& b) { return a->extent.bytes() < b->extent.bytes(); };
  std::sort(free.begin(), free.end(), smaller);
  for (const TexturePlan::Wanted& w : wanted) {
    const auto found =
        std::find_if(free.begin(), free.end(), [&](const auto& t) { return fits(w.extent, w.exact, t->extent); });
    if (found != free.end()) {
      taken.push_back(*found);
      free.erase(found);
    } else {
      taken.push_back(make(w.extent));
      all_.push_back(taken.back());
    }
  }
  return taken;
}

}  // namespace sg::webgl

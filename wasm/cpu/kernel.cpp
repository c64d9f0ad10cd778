#include "cpu/kernel.h"

#include <algorithm>

namespace sg::cpu {

Memory make_memory(int64_t floats) {
  const uint64_t bytes = static_cast<uint64_t>(floats) * sizeof(float);
  if (bytes > static_cast<uint64_t>(PTRDIFF_MAX)) return nullptr;
  Memory memory(static_cast<float*>(std::aligned_alloc(kLine * sizeof(float), static_cast<size_t>(bytes))));
  if (memory) std::fill_n(memory.get(), static_cast<size_t>(floats), 0.0f);
  return memory;
}

float* Scratch::take(int64_t floats) {
  const int64_t needed = padded(floats);
  if (used_ == blocks_.size()) blocks_.push_back({nullptr, 0});
  Block& block = blocks_[used_++];
  if (block.floats < needed) {
    block = {make_memory(needed), needed};
    if (!block.memory) {
      block.floats = 0;
      throw Error("device.memory", "no memory for " + std::to_string(needed * 4) + " bytes of a kernel's own");
    }
  }
  return block.memory.get();
}

int64_t Args::count(std::initializer_list<int> sizes) const {
  int64_t product = 1;
  for (const int size : sizes) {
    if (size < 0) fail("a size is negative: " + std::to_string(size));
    product *= size;
    if (product > INT32_MAX) fail("its sizes give more than 2^31 - 1 elements");
  }
  return product;
}

void Args::fail(const std::string& what) const {
  throw Error("device.arguments", "kernel " + std::string(kernel_.name) + ": " + what);
}

void Args::too_small(int64_t size, int64_t floats, std::string_view name) const {
  fail("buffer " + std::string(name) + " holds " + std::to_string(size) + " floats where " + std::to_string(floats) +
       " are needed");
}

}  // namespace sg::cpu

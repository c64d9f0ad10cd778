// What a kernel function of this device is: its row's parameters and the buffers. One is declared for each row of
// core/kernels.def, so that a missing one is a link error.
//
// Every buffer is followed by at least kSlack floats that belong to nobody: a loop over whole vectors may read and
// write there, as long as it writes a buffer from front to back, and so needs no tail.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <vector>

#include "core/check.h"
#include "core/kernels.h"

namespace sg::cpu {

inline constexpr int64_t kSlack = 3;
inline constexpr int64_t kLine = 16;  // floats in a cache line: buffers start at one

struct Free {
  void operator()(float* p) const { std::free(p); }
};
using Memory = std::unique_ptr<float[], Free>;
/// Zeros; `floats` is a multiple of kLine. Null where there is no memory.
Memory make_memory(int64_t floats);
/// The floats that a buffer of `floats` takes with its slack, in whole lines.
inline int64_t padded(int64_t floats) { return (floats + kSlack + kLine - 1) / kLine * kLine; }

/// Memory of one kernel's run, kept for the next one.
class Scratch {
 public:
  float* take(int64_t floats);
  /// Everything taken becomes free.
  void reset() { used_ = 0; }
  /// What is taken now, and giving back what was taken since: for a kernel that takes memory in a loop.
  size_t taken() const { return used_; }
  void return_to(size_t taken) { used_ = taken; }

 private:
  struct Block {
    Memory memory;
    int64_t floats;
  };
  std::vector<Block> blocks_;
  size_t used_ = 0;
};

/// The buffers of one call. Reading one states how many floats the kernel's parameters imply.
class Args {
 public:
  struct Floats {
    float* data;
    int64_t size;
  };
  Args(const KernelInfo& kernel, Scratch& scratch) : kernel_(kernel), scratch_(scratch) {}

  void add_input(Floats f) { inputs_[input_count_++] = f; }
  void add_output(Floats f) { outputs_[output_count_++] = f; }
  const float* in(size_t i, int64_t floats) const { return checked(inputs_[i], floats, kernel_.inputs[i]); }
  float* out(size_t i, int64_t floats) const { return checked(outputs_[i], floats, kernel_.outputs[i]); }
  int64_t out_size(size_t i) const { return outputs_[i].size; }
  Scratch& scratch() const { return scratch_; }
  /// The product of sizes; throws where one is negative or the product is no tensor's.
  int64_t count(std::initializer_list<int> sizes) const;
  [[noreturn]] void fail(const std::string& what) const;

 private:
  float* checked(Floats f, int64_t floats, std::string_view name) const {
    if (f.size < floats) too_small(f.size, floats, name);
    return f.data;
  }
  [[noreturn]] void too_small(int64_t size, int64_t floats, std::string_view name) const;

  const KernelInfo& kernel_;
  Scratch& scratch_;
  std::array<Floats, 13> inputs_{};
  std::array<Floats, 6> outputs_{};
  size_t input_count_ = 0, output_count_ = 0;
};

namespace kernels {
#define KERNEL(name, inputs, outputs, ...) void name(const params::name& p, const Args& args);
#include "core/kernels.def"
#undef KERNEL
}  // namespace kernels

}  // namespace sg::cpu

// The GLSL of one program: a kernel's shader with the declarations that its row in kernels.def yields, for one row of
// pointwise.def where the kernel applies one, writing one group of its outputs.
#pragma once
#include <span>
#include <string>

#include "core/kernels.h"

namespace sg::webgl {

/// The draws of stages.def; `none` is a kernel's own.
enum class Stage : uint16_t {
  none,
#define STAGE(name, ...) name,
#include "webgl/stages.def"
#undef STAGE
};

/// What tells programs apart. `op` is -1 where the kernel takes no pointwise op.
struct ProgramKey {
  Kernel kernel;
  Stage stage = Stage::none;
  int op = -1;
  /// What is fixed at compile time: bit i is the value of the kernel's constant i, see constants().
  int variant = 0;
  int first_output = 0;
  int outputs = 1;
  /// The device's Layout; layer_bits is 0 where no buffer of the draw has more than one layer, which nearly all are.
  int row_bits = 0;
  int layer_bits = 0;
  bool operator==(const ProgramKey&) const = default;
};

/// The inputs, outputs and parameters of a program: a kernel's row or a stage's.
const KernelInfo& info(const ProgramKey& key);

/// How many rows of pointwise.def the kernel chooses from by its parameter `op`; 0 where it takes none.
int pointwise_ops(Kernel kernel);

/// The names of the bool constants that the kernel's shader branches on: fixed for a program, so that it holds one
/// path.
std::span<const char* const> constants(const ProgramKey& key);

/// "binary(huber_error)", "lstm_step outputs 4..5": for error messages.
std::string describe(const ProgramKey& key);

/// The vertex shader that all programs share.
std::string vertex_source();

/// The fragment shader. Line numbers in its log: string 0 is what is generated from the tables, string 1 prelude.glsl,
/// string 2 the kernel's own file, string 3 special.glsl.
std::string fragment_source(const ProgramKey& key);
/// The same around any declarations (which hold the block's ints `floats` and `first_float`) and any file that defines
/// `void kernel(int e)`, if the declarations do not.
std::string fragment_source(int row_bits, int layer_bits, const std::string& declared, const std::string& kernel_file);

}  // namespace sg::webgl

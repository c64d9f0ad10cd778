#include "webgl/program_source.h"

#include <array>
#include <vector>

#include "core/step_values.h"
#include "io/error.h"
#include "webgl/shader_sources.h"

namespace sg::webgl {
namespace {

struct UnaryRow {
  const char *name, *forward, *backward;
};
struct BinaryRow {
  const char *name, *forward, *backward_a, *backward_b;
};

constexpr std::array kUnary{
#define UNARY(name, forward, backward) UnaryRow{#name, #forward, #backward},
#define BINARY(...)
#include "ops/pointwise.def"
#undef UNARY
#undef BINARY
};
constexpr std::array kBinary{
#define UNARY(...)
#define BINARY(name, forward, da, db) BinaryRow{#name, #forward, #da, #db},
#include "ops/pointwise.def"
#undef UNARY
#undef BINARY
};

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> out;
  for (size_t end; !text.empty(); text.remove_prefix(std::min(end + 1, text.size()))) {
    end = std::min(text.find(' '), text.size());
    out.push_back(text.substr(0, end));
  }
  return out;
}

struct StageRow {
  KernelInfo info;
  const char* file;
};

const StageRow& row_of(Stage stage) {
  static const std::array table{
#define STAGE(name, kernel, inputs, outputs, file) \
  StageRow{{#name, words(inputs), words(outputs), info(Kernel::kernel).parameters, sizeof(params::kernel)}, #file},
#include "webgl/stages.def"
#undef STAGE
  };
  return table[static_cast<size_t>(stage) - 1];
}

bool is_unary(Kernel kernel) { return kernel == Kernel::unary || kernel == Kernel::unary_backward; }
bool is_binary(Kernel kernel) { return kernel == Kernel::binary || kernel == Kernel::binary_backward; }

// In the rows' text these names have one meaning on every device, NaN included; GLSL's own leave it open.
constexpr const char* kNames =
    "#define max nan_max\n#define min nan_min\n#define sign sign_of\n#define step step_at\n"
    "#define exp exact_exp\n#define log exact_log\n#define log1p exact_log1p\n#define tanh exact_tanh\n"
    "#define pow exact_pow\n#define sin exact_sin\n#define cos exact_cos\n#define round roundEven\n";
constexpr const char* kNamesEnd =
    "#undef max\n#undef min\n#undef sign\n#undef step\n#undef exp\n#undef log\n#undef log1p\n#undef tanh\n"
    "#undef pow\n#undef sin\n#undef cos\n#undef round\n";

std::string function(const char* name, const char* arguments, const char* body) {
  return std::string("vec4 ") + name + "(" + arguments + ", float p) { return " + body + "; }\n";
}

std::string pointwise_functions(const ProgramKey& key) {
  if (key.op < 0) return "";
  const auto row = static_cast<size_t>(key.op);
  switch (key.kernel) {
    case Kernel::unary:
      return function("forward", "vec4 x", kUnary[row].forward);
    case Kernel::unary_backward:
      return function("backward", "vec4 dy, vec4 x, vec4 y", kUnary[row].backward);
    case Kernel::binary:
      return function("forward", "vec4 a, vec4 b", kBinary[row].forward);
    default:
      return function("backward_a", "vec4 dc, vec4 a, vec4 b", kBinary[row].backward_a) +
             function("backward_b", "vec4 dc, vec4 a, vec4 b", kBinary[row].backward_b);
  }
}

/// "INT(m) FLOAT(lr)" as the members of a block, each 4 bytes as in the parameter struct.
std::string members(std::string_view row) {
  std::string text;
  for (size_t open = row.find('('); open != std::string_view::npos; open = row.find('(', open + 1)) {
    const size_t close = row.find(')', open);
    const size_t start = row.find_last_of(' ', open);
    const std::string_view type = row.substr(start == std::string_view::npos ? 0 : start + 1, open - (start + 1));
    text += (type == "INT" ? "  highp int " : "  highp float ") + std::string(row.substr(open + 1, close - open - 1)) +
            ";\n";
  }
  return text;
}

/// Where each number is in the input `step`.
std::string step_places() {
  std::string text;
  int place = 0;
  for (const std::string_view name : StepValues::kNames)
    text += "#define STEP_" + std::string(name) + " " + std::to_string(place++) + "\n";
  return text;
}

std::string declarations(const ProgramKey& key) {
  const KernelInfo& kernel = info(key);
  std::string text;
  if (key.stage != Stage::none) text = "#define STAGE_" + std::string(kernel.name) + "\n";
  for (const std::string_view input : kernel.inputs) {
    text += "uniform tensor " + std::string(input) + ";\n";
    if (input == "step") text += step_places();
  }
  text += "layout(std140) uniform Parameters {\n" + members(kernel.parameters) +
          "  highp int floats;\n  highp int piece;\n  highp int first_float;\n};\n";
  for (int i = 0; i < static_cast<int>(kernel.outputs.size()); ++i) {
    const int location = i - key.first_output;
    const std::string name(kernel.outputs[static_cast<size_t>(i)]);
    if (location < 0 || location >= key.outputs) {
      text += "highp vec4 " + name + ";\n";
    } else {
      text += "layout(location = " + std::to_string(location) + ") out highp vec4 " + name + ";\n";
    }
  }
  int bit = 0;
  for (const char* name : constants(key)) {
    text += std::string("const bool ") + name + (key.variant >> bit++ & 1 ? " = true;\n" : " = false;\n");
  }
  return text;
}

std::string file(const std::string& name) {
  const std::string_view text = shader_source(name);
  if (text.empty()) throw Error("webgl.shader", "the shader " + name + " is not part of this build");
  return std::string(text);
}

/// special.glsl where `functions` calls one of its own, told by the lines that open them; else nothing, since every
/// function costs compile time.
std::string special_functions(const std::string& functions) {
  static const std::string kName = "special.glsl", kOpening = "\nvec4 ", kExact = "exact_";
  if (functions.empty()) return "";
  const std::string text = file(kName);
  for (size_t at = text.find(kOpening); at != std::string::npos; at = text.find(kOpening, at + 1)) {
    std::string name = text.substr(at + kOpening.size(), text.find('(', at) + 1 - (at + kOpening.size()));
    if (name.rfind(kExact, 0) == 0) name.erase(0, kExact.size());
    if (functions.find(name) != std::string::npos) return "\n#line 1 3\n" + text;
  }
  return "";
}

}  // namespace

const KernelInfo& info(const ProgramKey& key) {
  return key.stage == Stage::none ? info(key.kernel) : row_of(key.stage).info;
}

std::span<const char* const> constants(const ProgramKey& key) {
  static constexpr std::array kBinaryNames{"SAME"};
  static constexpr std::array kMatmulNames{"TRANS_A", "TRANS_B", "K4", "N4", "BATCHED"};
  static constexpr std::array kJoinNames{"N4"};
  static constexpr std::array kGatesNames{"FOUR_GATES"};
  static constexpr std::array kRecurrentNames{"HIDDEN4"};
  switch (key.stage) {
    case Stage::matmul_join:
    case Stage::matmul_join_bias:
    case Stage::matmul_join_addmm:
      return kJoinNames;
    case Stage::gates_tile:
      return kGatesNames;
    default:
      break;
  }
  if (is_binary(key.kernel)) return kBinaryNames;
  switch (key.kernel) {
    case Kernel::matmul:
      return kMatmulNames;
    case Kernel::lstm_step:
    case Kernel::lstm_step_backward:
    case Kernel::gru_step:
    case Kernel::gru_step_backward:
      return kRecurrentNames;
    default:
      return {};
  }
}

int pointwise_ops(Kernel kernel) {
  if (is_unary(kernel)) return static_cast<int>(kUnary.size());
  return is_binary(kernel) ? static_cast<int>(kBinary.size()) : 0;
}

std::string describe(const ProgramKey& key) {
  std::string text(info(key).name);
  const auto row = static_cast<size_t>(key.op);
  if (key.op >= 0) text += std::string("(") + (is_unary(key.kernel) ? kUnary[row].name : kBinary[row].name) + ")";
  if (key.outputs < static_cast<int>(info(key).outputs.size())) {
    text += " outputs " + std::to_string(key.first_output) + ".." + std::to_string(key.first_output + key.outputs - 1);
  }
  return text;
}

std::string vertex_source() { return file("fullscreen.vert"); }

std::string fragment_source(const ProgramKey& key) {
  const std::string functions = pointwise_functions(key);
  return fragment_source(
      key.row_bits, key.layer_bits,
      special_functions(functions) + "\n#line 1 0\n" + declarations(key) + kNames + functions + kNamesEnd,
      (key.stage == Stage::none ? std::string(info(key.kernel).name) : row_of(key.stage).file) + ".frag");
}

std::string fragment_source(int row_bits, int layer_bits, const std::string& declared, const std::string& kernel_file) {
  return "#version 300 es\nprecision highp float;\nprecision highp int;\nprecision highp sampler2DArray;\n"
         "#define tensor highp sampler2DArray\n#define ROW_BITS " +
         std::to_string(row_bits) + "\n#define LAYER_BITS " + std::to_string(layer_bits) + "\n#line 1 1\n" +
         file("prelude.glsl") + "\n#line 1 0\n" + declared + "#line 1 2\n" + file(kernel_file) +
         "\n#line 1 0\nvoid main() {\n  no_bits = uint(floats) >> 31;\n" +
         (layer_bits ? "  own_layer = first_float >> (LAYER_BITS + 2);\n" : "") +
         "  int e = ((int(gl_FragCoord.y) << ROW_BITS) + int(gl_FragCoord.x)) * 4" +
         (layer_bits ? " + first_float" : "") + ";\n  if (e < floats) kernel(e);\n}\n";
}

}  // namespace sg::webgl

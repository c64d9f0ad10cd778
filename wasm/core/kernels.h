// What kernels.def yields: the enum, a parameter struct per kernel, and their names at run time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sg {

enum class Kernel : uint16_t {
#define KERNEL(name, inputs, outputs, ...) name,
#include "core/kernels.def"
#undef KERNEL
  count
};

/// A kernel's parameters in the order of its row: 4 bytes each, so that the struct is the std140 block.
namespace params {
#define INT(field) int32_t field = 0;
#define FLOAT(field) float field = 0;
#define KERNEL(name, inputs, outputs, ...)         \
  struct name {                                    \
    static constexpr Kernel kernel = Kernel::name; \
    __VA_ARGS__                                    \
  };
#include "core/kernels.def"
#undef KERNEL
#undef INT
#undef FLOAT
}  // namespace params

/// An empty struct has a byte, but a kernel without parameters has none.
template <class Params>
constexpr size_t kParameterBytes = std::is_empty_v<Params> ? 0 : sizeof(Params);
template <class Params>
std::span<const std::byte> bytes(const Params& p) {
  return std::as_bytes(std::span(&p, 1)).first(kParameterBytes<Params>);
}

struct KernelInfo {
  std::string_view name;
  std::vector<std::string_view> inputs, outputs;
  /// The row's parameters as written: "INT(m) INT(n) FLOAT(scale)".
  std::string_view parameters;
  uint32_t parameter_bytes;
};

const KernelInfo& info(Kernel kernel);

}  // namespace sg

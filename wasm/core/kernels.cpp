#include "core/kernels.h"

#include <array>

namespace sg {
namespace {

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace

const KernelInfo& info(Kernel kernel) {
  static const std::array<KernelInfo, static_cast<size_t>(Kernel::count)> table{{
#define KERNEL(name, inputs, outputs, ...) \
  {#name, words(inputs), words(outputs), #__VA_ARGS__, kParameterBytes<params::name>},
#include "core/kernels.def"
#undef KERNEL
  }};
  return table[static_cast<size_t>(kernel)];
}

}  // namespace sg

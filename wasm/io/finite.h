#pragma once
// Whether a tensor's bytes are numbers: a checkpoint with an infinity or a NaN in it has lost its run.

#include <cstdint>
#include <optional>
#include <span>

#include "io/safetensors.h"

namespace sg {

/// The position of the first value that is infinite or not a number in `bytes` (whole values of the dtype, in any
/// alignment); dtypes without such values have none.
std::optional<size_t> find_non_finite(Dtype dtype, std::span<const uint8_t> bytes);

}  // namespace sg

// The device that computes with SIMD on the calling thread: WebAssembly SIMD128 in the browser, SSE natively. Its
// numbers are the same on every machine, and depend on nothing but the inputs.
#pragma once
#include <memory>

#include "core/device.h"

namespace sg {

std::unique_ptr<Device> make_cpu_device();

}  // namespace sg

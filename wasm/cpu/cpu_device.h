// The device that computes with SIMD: WebAssembly SIMD128 in the browser, SSE natively. Its numbers depend on nothing but
// the inputs, however many threads there are, and are the same on every machine, but for the builds with relaxed SIMD:
// there they also depend on whether the processor rounds a * b + c once or twice.
#pragma once
#include <memory>

#include "core/device.h"

namespace sg {

std::unique_ptr<Device> make_cpu_device();

}  // namespace sg

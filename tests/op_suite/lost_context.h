// A context that is lost at a kernel, through WEBGL_lose_context where this runs in a browser.
#pragma once
#include <string>

#include "core/kernels.h"

namespace sg::tests {

/// Runs a case that needs the kernel on webgl and loses the context just before the kernel's first call: the case must
/// end with webgl.context_lost and give no value, and must be right on the device that is made next. "" where that is
/// so, else what went wrong.
std::string check_lost_at(Kernel kernel);

}  // namespace sg::tests

// Shows a checkpoint to a person at a terminal: where its run stood, with which settings on which data, its tensors,
// and whether it is whole. The file is read as a stream and believed in nothing.
#pragma once
#include <string>
#include <vector>

#include "native_host/install.h"

namespace sg::host {

/// From the arguments `FILE [--json]`; the status is 0 only for a file that passes every check.
Report inspect(const std::vector<std::string>& arguments);

}  // namespace sg::host

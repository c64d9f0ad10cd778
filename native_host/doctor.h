// Looks at everything that must be right before a browser can start the host and a checkpoint can be saved, and says in
// words what is wrong and the one command that mends it.
#pragma once
#include <cstdint>

#include "native_host/install.h"

namespace sg::host {

/// Less room than this on the checkpoints' disk is worth a warning: a few saves of a large model.
inline constexpr std::uint64_t kLittleRoom = std::uint64_t{1} << 30;

/// Status 0 only when all is well: for the browsers that are named, or else for those that are here.
Report doctor(const InstallOptions& options, std::uint64_t little_room = kLittleRoom);

}  // namespace sg::host

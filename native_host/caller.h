// Who started this program: the browser names the extension in the arguments, and only the compiled-in ids may go on.
// Decided before a byte is read.
#pragma once
#include <string>
#include <vector>

namespace sg::host {

/// Why a program started with these arguments (without its own name) may not talk, or "" when it may.
std::string refuse_caller(const std::vector<std::string>& arguments);

}  // namespace sg::host

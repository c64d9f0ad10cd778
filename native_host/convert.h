// Imports a data set from the shell: the same import as by a message, with a bar that shows how far it is.
#pragma once
#include <string>
#include <vector>

#include "native_host/install.h"

namespace sg::host {

/// From the arguments `FILE [--into DIR] [--format NAME] [--option KEY=VALUE]...`. A value is JSON where it is that,
/// else text. The status is 0 when the data set is there; 1, with FILE:LINE on stderr, when it could not be made; 2 for
/// wrong arguments, 130 when it was interrupted.
Report convert(const std::vector<std::string>& arguments);

/// "[=====-----]  52%  5.2 of 10.0 GB  118 MB/s  1,234,567 rows  0:41 left"
std::string progress_line(std::uint64_t bytes, std::uint64_t size, std::uint64_t rows, double seconds);

}  // namespace sg::host

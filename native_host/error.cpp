#include "native_host/error.h"

#include <system_error>

namespace sg::host {

std::string error_text(int error) { return std::generic_category().message(error); }

}  // namespace sg::host

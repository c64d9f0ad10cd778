// One case of the table on one device, as a text: what the shell's program and the browsers' module both run.
#pragma once
#include <string>

#include "tests/op_cases.h"

namespace sg::tests {

enum class What { values, gradients };

/// "" where the device agrees with the reference, else what differs or was thrown.
std::string check(const OpCase& c, const std::string& device_name, What what);

}  // namespace sg::tests

#include "tests/op_suite/check.h"

#include <exception>

#include "tests/ops/compare.h"
#include "tests/ops/devices.h"

namespace sg::tests {

std::string check(const OpCase& c, const std::string& device_name, What what) {
  try {
    Device& d = device(device_name);
    if (what == What::values) return value_difference(d, c);
    return c.gradient ? gradient_difference(c, gradients_on(d, c, input_values(c))) : "";
  } catch (const std::exception& e) {
    return std::string("threw ") + e.what();
  }
}

}  // namespace sg::tests

// A tensor that training changes, under the name that a checkpoint keeps it by.
#pragma once
#include <string>

#include "core/tensor.h"

namespace sg {

struct Parameter {
  std::string name;
  Tensor value;
};

}  // namespace sg

// Checks that a caller can get wrong (shapes, ranges) throw sg::Error with the op's name and the shapes; they stay in
// release builds, since a wrong shape must never become a wrong number.
#pragma once
#include <string>

#include "io/error.h"

#define SG_CHECK(condition, message)                                \
  do {                                                              \
    if (!(condition)) throw ::sg::Error("shape.mismatch", message); \
  } while (false)

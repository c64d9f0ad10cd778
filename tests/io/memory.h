#pragma once
// How much memory a test takes at most, counted where memory is given out. With the sanitizers that place is theirs,
// and nothing is counted.

#include <cstddef>

namespace sg {

class MemoryWatch {
 public:
  MemoryWatch();
  /// The most bytes that were in use since, beyond those at the start; 0 where nothing is counted.
  size_t peak() const;

 private:
  size_t before_;
};

}  // namespace sg

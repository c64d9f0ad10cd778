// The numbers that PyTorch computed, from the files that make_golden.py wrote. A file notes what was read from it, so
// that a test can show that no golden value goes unread.
#pragma once
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/tensor.h"

namespace sg::tests {

class Golden {
 public:
  /// A file of tests/golden.
  explicit Golden(const std::string& file);

  bool has(const std::string& name) const { return entries_.count(name) == 1; }
  /// Throws std::out_of_range for a name that is not there.
  const std::vector<float>& floats(const std::string& name) const;
  Tensor tensor(Device& device, const std::string& name) const;
  /// What follows `prefix` in the names that begin with it.
  std::vector<std::string> after(const std::string& prefix) const;
  /// Empty where `got` has this name's shape and is within tolerance * max(1, |value|) of its values, else what is
  /// wrong.
  std::string difference(const std::string& name, const Tensor& got, double tolerance = 1e-5) const;
  std::vector<std::string> unread() const;

 private:
  struct Entry {
    std::vector<int> sizes;
    std::vector<float> values;
  };
  const Entry& entry(const std::string& name) const;

  std::map<std::string, Entry> entries_;
  mutable std::set<std::string> read_;
};

}  // namespace sg::tests

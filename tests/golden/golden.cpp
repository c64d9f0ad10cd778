#include "tests/golden/golden.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "io/safetensors.h"
#include "tests/ops/compare.h"

namespace sg::tests {

Golden::Golden(const std::string& file) {
  const std::filesystem::path folder(SG_SOURCE_DIR "/tests/golden");
  std::ifstream stream(folder / file, std::ios::binary);
  const std::vector<char> text{std::istreambuf_iterator<char>(stream), {}};
  const std::vector<uint8_t> bytes(text.begin(), text.end());
  const SafetensorsFile tensors(bytes, {.hashes = false, .finite = false});
  for (const TensorEntry& t : tensors.header().tensors)
    entries_[t.name] = {{t.shape.begin(), t.shape.end()}, tensors.floats(t.name)};
}

const Golden::Entry& Golden::entry(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) throw std::out_of_range("no golden value has the name " + name);
  read_.insert(name);
  return found->second;
}

const std::vector<float>& Golden::floats(const std::string& name) const { return entry(name).values; }

Tensor Golden::tensor(Device& device, const std::string& name) const {
  const Entry& e = entry(name);
  return Tensor::from(device, Shape(std::span<const int>(e.sizes)), e.values);
}

std::vector<std::string> Golden::after(const std::string& prefix) const {
  std::vector<std::string> names;
  for (const auto& [name, unused] : entries_)
    if (name.rfind(prefix, 0) == 0) names.push_back(name.substr(prefix.size()));
  return names;
}

std::string Golden::difference(const std::string& name, const Tensor& got, double tolerance) const {
  const Entry& e = entry(name);
  const Shape shape{std::span<const int>(e.sizes)};
  if (!(got.shape() == shape)) return name + " has the shape " + str(got.shape()) + ", not " + str(shape);
  const std::vector<double> want(e.values.begin(), e.values.end());
  const std::string wrong = tests::difference(got.values(), want, tolerance, 1);
  return wrong.empty() ? wrong : name + ": " + wrong;
}

std::vector<std::string> Golden::unread() const {
  std::vector<std::string> names;
  for (const auto& [name, unused] : entries_)
    if (read_.count(name) == 0) names.push_back(name);
  return names;
}

}  // namespace sg::tests

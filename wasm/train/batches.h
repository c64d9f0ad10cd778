// Which windows each step sees: every epoch is a permutation of the training windows that follows from (seed, epoch)
// alone, so that the data cursor of a checkpoint is two numbers.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "train/permutation.h"

namespace sg::train {

class Batches {
 public:
  /// The windows stay where they are.
  Batches(std::span<const uint32_t> windows, int batch_size, uint64_t seed)
      : windows_(windows), batch_size_(static_cast<size_t>(batch_size)), seed_(seed) {}

  /// Steps in an epoch; the last batch may be smaller.
  int count() const { return static_cast<int>((windows_.size() + batch_size_ - 1) / batch_size_); }

  /// Valid until the next call.
  std::span<const uint32_t> batch(int epoch, int index) {
    if (epoch != epoch_) {
      order_ = Permutation(static_cast<uint32_t>(windows_.size()), seed_, epoch, 0);
      epoch_ = epoch;
    }
    const size_t first = static_cast<size_t>(index) * batch_size_;
    batch_.resize(std::min(batch_size_, windows_.size() - first));
    order_.fill(static_cast<uint32_t>(first), batch_);
    for (uint32_t& window : batch_) window = windows_[window];
    return batch_;
  }

 private:
  std::span<const uint32_t> windows_;
  size_t batch_size_;
  uint64_t seed_;
  int epoch_ = -1;
  Permutation order_;
  std::vector<uint32_t> batch_;
};

}  // namespace sg::train

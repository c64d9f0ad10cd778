// Which windows each step sees: every epoch is a permutation of the training windows that follows from (seed, epoch)
// alone, so that the data cursor of a checkpoint is two numbers.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/random.h"

namespace sg::train {

class Batches {
 public:
  Batches(std::vector<uint32_t> windows, int batch_size, uint64_t seed)
      : windows_(std::move(windows)), batch_size_(batch_size), seed_(seed) {}

  /// Steps in an epoch; the last batch may be smaller.
  int count() const {
    return static_cast<int>((windows_.size() + static_cast<size_t>(batch_size_) - 1) /
                            static_cast<size_t>(batch_size_));
  }

  std::span<const uint32_t> batch(int epoch, int index) {
    if (epoch != shuffled_epoch_) shuffle(epoch);
    const size_t first = static_cast<size_t>(index) * static_cast<size_t>(batch_size_);
    return std::span(order_).subspan(first, std::min(static_cast<size_t>(batch_size_), order_.size() - first));
  }

 private:
  /// Fisher and Yates, from the untouched order each time.
  void shuffle(int epoch) {
    order_ = windows_;
    const Generator g{seed_, 0};
    for (size_t i = order_.size(); i > 1; --i) {
      const uint32_t bits =
          philox({static_cast<uint32_t>(i), static_cast<uint32_t>(Stream::shuffle), static_cast<uint32_t>(epoch), 0},
                 g.low(), g.high())[0];
      std::swap(order_[i - 1], order_[static_cast<size_t>((uint64_t{bits} * i) >> 32)]);
    }
    shuffled_epoch_ = epoch;
  }

  std::vector<uint32_t> windows_, order_;
  int batch_size_;
  uint64_t seed_;
  int shuffled_epoch_ = -1;
};

}  // namespace sg::train

#include "io/binary_reader.h"

#include <algorithm>

namespace sg {

void BinaryReader::want_block(size_t bytes) { want_ = Want::block, size_ = bytes; }

void BinaryReader::want_items(size_t item_bytes, uint64_t count) {
  want_ = Want::items, size_ = item_bytes, left_ = count;
}

void BinaryReader::want_skip(uint64_t bytes) { want_ = Want::skip, left_ = bytes; }

void BinaryReader::want_nothing() { want_ = Want::nothing; }

void BinaryReader::fail(const std::string& what, const std::string& message) const {
  throw Error(format_ + "." + what, "byte " + std::to_string(position_) + ": " + message);
}

/// Items and bytes of which none are wanted end without waiting for a byte.
void BinaryReader::settle() {
  while ((want_ == Want::items || want_ == Want::skip) && left_ == 0) {
    const Want ended = want_;
    want_ = Want::nothing;
    ended == Want::items ? on_items_end() : on_skipped();
  }
}

void BinaryReader::feed(std::span<const uint8_t> bytes) {
  if (ended_) throw Error(format_ + ".finished", "the reader has ended, by an error or by handing its table over");
  ended_ = true;
  settle();
  while (!bytes.empty()) {
    bytes = bytes.subspan(take(bytes));
    settle();
  }
  ended_ = false;
}

size_t BinaryReader::take(std::span<const uint8_t> bytes) {
  switch (want_) {
    case Want::block:
      return take_block(bytes);
    case Want::items:
      return take_items(bytes);
    case Want::skip: {
      const auto n = static_cast<size_t>(std::min<uint64_t>(bytes.size(), left_));
      left_ -= n;
      position_ += n;
      return n;
    }
    case Want::nothing:
      break;
  }
  fail("trailing_bytes", "the file goes on after its end by its own header; it was damaged or put together wrongly");
}

size_t BinaryReader::take_block(std::span<const uint8_t> bytes) {
  const size_t n = std::min(bytes.size(), size_ - rest_.size());
  rest_.insert(rest_.end(), bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(n));
  if (rest_.size() < size_) return n;
  const std::vector<uint8_t> block = std::move(rest_);
  rest_.clear();
  position_ += block.size();
  on_block(block);
  return n;
}

size_t BinaryReader::take_items(std::span<const uint8_t> bytes) {
  if (rest_.empty()) {
    const uint64_t whole = std::min<uint64_t>(bytes.size() / size_, left_);
    if (whole > 0) {
      const size_t n = static_cast<size_t>(whole) * size_;
      left_ -= whole;
      on_items(bytes.subspan(0, n));
      position_ += n;
      return n;
    }
  }
  const size_t n = std::min(bytes.size(), size_ - rest_.size());
  rest_.insert(rest_.end(), bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(n));
  if (rest_.size() == size_) {
    --left_;
    on_items(rest_);
    position_ += size_;
    rest_.clear();
  }
  return n;
}

void BinaryReader::on_truncated() {
  const uint64_t have = position_ + rest_.size();
  std::string missing = "the header goes on";
  if (want_ == Want::items)
    missing = std::to_string(left_) + " values of " + std::to_string(size_) + " bytes are missing";
  if (want_ == Want::skip) missing = std::to_string(left_) + " bytes are missing";
  throw Error(format_ + ".truncated",
              "the file ends at byte " + std::to_string(have) + ", and " + missing + "; copy or download it again");
}

Table BinaryReader::finish() {
  if (ended_) throw Error(format_ + ".finished", "the reader has ended, by an error or by handing its table over");
  ended_ = true;
  settle();
  if (position_ == 0 && rest_.empty()) throw Error(format_ + ".empty", "the file is empty");
  if (want_ != Want::nothing) on_truncated();
  return make_table();
}

}  // namespace sg

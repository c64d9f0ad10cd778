#pragma once
// The skeleton of a reader of a binary format: it says what it wants next (a block of so many bytes, whole items, bytes
// to leave out, nothing), and gets just that however the input is cut. A block is the only thing that is collected, so
// its size, which the reader has checked, bounds the memory.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/table_reader.h"

namespace sg {

class BinaryReader : public TableReader {
 public:
  void feed(std::span<const uint8_t> bytes) final;
  Table finish() final;

 protected:
  explicit BinaryReader(std::string format) : format_(std::move(format)) {}

  /// The next `bytes` (at least 1) come in one piece to on_block().
  void want_block(size_t bytes);
  /// The next `count` items come to on_items(), any number of whole ones at a time, then on_items_end() is called.
  void want_items(size_t item_bytes, uint64_t count);
  void want_skip(uint64_t bytes);
  /// The file is complete: a further byte is an error.
  void want_nothing();

  virtual void on_block(std::span<const uint8_t> bytes) = 0;
  virtual void on_items(std::span<const uint8_t> bytes) = 0;
  virtual void on_items_end() = 0;
  virtual void on_skipped() {}
  /// The file ended where more was wanted; throws <format>.truncated unless the reader can go without.
  virtual void on_truncated();
  virtual Table make_table() = 0;

  const std::string& format() const { return format_; }
  /// Bytes handed out so far: where the next block begins.
  uint64_t position() const { return position_; }
  /// Throws <format>.<what> with "byte N: ".
  [[noreturn]] void fail(const std::string& what, const std::string& message) const;
  uint64_t items_left() const { return left_; }
  /// Whether a part of the wanted block or item has come.
  bool is_within_block() const { return !rest_.empty(); }

 private:
  enum class Want : uint8_t { block, items, skip, nothing };

  size_t take(std::span<const uint8_t> bytes);
  size_t take_block(std::span<const uint8_t> bytes);
  size_t take_items(std::span<const uint8_t> bytes);
  void settle();

  std::string format_;
  Want want_ = Want::nothing;
  size_t size_ = 0;    // of the block or of an item
  uint64_t left_ = 0;  // items, or bytes to leave out
  uint64_t position_ = 0;
  std::vector<uint8_t> rest_;  // the block or the item under way
  bool ended_ = false;
};

}  // namespace sg

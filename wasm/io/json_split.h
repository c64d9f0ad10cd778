#pragma once
// Bytes to rows of JSON: the lines of JSON Lines, or the elements of one array (`[{...}, {...}]`), which is told by its
// first two marks. Either way one row is held at a time.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace sg {

class JsonSplitter {
 public:
  static constexpr size_t max_row_bytes = size_t{1} << 20;

  /// `on_row` gets a row's text and the line on which it begins.
  explicit JsonSplitter(std::function<void(std::string_view text, uint64_t line)> on_row)
      : on_row_(std::move(on_row)) {}

  /// Throws jsonl.line_too_long, and jsonl.bad_line for what follows the end of an array.
  void feed(std::string_view bytes);
  /// Ends the last line; false where an array was not closed.
  bool finish();
  bool is_array() const { return mode_ == Mode::array; }

 private:
  enum class Mode : uint8_t { open, lines, array };

  std::string_view settle(std::string_view bytes);
  void feed_lines(std::string_view bytes);
  void feed_array(std::string_view bytes);
  void step(char c);
  void end_row();
  void check_length() const;

  std::function<void(std::string_view, uint64_t)> on_row_;
  Mode mode_ = Mode::open;
  std::string row_;  // under way
  uint64_t line_ = 1, row_line_ = 1;
  // Inside an array: how deep, and whether in a text.
  size_t depth_ = 0;
  bool in_text_ = false, escaped_ = false, closed_ = false;
};

}  // namespace sg

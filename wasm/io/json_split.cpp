#include "io/json_split.h"

#include "io/error.h"

namespace sg {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

constexpr const char* kSpace = " \t\r\n";

}  // namespace

void JsonSplitter::check_length() const {
  if (row_.size() <= max_row_bytes) return;
  throw Error("jsonl.line_too_long",
              "line " + std::to_string(row_line_) + ": a row of over " + std::to_string(max_row_bytes) +
                  " bytes; is this JSON Lines, or an array of objects?",
              row_line_);
}

/// Looks for the first two marks, and drops the space around them: an array of rows begins with [{ or [[ , and a line
/// that is itself a list of values is a row. Gives the bytes from the second mark on.
std::string_view JsonSplitter::settle(std::string_view bytes) {
  for (; !bytes.empty(); bytes.remove_prefix(1)) {
    const char c = bytes[0];
    if (is_space(c)) {
      line_ += c == '\n';
    } else if (row_.empty()) {
      row_line_ = line_;
      mode_ = c == '[' ? Mode::open : Mode::lines;
      if (mode_ == Mode::lines) break;
      row_ = "[";
    } else {
      mode_ = c == '{' || c == '[' ? Mode::array : Mode::lines;
      if (mode_ == Mode::array) row_.clear(), depth_ = 1;
      break;
    }
  }
  return bytes;
}

void JsonSplitter::feed(std::string_view bytes) {
  if (mode_ == Mode::open) bytes = settle(bytes);
  mode_ == Mode::array ? feed_array(bytes) : feed_lines(bytes);
}

void JsonSplitter::end_row() {
  if (row_.find_first_not_of(kSpace) != std::string::npos) on_row_(row_, row_line_);
  row_.clear();
}

void JsonSplitter::feed_lines(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    row_ += piece.substr(0, max_row_bytes + 1);
    check_length();
    if (end == std::string_view::npos) return;
    end_row();
    row_line_ = ++line_;
    bytes.remove_prefix(end + 1);
  }
}

void JsonSplitter::feed_array(std::string_view bytes) {
  for (const char c : bytes) {
    step(c);
    if (c == '\n') ++line_;
    check_length();
  }
}

void JsonSplitter::step(char c) {
  if (closed_) {
    if (is_space(c)) return;
    throw Error("jsonl.bad_line", "line " + std::to_string(line_) + ": the array has ended, and something follows it",
                line_);
  }
  if (!in_text_ && depth_ == 1 && (c == ',' || c == ']')) {
    closed_ = c == ']';
    return end_row();
  }
  if (row_.empty()) {
    if (is_space(c)) return;
    row_line_ = line_;
  }
  row_ += c;
  if (in_text_) {
    if (!escaped_ && c == '"') in_text_ = false;
    escaped_ = !escaped_ && c == '\\';
  } else if (c == '"') {
    in_text_ = true;
  } else if (c == '{' || c == '[') {
    ++depth_;
  } else if (c == '}' || c == ']') {
    --depth_;
  }
}

bool JsonSplitter::finish() {
  end_row();
  return mode_ != Mode::array || closed_;
}

}  // namespace sg

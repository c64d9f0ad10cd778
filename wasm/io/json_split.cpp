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

/// An array of rows begins with [{ or [[ ; a line that is itself a list of values is a row.
bool JsonSplitter::settle(bool ended) {
  const size_t first = row_.find_first_not_of(kSpace);
  if (first == std::string::npos && !ended) return false;
  mode_ = Mode::lines;
  if (first != std::string::npos && row_[first] == '[') {
    const size_t next = row_.find_first_not_of(kSpace, first + 1);
    if (next == std::string::npos && !ended) {
      mode_ = Mode::open;
      return false;
    }
    if (next != std::string::npos && (row_[next] == '{' || row_[next] == '[')) mode_ = Mode::array;
  }
  return true;
}

void JsonSplitter::feed(std::string_view bytes) {
  if (mode_ == Mode::lines) return feed_lines(bytes);
  if (mode_ == Mode::array) return feed_array(bytes);
  row_ += bytes;
  if (!settle(false)) return check_length();
  const std::string start = std::move(row_);
  row_.clear();
  mode_ == Mode::lines ? feed_lines(start) : feed_array(start);
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
  if (depth_ == 0) {  // before the array
    depth_ = c == '[' ? 1 : 0;
    return;
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
  if (mode_ == Mode::open && settle(true)) {
    const std::string start = std::move(row_);
    row_.clear();
    mode_ == Mode::lines ? feed_lines(start) : feed_array(start);
  }
  end_row();
  return mode_ == Mode::lines || closed_;
}

}  // namespace sg

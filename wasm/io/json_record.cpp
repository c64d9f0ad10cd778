#include "io/json_record.h"

#include <cmath>
#include <cstdlib>

namespace sg {

bool JsonRecord::parse(std::string_view text) {
  buffer_.clear(), spans_.clear(), arrays_.clear(), twice_.clear(), containers_.clear();
  path_.clear(), error_.clear(), frames_.clear();
  array_depth_ = spent_ = 0;
  return nlohmann::json::sax_parse(text.begin(), text.end(), this);
}

bool JsonRecord::fail(const std::string& why) {
  error_ = why;
  return false;
}

bool JsonRecord::parse_error(size_t position, const std::string&, const nlohmann::detail::exception&) {
  return fail("not a whole JSON value: it goes wrong at byte " + std::to_string(position));
}

JsonRecord::Cell JsonRecord::cell(size_t i) const {
  const Span& span = spans_[i];
  const std::string_view all = buffer_;
  return {all.substr(span.path, span.path_length), all.substr(span.text, span.text_length)};
}

/// Inside an array the path gets the value's number; inside an object the key is there already.
void JsonRecord::step_into_value() {
  if (frames_.empty() || !frames_.back().array) return;
  Frame& frame = frames_.back();
  path_.resize(frame.path_length);
  if (frames_.size() == 1) {
    path_ = "column_" + std::to_string(frame.index + 1);
  } else {
    path_ += '.';
    path_ += std::to_string(frame.index);
  }
  ++frame.index;
}

bool JsonRecord::key(string_t& name) {
  path_.resize(frames_.back().path_length);
  if (frames_.size() > 1) path_ += '.';
  path_ += name;
  return path_.size() <= max_path_bytes || fail("a name of over " + std::to_string(max_path_bytes) + " bytes");
}

bool JsonRecord::value(std::string_view text, bool numeric) {
  if (spans_.size() == max_values) return fail("more than " + std::to_string(max_values) + " values");
  step_into_value();
  if (array_depth_ > 0) {
    const size_t level = frames_.size() - array_depth_;
    if (number_level_ == SIZE_MAX) number_level_ = level;
    regular_ = regular_ && numeric && number_level_ == level;
  }
  const std::string_view path = frames_.empty() ? std::string_view("value") : std::string_view(path_);
  const auto at = static_cast<uint32_t>(buffer_.size());
  const auto path_length = static_cast<uint32_t>(path.size());
  buffer_ += path;
  buffer_ += text;
  spans_.push_back({at, path_length, at + path_length, static_cast<uint32_t>(text.size())});
  return spend(path_length + text.size());
}

/// Paths are copied for every value and container: together they have a limit.
bool JsonRecord::spend(size_t bytes) {
  spent_ += bytes;
  return spent_ <= max_spent_bytes || fail("names and values of over 8 MiB, when every value has its whole name");
}

bool JsonRecord::open(bool array) {
  if (frames_.size() == max_depth) return fail("nested deeper than " + std::to_string(max_depth));
  step_into_value();
  if (!spend(path_.size() + 64)) return false;
  const bool named = !frames_.empty() && !frames_.back().array;
  if (named && !containers_.insert(path_).second) twice_.push_back(path_);
  if (array_depth_ > 0 && !array) regular_ = false;
  if (array && array_depth_ == 0 && !frames_.empty()) {
    array_depth_ = frames_.size() + 1;
    regular_ = true;
    number_level_ = SIZE_MAX;
    lengths_.clear();
    arrays_.push_back({path_, spans_.size(), 0, {}});
  }
  frames_.push_back({array, path_.size(), 0});
  return true;
}

bool JsonRecord::close() {
  const Frame frame = frames_.back();
  if (array_depth_ > 0 && frame.array) {
    const size_t level = frames_.size() - array_depth_;
    if (lengths_.size() <= level) lengths_.resize(level + 1);
    regular_ = regular_ && frame.index > 0 && (lengths_[level] == 0 || lengths_[level] == frame.index);
    lengths_[level] = frame.index;
    if (level == 0) {
      Array& array = arrays_.back();
      array.cells = spans_.size() - array.first_cell;
      if (regular_) array.shape.assign(lengths_.begin(), lengths_.end());
      array_depth_ = 0;
    }
  }
  path_.resize(frame.path_length);
  frames_.pop_back();
  return true;
}

std::string quote_odd_numbers(std::string_view line) {
  std::string result;
  bool odd = false;
  const auto is_word = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '-' ||
           c == '.';
  };
  for (size_t i = 0; i < line.size();) {
    size_t end = i + 1;
    bool quote = false;
    if (line[i] == '"') {
      while (end < line.size() && line[end] != '"') end += line[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, line.size());
    } else if (is_word(line[i])) {
      while (end < line.size() && is_word(line[end])) ++end;
      const std::string word(line.substr(i, end - i));
      quote = word == "NaN" || word == "-NaN" || word == "Infinity" || word == "-Infinity";
      const bool number = word[0] == '-' || (word[0] >= '0' && word[0] <= '9');
      if (number && !quote) {
        char* rest = nullptr;
        quote = std::isinf(std::strtod(word.c_str(), &rest)) && *rest == '\0';
      }
    }
    if (quote) result += '"';
    result += line.substr(i, end - i);
    if (quote) result += '"';
    odd = odd || quote;
    i = end;
  }
  return odd ? result : std::string();
}

}  // namespace sg

#pragma once
// One JSON value, a row of a table, taken apart by events into cells: the text of every value with its path, in one
// buffer that is used again for the next row. Nothing recurses, and nesting and the number of values are bounded.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace sg {

class JsonRecord : public nlohmann::json_sax<nlohmann::json> {
 public:
  static constexpr size_t max_depth = 32;
  static constexpr size_t max_values = 100'000;
  static constexpr size_t max_path_bytes = 512;
  static constexpr size_t max_spent_bytes = size_t{8} << 20;

  struct Cell {
    std::string_view path;  // "a", "a.b", "a.0"; "value" where the row is no object, "column_1" where it is a list
    std::string_view text;  // empty for null
  };
  /// An outermost array: its cells, and its shape where it holds nothing but numbers and null and has one.
  struct Array {
    std::string path;
    size_t first_cell = 0, cells = 0;
    std::vector<size_t> shape;
  };

  /// False where the text is no JSON value within the bounds: error() says why.
  bool parse(std::string_view text);
  const std::string& error() const { return error_; }
  size_t size() const { return spans_.size(); }
  Cell cell(size_t i) const;
  const std::vector<Array>& arrays() const { return arrays_; }
  /// Paths of objects and arrays that stand twice.
  const std::vector<std::string>& twice() const { return twice_; }

  bool null() override { return value("", true); }
  bool boolean(bool b) override { return value(b ? "true" : "false", false); }
  bool number_integer(number_integer_t n) override { return value(std::to_string(n), true); }
  bool number_unsigned(number_unsigned_t n) override { return value(std::to_string(n), true); }
  bool number_float(number_float_t, const string_t& text) override { return value(text, true); }
  bool string(string_t& text) override { return value(text, false); }
  bool binary(binary_t&) override { return false; }
  bool start_object(size_t) override { return open(false); }
  bool end_object() override { return close(); }
  bool start_array(size_t) override { return open(true); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override;
  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception&) override;

 private:
  struct Frame {
    bool array = false;
    size_t path_length = 0;  // of the container itself
    uint64_t index = 0;      // values so far
  };
  struct Span {
    uint32_t path, path_length, text, text_length;
  };

  bool value(std::string_view text, bool numeric);
  bool open(bool array);
  bool close();
  void step_into_value();
  bool spend(size_t bytes);
  bool fail(const std::string& why);

  std::string buffer_;  // paths and texts, end to end
  size_t spent_ = 0;
  std::vector<Span> spans_;
  std::vector<Array> arrays_;
  std::vector<std::string> twice_;
  std::unordered_set<std::string> containers_;
  std::string path_, error_;
  std::vector<Frame> frames_;

  // The outermost array under way: its depth in frames_, and the lengths and level of its numbers.
  size_t array_depth_ = 0;
  bool regular_ = true;
  std::vector<uint64_t> lengths_;  // by level, 0: none has ended yet
  size_t number_level_ = 0;
};

/// The line with what other programs write and JSON lacks put in quotes: NaN, Infinity, -Infinity, and numbers that no
/// double holds. Empty where there is nothing of the kind.
std::string quote_odd_numbers(std::string_view line);

}  // namespace sg

#pragma once
// The one error type of the core and the native host: a stable code that programs compare ("csv.empty",
// "checkpoint.corrupt"; lower_snake after a dotted room name) and a message that a person reads.
// Thrown anywhere, caught only where a reply is made.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace sg {

class Error : public std::runtime_error {
 public:
  /// Line and column (both from 1; the column is the field's number) are 0 where they mean nothing.
  Error(std::string code, const std::string& message, uint64_t line = 0, uint64_t column = 0)
      : std::runtime_error(message), code_(std::move(code)), line_(line), column_(column) {}

  const std::string& code() const noexcept { return code_; }
  std::string message() const { return what(); }
  uint64_t line() const noexcept { return line_; }
  uint64_t column() const noexcept { return column_; }

 private:
  std::string code_;
  uint64_t line_ = 0;
  uint64_t column_ = 0;
};

}  // namespace sg

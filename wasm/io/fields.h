#pragma once
// Fields of a JSON object from a file, read exactly: a field that is missing, unknown or of another type is an error
// with its place, such as "shards[3].rows".

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sg {

/// Whole numbers that a double, and so JavaScript, holds exactly.
inline constexpr uint64_t kLargestExact = (uint64_t{1} << 53) - 1;

class JsonFields {
 public:
  /// Errors have the code `code`. The object must outlive this.
  JsonFields(const nlohmann::json& object, const char* code, std::string where);

  bool has(const char* name);
  const nlohmann::json& any(const char* name);
  const nlohmann::json& object(const char* name);
  const nlohmann::json& array(const char* name);
  const std::string& text(const char* name);
  uint64_t whole(const char* name, uint64_t most = kLargestExact);
  bool flag(const char* name);
  std::vector<uint64_t> wholes(const char* name, uint64_t most = kLargestExact);
  std::vector<std::string> texts(const char* name);
  /// Refuses what has not been read.
  void finish() const;
  [[noreturn]] void refuse(const std::string& name, const std::string& why) const;

 private:
  const nlohmann::json& object_;
  const char* code_;
  std::string where_;
  std::set<std::string> read_;
};

}  // namespace sg

// JSON from outside, read strictly and without a tree: nlohmann's parser alone accepts a NUL after a number, keeps the
// last of two equal keys, and builds trees that overflow the stack when they are copied. Its events become one flat
// list of values here, bounded in depth, number and length; a request takes its fields from that list.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "native_host/error.h"

namespace sg::host {

inline constexpr std::size_t kMostDepth = 32;
inline constexpr std::size_t kMostValues = 65'536;
inline constexpr std::size_t kMostKeyBytes = 1024;
inline constexpr std::size_t kMostTextBytes = 700'000;  // the largest piece of a save is 699,052 bytes of base64

struct Object {};
struct Array {};

/// A value, and how many values later the first comes that does not lie within it.
struct Value {
  std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, Object, Array> is;
  std::string key;  // in an object
  std::size_t span = 1;

  template <class T>
  const T* get() const {
    return std::get_if<T>(&is);
  }
};

/// The values in the order in which they stand in the text: what an object or array holds follows it.
using Values = std::vector<Value>;

/// One JSON value and nothing else; throws message.malformed with the byte where it breaks.
Values read_json(std::string_view text);

/// The member of that name of the object at `object`; null when there is none.
const Value* member(const Value& object, std::string_view name);

/// A value with what it holds as nlohmann's tree, for readers of options; as shallow as the text was.
Json tree(const Value& value);

/// The whole of a small file of ours as a tree, as strictly.
Json parse_json(std::string_view text);

bool valid_utf8(std::string_view text);

}  // namespace sg::host

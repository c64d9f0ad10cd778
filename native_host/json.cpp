#include "native_host/json.h"

#include <algorithm>
#include <cstring>

namespace sg::host {
namespace {

/// Calls `each` with every value directly within `whole`.
template <class Each>
void for_each_inside(const Value& whole, Each each) {
  const Value* const end = &whole + whole.span;
  for (const Value* at = &whole + 1; at != end; at += at->span) each(*at);
}

bool has_equal_keys(const Value& object, std::string& twice) {
  std::vector<std::string_view> keys;
  for_each_inside(object, [&](const Value& v) { keys.push_back(v.key); });
  std::sort(keys.begin(), keys.end());
  const auto at = std::adjacent_find(keys.begin(), keys.end());
  if (at == keys.end()) return false;
  twice = at->substr(0, 64);
  return true;
}

/// Takes nlohmann's events, and stops at the first thing that the protocol refuses.
class Reader : public nlohmann::json_sax<Json> {
 public:
  Values values;
  std::string reason;

  bool null() override { return add(nullptr); }
  bool boolean(bool v) override { return add(v); }
  bool number_integer(std::int64_t v) override { return add(v); }
  bool number_unsigned(std::uint64_t v) override {
    if (v <= static_cast<std::uint64_t>(INT64_MAX)) return add(static_cast<std::int64_t>(v));
    return add(v);
  }
  bool number_float(double v, const std::string&) override { return add(v); }
  bool string(std::string& v) override {
    if (v.size() > kMostTextBytes) return refuse("a text is longer than " + std::to_string(kMostTextBytes) + " bytes");
    return add(std::move(v));
  }
  bool binary(Json::binary_t&) override { return refuse("a binary value"); }
  bool start_object(std::size_t) override { return open(Object{}); }
  bool start_array(std::size_t) override { return open(Array{}); }
  bool end_object() override {
    close();
    std::string twice;
    if (has_equal_keys(values[closed_], twice)) return refuse("the key '" + twice + "' stands twice");
    return true;
  }
  bool end_array() override {
    close();
    return true;
  }
  bool key(std::string& v) override {
    if (v.size() > kMostKeyBytes) return refuse("a key is longer than " + std::to_string(kMostKeyBytes) + " bytes");
    key_ = std::move(v);
    return true;
  }
  bool parse_error(std::size_t at, const std::string&, const Json::exception&) override {
    return refuse("not JSON at byte " + std::to_string(at));
  }

 private:
  std::vector<std::size_t> open_;
  std::size_t closed_ = 0;
  std::string key_;

  bool refuse(std::string why) {
    reason = std::move(why);
    return false;
  }
  template <class T>
  bool add(T value) {
    if (values.size() == kMostValues) return refuse("more than " + std::to_string(kMostValues) + " values");
    values.push_back({std::move(value), std::exchange(key_, {}), 1});
    return true;
  }
  template <class T>
  bool open(T kind) {
    if (open_.size() == kMostDepth) return refuse("more than " + std::to_string(kMostDepth) + " levels deep");
    open_.push_back(values.size());
    return add(kind);
  }
  void close() {
    closed_ = open_.back();
    open_.pop_back();
    values[closed_].span = values.size() - closed_;
  }
};

}  // namespace

Values read_json(std::string_view text) {
  Reader reader;
  if (std::memchr(text.data(), '\0', text.size()) != nullptr) {
    reader.reason = "a NUL byte";
  } else if (text.substr(0, 3) == "\xEF\xBB\xBF") {
    reader.reason = "a byte order mark";
  } else if (Json::sax_parse(text.begin(), text.end(), &reader)) {
    return std::move(reader.values);
  }
  throw Failure("message.malformed", "The message can't be read: " + reader.reason + ".");
}

const Value* member(const Value& object, std::string_view name) {
  const Value* found = nullptr;
  if (object.get<Object>() == nullptr) return found;
  for_each_inside(object, [&](const Value& v) {
    if (v.key == name) found = &v;
  });
  return found;
}

Json tree(const Value& value) {
  return std::visit(
      [&](const auto& is) -> Json {
        using Kind = std::decay_t<decltype(is)>;
        if constexpr (std::is_same_v<Kind, Object>) {
          Json object = Json::object();
          for_each_inside(value, [&](const Value& v) { object[v.key] = tree(v); });
          return object;
        } else if constexpr (std::is_same_v<Kind, Array>) {
          Json array = Json::array();
          for_each_inside(value, [&](const Value& v) { array.push_back(tree(v)); });
          return array;
        } else {
          return is;
        }
      },
      value.is);
}

Json parse_json(std::string_view text) { return tree(read_json(text)[0]); }

bool valid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80                   ? 1
                               : lead >= 0xC2 && lead < 0xE0 ? 2
                               : (lead & 0xF0) == 0xE0       ? 3
                               : lead >= 0xF0 && lead < 0xF5 ? 4
                                                             : 0;
    if (length == 0 || i + length > text.size()) return false;
    std::uint32_t point = length == 1 ? lead : lead & (0x7F >> length);
    for (std::size_t k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xC0) != 0x80) return false;
      point = point << 6 | (next & 0x3F);
    }
    if (length == 3 && (point < 0x800 || (point >= 0xD800 && point < 0xE000))) return false;
    if (length == 4 && (point < 0x10000 || point > 0x10FFFF)) return false;
    i += length;
  }
  return true;
}

}  // namespace sg::host

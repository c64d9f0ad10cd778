#include "native_host/json.h"

#include <cstring>
#include <vector>

namespace sg::host {
namespace {

/// Builds the tree from nlohmann's events, and stops at the first thing that the protocol refuses.
class Builder : public nlohmann::json_sax<Json> {
 public:
  Json root;
  std::string reason;

  bool null() override { return add(nullptr); }
  bool boolean(bool v) override { return add(v); }
  bool number_integer(std::int64_t v) override { return add(v); }
  bool number_unsigned(std::uint64_t v) override { return add(v); }
  bool number_float(double v, const std::string&) override { return add(v); }
  bool string(std::string& v) override { return add(std::move(v)); }
  bool binary(Json::binary_t&) override { return refuse("binary value"); }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& v) override {
    if (open_.back()->contains(v)) return refuse("the key '" + v.substr(0, 64) + "' stands twice");
    key_ = std::move(v);
    return true;
  }
  bool parse_error(std::size_t at, const std::string&, const Json::exception&) override {
    return refuse("not JSON at byte " + std::to_string(at));
  }

 private:
  std::vector<Json*> open_;
  std::string key_;

  bool refuse(std::string why) {
    reason = std::move(why);
    return false;
  }
  Json* place(Json value) {
    if (open_.empty()) return &(root = std::move(value));
    if (open_.back()->is_array()) return &open_.back()->emplace_back(std::move(value));
    return &((*open_.back())[key_] = std::move(value));
  }
  bool add(Json value) {
    place(std::move(value));
    return true;
  }
  bool open(Json value) {
    if (open_.size() >= kMaxDepth) return refuse("more than " + std::to_string(kMaxDepth) + " levels deep");
    open_.push_back(place(std::move(value)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }
};

}  // namespace

Json parse_json(std::string_view text) {
  Builder builder;
  if (std::memchr(text.data(), '\0', text.size()) != nullptr) {
    builder.reason = "a NUL byte";
  } else if (text.substr(0, 3) == "\xEF\xBB\xBF") {
    builder.reason = "a byte order mark";
  } else if (Json::sax_parse(text.begin(), text.end(), &builder)) {
    return std::move(builder.root);
  }
  throw Failure("message.malformed", "The message can't be read: " + builder.reason + ".");
}

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

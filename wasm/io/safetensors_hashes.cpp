// The hashes in a checkpoint's metadata: `sha256` is the JSON text {name: 64 hex digits} for every tensor,
// `header_sha256` that of length and header, taken with its own digits as zeros.

#include <nlohmann/json.hpp>
#include <unordered_map>

#include "io/safetensors_header.h"

namespace sg {
namespace {

[[noreturn]] void fail(const std::string& what) {
  corrupt_checkpoint("in the metadata's " + std::string(kTensorHashesKey) + ": " + what, 8);
}

/// Takes {name: digits} by events into the tensors; anything else throws where it is met.
class HashEvents : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HashEvents(std::vector<TensorEntry>& tensors) {
    for (TensorEntry& tensor : tensors) by_name_[tensor.name] = &tensor;
  }

  bool null() override { return unexpected(); }
  bool boolean(bool) override { return unexpected(); }
  bool number_integer(number_integer_t) override { return unexpected(); }
  bool number_unsigned(number_unsigned_t) override { return unexpected(); }
  bool number_float(number_float_t, const string_t&) override { return unexpected(); }
  bool binary(binary_t&) override { return unexpected(); }
  bool start_array(size_t) override { return unexpected(); }
  bool end_array() override { return unexpected(); }
  bool end_object() override { return true; }

  bool start_object(size_t) override {
    if (inside_) return unexpected();
    return inside_ = true;
  }

  bool key(string_t& name) override {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) fail("there is no tensor " + in_quotes(name));
    tensor_ = found->second;
    if (tensor_->sha256) fail("tensor " + in_quotes(name) + " stands twice");
    return true;
  }

  bool string(string_t& digits) override {
    if (!inside_) return unexpected();
    tensor_->sha256 = digest_from_hex(digits);
    if (!tensor_->sha256) fail("that of tensor " + in_quotes(tensor_->name) + " is not 64 hex digits");
    return true;
  }

  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override { return unexpected(); }

 private:
  [[noreturn]] bool unexpected() { fail("it is not an object of texts"); }

  std::unordered_map<std::string_view, TensorEntry*> by_name_;
  TensorEntry* tensor_ = nullptr;
  bool inside_ = false;
};

/// A quote inside a JSON string is escaped, so this text can only be the key itself with its value.
const std::string kDigitsField = "\"" + std::string(kHeaderHashKey) + "\":\"";

}  // namespace

size_t header_digits_position(std::string_view header) {
  const size_t at = header.find(kDigitsField);
  return at == std::string_view::npos ? at : at + kDigitsField.size();
}

Digest header_digest(std::span<const uint8_t> header, size_t digits_at) {
  const std::array<uint8_t, kDigestDigits> zeros = [] {
    std::array<uint8_t, kDigestDigits> digits{};
    digits.fill('0');
    return digits;
  }();
  Sha256 hash;
  hash.feed(header.first(digits_at));
  hash.feed(zeros);
  hash.feed(header.subspan(digits_at + kDigestDigits));
  return hash.finish();
}

bool take_hashes(std::span<const uint8_t> whole, SafetensorsHeader& header) {
  const auto told = header.metadata.extract(std::string(kHeaderHashKey));
  if (told.empty()) return false;
  const std::string_view text(reinterpret_cast<const char*>(whole.data()), whole.size());
  const size_t at = header_digits_position(text);
  const auto digest = digest_from_hex(told.mapped());
  if (!digest || at == std::string_view::npos)
    corrupt_checkpoint("the metadata's " + std::string(kHeaderHashKey) + " is not 64 hex digits", 8);
  if (header_digest(whole, at) != *digest)
    corrupt_checkpoint("the header is not the one that was written (its SHA-256 differs)", at);

  const auto hashes = header.metadata.extract(std::string(kTensorHashesKey));
  if (hashes.empty()) corrupt_checkpoint("the metadata has no " + std::string(kTensorHashesKey), 8);
  HashEvents events(header.tensors);
  nlohmann::json::sax_parse(hashes.mapped(), &events);
  for (const TensorEntry& tensor : header.tensors)
    if (!tensor.sha256) fail("tensor " + in_quotes(tensor.name) + " has none");
  return true;
}

}  // namespace sg

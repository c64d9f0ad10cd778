// Writes a checkpoint: the same content gives the same bytes, and nothing is written that a reader would refuse.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/csv_types.h"
#include "io/finite.h"
#include "io/safetensors_header.h"

namespace sg {
namespace {

using nlohmann::json;

void check_tensor(const TensorBytes& tensor, bool finite) {
  const auto fail = [&](const std::string& what) {
    throw Error("checkpoint.bad_tensor", in_quotes(tensor.name) + ": " + what);
  };
  if (tensor.name.empty() || tensor.name == "__metadata__") fail("this is no name for a tensor");
  if (find_invalid_utf8(tensor.name) != std::string_view::npos) fail("the name is not UTF-8");
  const auto bytes = tensor_bytes(tensor.dtype, tensor.shape);
  if (!bytes || *bytes != tensor.bytes.size()) {
    fail(std::to_string(tensor.bytes.size()) + " bytes do not fill its shape of " +
         std::string(to_string(tensor.dtype)));
  }
  if (finite && find_non_finite(tensor.dtype, tensor.bytes)) fail("it holds a value that is infinite or not a number");
}

/// The header's JSON, with the digits of its own hash as zeros. Tensors come by name. It is put together as text: an
/// object that keeps the order of its keys looks through all of them for each, and a table may have 10,000 columns.
std::string header_text(std::span<const TensorBytes* const> tensors, std::map<std::string, std::string> metadata,
                        bool hashed) {
  std::string hashes, places;
  uint64_t at = 0;
  for (const TensorBytes* tensor : tensors) {
    const std::string name = json(tensor->name).dump();
    const uint64_t end = at + tensor->bytes.size();
    if (hashed) hashes += (hashes.empty() ? "" : ",") + name + ":\"" + to_hex(sha256(tensor->bytes)) + "\"";
    places += "," + name + ":{\"dtype\":\"" + std::string(to_string(tensor->dtype)) +
              "\",\"shape\":" + json(tensor->shape).dump() + ",\"data_offsets\":[" + std::to_string(at) + "," +
              std::to_string(end) + "]}";
    at = end;
  }
  if (hashed) {
    metadata[std::string(kHeaderHashKey)] = std::string(kDigestDigits, '0');
    metadata[std::string(kTensorHashesKey)] = "{" + hashes + "}";
  }
  std::string text;
  try {
    text = "{\"__metadata__\":" + json(metadata).dump() + places + "}";
  } catch (const nlohmann::json::exception&) {
    throw Error("checkpoint.bad_tensor", "a metadata value is not UTF-8");
  }
  text.resize((text.size() + 7) / 8 * 8, ' ');
  if (text.size() > kMaxHeaderBytes) throw Error("checkpoint.bad_tensor", "the header would be over 8 MiB");
  return text;
}

}  // namespace

std::vector<uint8_t> write_safetensors(std::span<const TensorBytes> tensors,
                                       const std::map<std::string, std::string>& metadata, Values values,
                                       Hashes hashes) {
  std::vector<const TensorBytes*> sorted;
  uint64_t data_size = 0;
  for (const TensorBytes& tensor : tensors) {
    check_tensor(tensor, values == Values::finite);
    sorted.push_back(&tensor);
    data_size += tensor.bytes.size();
  }
  std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
  const auto same_name = [](const auto* a, const auto* b) { return a->name == b->name; };
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end(), same_name); twice != sorted.end())
    throw Error("checkpoint.bad_tensor", in_quotes((*twice)->name) + ": two tensors have this name");

  const std::string text = header_text(sorted, metadata, hashes == Hashes::each_tensor);
  std::vector<uint8_t> file;
  file.reserve(8 + text.size() + data_size);
  for (size_t i = 0; i < 8; ++i) file.push_back(static_cast<uint8_t>(uint64_t{text.size()} >> (8 * i)));
  file.insert(file.end(), text.begin(), text.end());
  if (hashes == Hashes::each_tensor) {
    const size_t digits_at = 8 + header_digits_position(text);
    const std::string digits = to_hex(header_digest(file, digits_at));
    std::copy(digits.begin(), digits.end(), file.begin() + static_cast<ptrdiff_t>(digits_at));
  }
  for (const TensorBytes* tensor : sorted) file.insert(file.end(), tensor->bytes.begin(), tensor->bytes.end());
  return file;
}

}  // namespace sg

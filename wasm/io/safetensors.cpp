// The file around the header: lengths and offsets against the true size before anything is believed, and the checksum
// over every byte with its own eight digits taken as zeros.

#include "io/safetensors.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "io/csv_types.h"
#include "io/safetensors_header.h"

namespace sg {
namespace {

constexpr std::string_view kZeroDigits = "00000000";

std::string hex8(uint32_t value) {
  std::string text(8, '0');
  for (size_t i = 0; i < 8; ++i) text[7 - i] = "0123456789abcdef"[value >> (4 * i) & 0xF];
  return text;
}

std::optional<uint32_t> from_hex8(std::string_view text) {
  if (text.size() != 8) return std::nullopt;
  uint32_t value = 0;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9', letter = c >= 'a' && c <= 'f';
    if (!digit && !letter) return std::nullopt;
    value = value << 4 | static_cast<uint32_t>(digit ? c - '0' : c - 'a' + 10);
  }
  return value;
}

/// A quote inside a JSON string is escaped, so this text can only be the key itself with its value.
std::string checksum_field() { return "\"" + std::string(kChecksumKey) + "\":\""; }

std::string in_quotes(std::string_view name) { return "'" + shorten(name, 80) + "'"; }

void check_tensor(const TensorBytes& tensor) {
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
}

/// `crc` continued over `bytes`, which begin at `position` of the file, with the checksum's own digits as zeros.
uint32_t crc_without_digits(std::span<const uint8_t> bytes, uint64_t position, uint64_t digits_at, uint32_t crc) {
  const uint64_t end = position + bytes.size();
  const uint64_t from = std::clamp(digits_at, position, end), to = std::clamp(digits_at + 8, position, end);
  crc = crc32c(bytes.first(from - position), crc);
  crc = crc32c({reinterpret_cast<const uint8_t*>(kZeroDigits.data()), static_cast<size_t>(to - from)}, crc);
  return crc32c(bytes.subspan(to - position), crc);
}

void check_checksum(const SafetensorsHeader& header, Checksum checksum, uint32_t crc) {
  if (!header.crc32c) {
    if (checksum == Checksum::optional) return;
    corrupt_checkpoint("the metadata has no checksum", 8);
  }
  if (*header.crc32c != crc) {
    corrupt_checkpoint("the checksum says " + hex8(*header.crc32c) + ", the bytes give " + hex8(crc),
                       header.crc_position);
  }
}

/// Offsets must run through the data section in order, without a hole, to its very end.
void check_layout(SafetensorsHeader& header) {
  const uint64_t data_size = header.total_size - header.data_begin;
  uint64_t at = 0;
  std::stable_sort(header.tensors.begin(), header.tensors.end(), [](const TensorEntry& a, const TensorEntry& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  for (TensorEntry& tensor : header.tensors) {
    const uint64_t byte = header.data_begin + std::min(at, data_size);
    if (tensor.begin != at) {
      corrupt_checkpoint("tensor " + in_quotes(tensor.name) + " begins at data offset " + std::to_string(tensor.begin) +
                             " and not at " + std::to_string(at),
                         byte);
    }
    if (tensor.end < tensor.begin || tensor.end > data_size) {
      corrupt_checkpoint("tensor " + in_quotes(tensor.name) + " ends at data offset " + std::to_string(tensor.end) +
                             ", and there are " + std::to_string(data_size) + " bytes of data",
                         byte);
    }
    const auto bytes = tensor_bytes(tensor.dtype, tensor.shape);
    if (!bytes || *bytes != tensor.end - tensor.begin) {
      corrupt_checkpoint("tensor " + in_quotes(tensor.name) + " has " + std::to_string(tensor.end - tensor.begin) +
                             " bytes, its shape needs " + (bytes ? std::to_string(*bytes) : "more than 2^62"),
                         byte);
    }
    at = tensor.end;
    tensor.begin += header.data_begin;
    tensor.end += header.data_begin;
  }
  if (at != data_size) {
    corrupt_checkpoint(std::to_string(data_size - at) + " bytes follow the last tensor", header.data_begin + at);
  }
}

}  // namespace

std::vector<uint8_t> write_safetensors(std::span<const TensorBytes> tensors,
                                       const std::map<std::string, std::string>& metadata) {
  std::vector<const TensorBytes*> sorted;
  for (const TensorBytes& tensor : tensors) {
    check_tensor(tensor);
    sorted.push_back(&tensor);
  }
  std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->name < b->name; });

  nlohmann::ordered_json entries = nlohmann::ordered_json::object();
  std::map<std::string, std::string> texts = metadata;
  texts[std::string(kChecksumKey)] = kZeroDigits;
  entries["__metadata__"] = texts;
  uint64_t at = 0;
  for (const TensorBytes* tensor : sorted) {
    if (entries.contains(tensor->name)) {
      throw Error("checkpoint.bad_tensor", in_quotes(tensor->name) + ": two tensors have this name");
    }
    entries[tensor->name] = {{"dtype", to_string(tensor->dtype)},
                             {"shape", tensor->shape},
                             {"data_offsets", {at, at + tensor->bytes.size()}}};
    at += tensor->bytes.size();
  }
  std::string header;
  try {
    header = entries.dump();
  } catch (const nlohmann::json::exception&) {
    throw Error("checkpoint.bad_tensor", "a metadata value is not UTF-8");
  }
  header.resize((header.size() + 7) / 8 * 8, ' ');
  if (header.size() > kMaxHeaderBytes) throw Error("checkpoint.bad_tensor", "the header would be over 16 MiB");

  std::vector<uint8_t> file(8 + header.size() + at);
  for (size_t i = 0; i < 8; ++i) file[i] = static_cast<uint8_t>(uint64_t{header.size()} >> (8 * i));
  std::memcpy(file.data() + 8, header.data(), header.size());
  size_t position = 8 + header.size();
  for (const TensorBytes* tensor : sorted) {
    if (!tensor->bytes.empty()) std::memcpy(file.data() + position, tensor->bytes.data(), tensor->bytes.size());
    position += tensor->bytes.size();
  }
  const std::string field = checksum_field();
  const std::string digits = hex8(crc32c(file));
  std::memcpy(file.data() + 8 + header.find(field) + field.size(), digits.data(), 8);
  return file;
}

const TensorEntry* SafetensorsHeader::find(std::string_view name) const {
  for (const TensorEntry& tensor : tensors) {
    if (tensor.name == name) return &tensor;
  }
  return nullptr;
}

uint64_t safetensors_header_size(std::span<const uint8_t> first_bytes, uint64_t total_size) {
  if (total_size < 10 || first_bytes.size() < 8) {
    corrupt_checkpoint("the file ends before its header", std::min<uint64_t>(total_size, first_bytes.size()));
  }
  uint64_t length = 0;
  for (size_t i = 0; i < 8; ++i) length |= uint64_t{first_bytes[i]} << (8 * i);
  if (length > kMaxHeaderBytes)
    corrupt_checkpoint("a header of " + std::to_string(length) + " bytes is over 16 MiB", 0);
  if (length < 2 || length > total_size - 8) {
    corrupt_checkpoint(
        "a header of " + std::to_string(length) + " bytes does not fit a file of " + std::to_string(total_size), 0);
  }
  return 8 + length;
}

SafetensorsHeader read_safetensors_header(std::span<const uint8_t> prefix, uint64_t total_size) {
  SafetensorsHeader header;
  header.total_size = total_size;
  header.data_begin = safetensors_header_size(prefix, total_size);
  if (prefix.size() < header.data_begin) corrupt_checkpoint("the file ends inside its header", prefix.size());
  const std::string_view text(reinterpret_cast<const char*>(prefix.data()) + 8, header.data_begin - 8);
  parse_safetensors_json(text, header);
  check_layout(header);
  if (const auto checksum = header.metadata.find(std::string(kChecksumKey)); checksum != header.metadata.end()) {
    const std::string field = checksum_field();
    const size_t at = text.find(field);
    header.crc32c = from_hex8(checksum->second);
    if (!header.crc32c || at == std::string_view::npos) corrupt_checkpoint("the checksum is not eight hex digits", 8);
    header.crc_position = 8 + at + field.size();
    header.metadata.erase(checksum);
  }
  return header;
}

SafetensorsFile::SafetensorsFile(std::span<const uint8_t> file, Checksum checksum)
    : file_(file), header_(read_safetensors_header(file, file.size())) {
  const uint64_t digits_at = header_.crc32c ? header_.crc_position : file.size();
  check_checksum(header_, checksum, crc_without_digits(file, 0, digits_at, 0));
}

const std::string& SafetensorsFile::value(const std::string& key) const {
  const auto found = header_.metadata.find(key);
  if (found == header_.metadata.end()) {
    throw Error("checkpoint.missing", "the checkpoint has no metadata " + in_quotes(key));
  }
  return found->second;
}

const TensorEntry& SafetensorsFile::entry(std::string_view name) const {
  const TensorEntry* found = header_.find(name);
  if (!found) throw Error("checkpoint.missing", "the checkpoint has no tensor " + in_quotes(name));
  return *found;
}

std::span<const uint8_t> SafetensorsFile::bytes(std::string_view name) const {
  const TensorEntry& tensor = entry(name);
  return file_.subspan(tensor.begin, tensor.end - tensor.begin);
}

std::vector<float> SafetensorsFile::floats(std::string_view name) const {
  const TensorEntry& tensor = entry(name);
  if (tensor.dtype != Dtype::F32) {
    throw Error("checkpoint.mismatch",
                "tensor " + in_quotes(name) + " is " + std::string(to_string(tensor.dtype)) + ", not F32");
  }
  const std::span<const uint8_t> source = bytes(name);
  std::vector<float> values(source.size() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), source.data(), source.size());
  return values;
}

SafetensorsChecker::SafetensorsChecker(uint64_t total_size, Checksum checksum)
    : total_size_(total_size), checksum_(checksum) {}

void SafetensorsChecker::feed(std::span<const uint8_t> bytes) {
  if (bytes.size() > total_size_ - seen_) {
    corrupt_checkpoint("more bytes came than the " + std::to_string(total_size_) + " announced", total_size_);
  }
  seen_ += bytes.size();
  while (!header_ && !bytes.empty()) {
    const uint64_t wanted = header_size_ == 0 ? 8 : header_size_;
    const size_t take = static_cast<size_t>(std::min<uint64_t>(bytes.size(), wanted - prefix_.size()));
    prefix_.insert(prefix_.end(), bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(take));
    bytes = bytes.subspan(take);
    if (prefix_.size() < wanted) return;
    if (header_size_ == 0) {
      header_size_ = safetensors_header_size(prefix_, total_size_);
      continue;
    }
    header_ = read_safetensors_header(prefix_, total_size_);
    crc_ = crc_without_digits(prefix_, 0, header_->crc32c ? header_->crc_position : total_size_, 0);
    prefix_ = {};
  }
  crc_ = crc32c(bytes, crc_);
}

const SafetensorsHeader& SafetensorsChecker::finish() {
  if (seen_ != total_size_ || !header_) {
    corrupt_checkpoint("it ends after " + std::to_string(seen_) + " of " + std::to_string(total_size_) + " bytes",
                       seen_);
  }
  check_checksum(*header_, checksum_, crc_);
  return *header_;
}

}  // namespace sg

// The file around the header: lengths and offsets against the true size before anything is believed, then every byte
// against the hashes that were written with it.

#include "io/safetensors.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "io/finite.h"
#include "io/safetensors_header.h"

namespace sg {
namespace {

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

/// Another version may say something else by the same words.
void check_format(const SafetensorsHeader& header) {
  const auto format = header.metadata.find("format");
  if (format == header.metadata.end() || format->second == kCheckpointFormat) return;
  throw Error("checkpoint.version", "the file's format is " + in_quotes(format->second) + ", and this version reads " +
                                        in_quotes(kCheckpointFormat) +
                                        " alone: open it with the program, or the version, that wrote it");
}

}  // namespace

const TensorEntry* SafetensorsHeader::find(std::string_view name) const {
  if (sorted) {
    const auto at = std::lower_bound(tensors.begin(), tensors.end(), name,
                                     [](const TensorEntry& tensor, std::string_view n) { return tensor.name < n; });
    return at != tensors.end() && at->name == name ? &*at : nullptr;
  }
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
  if (length > kMaxHeaderBytes) corrupt_checkpoint("a header of " + std::to_string(length) + " bytes is over 8 MiB", 0);
  if (length < 2 || length > total_size - 8) {
    corrupt_checkpoint(
        "a header of " + std::to_string(length) + " bytes does not fit a file of " + std::to_string(total_size), 0);
  }
  return 8 + length;
}

SafetensorsHeader read_safetensors_header(std::span<const uint8_t> prefix, uint64_t total_size,
                                          const SafetensorsRules& rules) {
  SafetensorsHeader header;
  header.total_size = total_size;
  header.data_begin = safetensors_header_size(prefix, total_size);
  if (prefix.size() < header.data_begin) corrupt_checkpoint("the file ends inside its header", prefix.size());
  const auto whole = prefix.first(header.data_begin);
  parse_safetensors_json({reinterpret_cast<const char*>(whole.data()) + 8, whole.size() - 8}, header);
  check_layout(header);
  const bool hashed = take_hashes(whole, header);
  if (rules.hashes) check_format(header);
  if (rules.hashes && !hashed) {
    corrupt_checkpoint(
        "the metadata has no " + std::string(kHeaderHashKey) + ": another program wrote it, or it is damaged", 8);
  }
  return header;
}

SafetensorsChecker::SafetensorsChecker(uint64_t total_size, const SafetensorsRules& rules)
    : rules_(rules), total_size_(total_size) {}

std::span<const uint8_t> SafetensorsChecker::take_header(std::span<const uint8_t> bytes) {
  while (!header_ && !bytes.empty()) {
    const uint64_t wanted = header_size_ == 0 ? 8 : header_size_;
    const size_t take = static_cast<size_t>(std::min<uint64_t>(bytes.size(), wanted - prefix_.size()));
    prefix_.insert(prefix_.end(), bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(take));
    bytes = bytes.subspan(take);
    if (prefix_.size() < wanted) break;
    if (header_size_ == 0) {
      header_size_ = safetensors_header_size(prefix_, total_size_);
      continue;
    }
    header_ = read_safetensors_header(prefix_, total_size_, rules_);
    prefix_ = {};
    end_tensors();
  }
  return bytes;
}

void SafetensorsChecker::feed(std::span<const uint8_t> bytes) {
  if (bytes.size() > total_size_ - seen_) {
    corrupt_checkpoint("more bytes came than the " + std::to_string(total_size_) + " announced", total_size_);
  }
  const uint64_t end = seen_ + bytes.size();
  bytes = take_header(bytes);
  seen_ = end - bytes.size();
  while (!bytes.empty()) {
    // The layout has been checked: the tensors cover every byte after the header.
    const TensorEntry& tensor = header_->tensors[tensor_];
    const auto piece = bytes.first(static_cast<size_t>(std::min<uint64_t>(bytes.size(), tensor.end - seen_)));
    if (tensor.sha256) hash_.feed(piece);
    if (rules_.finite && !non_finite_) look_for_non_finite(tensor.dtype, seen_, piece);
    bytes = bytes.subspan(piece.size());
    seen_ += piece.size();
    end_tensors();
  }
}

void SafetensorsChecker::look_for_non_finite(Dtype dtype, uint64_t position, std::span<const uint8_t> bytes) {
  const size_t size = byte_size(dtype);
  const auto look = [&](std::span<const uint8_t> values, uint64_t at) {
    if (const auto found = find_non_finite(dtype, values)) non_finite_ = at + *found;
  };
  if (!cut_.empty()) {
    const size_t take = std::min(bytes.size(), size - cut_.size());
    const uint64_t at = position - cut_.size();
    cut_.insert(cut_.end(), bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(take));
    bytes = bytes.subspan(take);
    position += take;
    if (cut_.size() < size) return;
    look(cut_, at);
    cut_.clear();
  }
  const size_t whole = bytes.size() / size * size;
  if (!non_finite_) look(bytes.first(whole), position);
  cut_.assign(bytes.begin() + static_cast<ptrdiff_t>(whole), bytes.end());
}

/// Says what is wrong with the tensors that are through, those without bytes included.
void SafetensorsChecker::end_tensors() {
  while (tensor_ < header_->tensors.size() && std::max(seen_, header_->data_begin) == header_->tensors[tensor_].end) {
    const TensorEntry& tensor = header_->tensors[tensor_++];
    if (tensor.sha256 && std::exchange(hash_, {}).finish() != *tensor.sha256) {
      corrupt_checkpoint(
          "the bytes of tensor " + in_quotes(tensor.name) + " are not those that were written (their SHA-256 differs)",
          tensor.begin);
    }
    if (non_finite_) {
      corrupt_checkpoint("tensor " + in_quotes(tensor.name) + " holds a value that is infinite or not a number",
                         *non_finite_);
    }
    cut_.clear();
  }
}

const SafetensorsHeader& SafetensorsChecker::finish() {
  if (seen_ != total_size_ || !header_) {
    corrupt_checkpoint("it ends after " + std::to_string(seen_) + " of " + std::to_string(total_size_) + " bytes",
                       seen_);
  }
  return *header_;
}

SafetensorsFile::SafetensorsFile(std::span<const uint8_t> file, const SafetensorsRules& rules) : file_(file) {
  SafetensorsChecker checker(file.size(), rules);
  checker.feed(file);
  header_ = checker.finish();
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

}  // namespace sg

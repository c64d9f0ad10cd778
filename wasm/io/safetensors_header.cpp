#include "io/safetensors_header.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "io/csv_types.h"

namespace sg {
namespace {

struct DtypeRow {
  Dtype dtype;
  std::string_view name;
  size_t bytes;
};
constexpr std::array<DtypeRow, 13> kDtypeRows = {{{Dtype::BOOL, "BOOL", 1},
                                                  {Dtype::U8, "U8", 1},
                                                  {Dtype::I8, "I8", 1},
                                                  {Dtype::U16, "U16", 2},
                                                  {Dtype::I16, "I16", 2},
                                                  {Dtype::F16, "F16", 2},
                                                  {Dtype::BF16, "BF16", 2},
                                                  {Dtype::U32, "U32", 4},
                                                  {Dtype::I32, "I32", 4},
                                                  {Dtype::F32, "F32", 4},
                                                  {Dtype::U64, "U64", 8},
                                                  {Dtype::I64, "I64", 8},
                                                  {Dtype::F64, "F64", 8}}};

const DtypeRow& row_of(Dtype dtype) {
  return *std::find_if(kDtypeRows.begin(), kDtypeRows.end(), [&](const DtypeRow& row) { return row.dtype == dtype; });
}

constexpr size_t kMaxRank = 32;

/// Takes the events of one header. The nesting is {"__metadata__": {key: text}, name: {dtype, shape: [], data_offsets:
/// []}}; anything else throws where it is met.
class HeaderEvents : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderEvents(SafetensorsHeader& header) : header_(header) {}

  bool null() override { return unexpected("null"); }
  bool boolean(bool) override { return unexpected("a truth value"); }
  bool number_integer(number_integer_t) override { return unexpected("a negative number"); }
  bool number_float(number_float_t, const string_t&) override { return unexpected("a fraction"); }
  bool binary(binary_t&) override { return unexpected("binary"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (in_ != In::numbers) return unexpected("a number");
    std::vector<uint64_t>& into = field_ == "shape" ? tensor_.shape : offsets_;
    if (into.size() == kMaxRank) fail("'" + field_ + "' has more than 32 numbers");
    into.push_back(value);
    return true;
  }

  bool string(string_t& value) override {
    if (in_ == In::metadata) {
      header_.metadata[field_] = std::move(value);
      return true;
    }
    if (in_ != In::tensor || field_ != "dtype") return unexpected("text");
    const auto dtype = dtype_from(value);
    if (!dtype) fail("dtype '" + shorten(value, 40) + "' is unknown");
    tensor_.dtype = *dtype;
    return true;
  }

  bool start_object(size_t) override {
    if (in_ == In::nothing) {
      in_ = In::top;
    } else if (in_ == In::top && name_ == "__metadata__") {
      in_ = In::metadata;
    } else if (in_ == In::top) {
      in_ = In::tensor;
      tensor_ = {};
      tensor_.name = name_;
      offsets_.clear();
    } else {
      return unexpected("an object");
    }
    keys_.clear();
    return true;
  }

  bool key(string_t& key) override {
    if (in_ == In::top) {
      if (key.empty()) fail("a tensor has no name");
      if (!names_.insert(key).second) fail("the name " + in_quotes(key) + " stands twice");
      name_ = std::move(key);
      return true;
    }
    if (!keys_.insert(key).second) fail(in_quotes(name_) + " has " + in_quotes(key) + " twice");
    if (in_ == In::tensor && key != "dtype" && key != "shape" && key != "data_offsets") {
      fail("tensor " + in_quotes(name_) + " has an unknown field " + in_quotes(key));
    }
    field_ = std::move(key);
    return true;
  }

  bool end_object() override {
    if (in_ == In::tensor) {
      if (keys_.size() != 3) fail("tensor " + in_quotes(name_) + " lacks dtype, shape or data_offsets");
      if (offsets_.size() != 2) fail("tensor " + in_quotes(name_) + " needs two data_offsets");
      tensor_.begin = offsets_[0];
      tensor_.end = offsets_[1];
      header_.tensors.push_back(std::move(tensor_));
    }
    in_ = in_ == In::top ? In::nothing : In::top;
    return true;
  }

  bool start_array(size_t) override {
    if (in_ != In::tensor || field_ == "dtype") return unexpected("a list");
    in_ = In::numbers;
    return true;
  }

  bool end_array() override {
    in_ = In::tensor;
    return true;
  }

  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception&) override {
    corrupt_checkpoint("the header is not valid JSON", 8 + (position > 0 ? position - 1 : 0));
  }

 private:
  enum class In : uint8_t { nothing, top, metadata, tensor, numbers };

  [[noreturn]] void fail(const std::string& what) { corrupt_checkpoint("in the header: " + what, 8); }

  [[noreturn]] bool unexpected(const std::string& what) {
    fail(what + " where the format has none (at " + in_quotes(name_) + ")");
  }

  SafetensorsHeader& header_;
  In in_ = In::nothing;
  std::string name_, field_;
  std::set<std::string> names_, keys_;
  TensorEntry tensor_;
  std::vector<uint64_t> offsets_;
};

}  // namespace

void corrupt_checkpoint(const std::string& what, uint64_t byte) {
  throw Error("checkpoint.corrupt",
              "the checkpoint is damaged at byte " + std::to_string(byte) + ": " + what + "; use an earlier one");
}

std::string in_quotes(std::string_view name) { return "'" + shorten(name, 80) + "'"; }

size_t byte_size(Dtype dtype) { return row_of(dtype).bytes; }
std::string_view to_string(Dtype dtype) { return row_of(dtype).name; }

std::optional<Dtype> dtype_from(std::string_view name) {
  for (const DtypeRow& row : kDtypeRows) {
    if (row.name == name) return row.dtype;
  }
  return std::nullopt;
}

std::optional<uint64_t> tensor_bytes(Dtype dtype, const std::vector<uint64_t>& shape) {
  constexpr uint64_t kLimit = uint64_t{1} << 62;
  uint64_t bytes = byte_size(dtype);
  for (const uint64_t dim : shape) {
    if (dim != 0 && bytes > kLimit / dim) return std::nullopt;
    bytes *= dim;
  }
  return bytes;
}

void parse_safetensors_json(std::string_view text, SafetensorsHeader& header) {
  const size_t end = text.find_last_not_of(' ');
  if (text.empty() || text[0] != '{') corrupt_checkpoint("the header does not begin with '{'", 8);
  if (text[end] != '}') corrupt_checkpoint("the header does not end with '}' and spaces", 8 + end);
  HeaderEvents events(header);
  nlohmann::json::sax_parse(text.begin(), text.begin() + static_cast<ptrdiff_t>(end + 1), &events);
  header.sorted = std::is_sorted(header.tensors.begin(), header.tensors.end(),
                                 [](const TensorEntry& a, const TensorEntry& b) { return a.name < b.name; });
}

}  // namespace sg

// safetensors files as data: the tensors of one length stand side by side, read in the order in which they lie, each a
// column (one dimension), a column for every place of its last axis (two), or elements (more), as in NPY.

#include "io/binary_reader.h"
#include "io/csv_types.h"
#include "io/formats.h"
#include "io/safetensors_header.h"
#include "io/scalars.h"
#include "io/table_builder.h"

namespace sg {

extern const Format safetensors_format;

namespace {

constexpr uint64_t kMaxTensorColumns = 10'000;

Scalar scalar_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::BOOL:
      return Scalar::b1;
    case Dtype::U8:
      return Scalar::u1;
    case Dtype::I8:
      return Scalar::i1;
    case Dtype::U16:
      return Scalar::u2;
    case Dtype::I16:
      return Scalar::i2;
    case Dtype::F16:
      return Scalar::f2;
    case Dtype::BF16:
      return Scalar::bf2;
    case Dtype::U32:
      return Scalar::u4;
    case Dtype::I32:
      return Scalar::i4;
    case Dtype::F32:
      return Scalar::f4;
    case Dtype::U64:
      return Scalar::u8;
    case Dtype::I64:
      return Scalar::i8;
    case Dtype::F64:
      return Scalar::f8;
  }
  return Scalar::f4;
}

class TensorsReader : public BinaryReader {
 public:
  explicit TensorsReader(const CsvOptions& options)
      : BinaryReader(safetensors_format.name), file_bytes_(options.target.file_bytes), table_(format(), options) {
    want_block(8);
  }
  uint64_t rows() const override { return table_.rows(); }

 protected:
  void on_block(std::span<const uint8_t> bytes) override;
  void on_items(std::span<const uint8_t> bytes) override;
  void on_items_end() override;
  Table make_table() override { return table_.finish(); }

 private:
  struct Part {
    size_t first_column = 0, columns = 1;
    Scalar scalar = Scalar::f4;
    size_t per_row = 1;
    bool raw_bytes = false;  // elements of bytes
  };

  void read_header();
  void add_part(const TensorEntry& tensor);
  void begin_part();

  std::optional<uint64_t> file_bytes_;
  TableBuilder table_;
  std::vector<uint8_t> header_;
  std::vector<Part> parts_;
  size_t part_ = 0, in_row_ = 0;
  uint64_t length_ = 0;  // of every tensor
  std::string first_name_;
};

void TensorsReader::on_block(std::span<const uint8_t> bytes) {
  header_.insert(header_.end(), bytes.begin(), bytes.end());
  if (header_.size() > 8) return read_header();
  const uint64_t length = unsigned_at(bytes.data(), 8);
  if (length < 2 || length > kMaxHeaderBytes) {
    fail("bad_header", "the header is said to have " + std::to_string(length) + " bytes; at most " +
                           std::to_string(kMaxHeaderBytes) + " are read");
  }
  want_block(static_cast<size_t>(length));
}

/// The file's size follows from the header; whether it is so is seen at the end, or at once where it is known.
void TensorsReader::read_header() {
  SafetensorsHeader header;
  uint64_t total = header_.size();
  try {
    SafetensorsHeader offsets;
    parse_safetensors_json({reinterpret_cast<const char*>(header_.data()) + 8, header_.size() - 8}, offsets);
    uint64_t end = 0;
    for (const TensorEntry& tensor : offsets.tensors) end = std::max(end, tensor.end);
    if (end > uint64_t{1} << 62) fail("bad_header", "a tensor ends beyond any file");
    total += end;
    header = read_safetensors_header(header_, total, {.hashes = false, .finite = false});
  } catch (const Error& error) {
    if (error.code() == "safetensors.bad_header") throw;
    throw Error("safetensors.bad_header", "the tensors cannot be read: " + error.message());
  }
  header_ = {};
  if (file_bytes_ && *file_bytes_ != total) {
    fail(*file_bytes_ < total ? "truncated" : "trailing_bytes",
         "the header promises a file of " + std::to_string(total) + " bytes, and it has " +
             std::to_string(*file_bytes_) + "; copy or download it again");
  }
  if (const auto own = header.metadata.find("format");
      own != header.metadata.end() && own->second.compare(0, 10, "shadegrad/") == 0) {
    fail("unsupported", "this is a checkpoint of a run, not a data set; open it among the runs");
  }
  for (const TensorEntry& tensor : header.tensors) add_part(tensor);
  if (parts_.empty() || length_ == 0) throw Error("safetensors.no_rows", "the file holds no values");
  table_.check_types();
  begin_part();
}

void TensorsReader::add_part(const TensorEntry& tensor) {
  const std::string name = "'" + shorten(tensor.name, 80) + "'";
  if (tensor.shape.empty()) fail("unsupported", name + " is a single value; a table needs a first axis of rows");
  if (parts_.empty()) length_ = tensor.shape[0], first_name_ = name;
  if (tensor.shape[0] != length_) {
    fail("unsupported", name + " has " + std::to_string(tensor.shape[0]) + " rows and " + first_name_ + " has " +
                            std::to_string(length_) + "; tensors stand side by side only with equally many");
  }
  Part part;
  part.first_column = table_.width();
  part.scalar = scalar_of(tensor.dtype);
  uint64_t per_row = 1;
  for (size_t i = 1; i < tensor.shape.size(); ++i) {
    if (tensor.shape[i] == 0) throw Error("safetensors.no_rows", name + " holds no values");
    if ((per_row *= tensor.shape[i]) > TypedColumn::max_elements) {
      fail("unsupported", name + " has rows of over " + std::to_string(TypedColumn::max_elements) + " elements");
    }
  }
  part.per_row = static_cast<size_t>(per_row);
  ColumnKind kind;
  if (tensor.shape.size() > 2) {
    kind.type = ColumnType::elements;
    kind.shape.assign(tensor.shape.begin() + 1, tensor.shape.end());
    kind.byte_elements = part.scalar == Scalar::u1 || part.scalar == Scalar::b1;
    part.raw_bytes = part.scalar == Scalar::u1;
  } else {
    part.columns = part.per_row;
  }
  if (part.columns > kMaxTensorColumns || table_.width() + part.columns > kMaxTensorColumns) {
    fail("unsupported", "the tensors up to " + name + " have more than 10,000 columns");
  }
  for (size_t c = 0; c < part.columns; ++c) {
    table_.add_typed(part.columns == 1 ? tensor.name : tensor.name + "." + std::to_string(c), kind);
  }
  parts_.push_back(part);
}

void TensorsReader::begin_part() {
  const Part& part = parts_[part_];
  in_row_ = 0;
  table_.begin_part(part.first_column, part.columns);
  want_items(scalar_bytes(part.scalar), length_ * part.per_row);
}

void TensorsReader::on_items(std::span<const uint8_t> bytes) {
  const Part& part = parts_[part_];
  if (part.raw_bytes) return table_.add_bytes(part.first_column, bytes);
  const size_t size = scalar_bytes(part.scalar);
  for (size_t at = 0; at < bytes.size(); at += size) {
    table_.add(part.first_column + (part.columns == 1 ? 0 : in_row_), scalar_at(bytes.data() + at, part.scalar));
    if (++in_row_ == part.per_row) in_row_ = 0, table_.end_row();
  }
}

void TensorsReader::on_items_end() {
  table_.end_part();
  if (++part_ == parts_.size()) return want_nothing();
  begin_part();
}

Claim claim_safetensors(std::span<const uint8_t> head, std::string_view name) {
  const bool fits = head.size() > 9 && head[8] == '{' && (head[9] == '"' || head[9] == '}') &&
                    unsigned_at(head.data(), 8) <= kMaxHeaderBytes;
  if (fits) return Claim::by_content;
  return has_ending(safetensors_format, name) ? Claim::by_name : Claim::none;
}

std::unique_ptr<TableReader> open_safetensors(const nlohmann::json& options, std::string_view name,
                                              const ReadTarget& target) {
  return std::make_unique<TensorsReader>(options_like_csv(options, safetensors_format.name, name, target));
}

}  // namespace

const Format safetensors_format{"safetensors", "Tensors (safetensors)", " safetensors ", claim_safetensors,
                                open_safetensors};

}  // namespace sg

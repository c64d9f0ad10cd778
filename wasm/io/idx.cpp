// IDX, the format of MNIST and its kin: two zeros, a type, the number of dimensions, the dimensions and the values, all
// big-endian. A list of bytes is labels; what has more dimensions is one array a row.

#include "io/binary_reader.h"
#include "io/formats.h"
#include "io/scalars.h"
#include "io/table_builder.h"

namespace sg {

extern const Format idx_format;

namespace {

constexpr size_t kMaxDimensions = 8;

std::optional<Scalar> scalar_of(uint8_t type) {
  switch (type) {
    case 0x08:
      return Scalar::u1;
    case 0x09:
      return Scalar::i1;
    case 0x0B:
      return Scalar::i2;
    case 0x0C:
      return Scalar::i4;
    case 0x0D:
      return Scalar::f4;
    case 0x0E:
      return Scalar::f8;
    default:
      return std::nullopt;
  }
}

class IdxReader : public BinaryReader {
 public:
  explicit IdxReader(CsvOptions options)
      : BinaryReader(idx_format.name), file_bytes_(options.target.file_bytes), table_(format(), std::move(options)) {
    want_block(4);
  }
  uint64_t rows() const override { return table_.rows(); }

 protected:
  void on_block(std::span<const uint8_t> bytes) override {
    if (!started_) return begin(bytes);
    lay_out(bytes);
  }
  void on_items(std::span<const uint8_t> bytes) override;
  void on_items_end() override { want_nothing(); }
  Table make_table() override { return table_.finish(); }

 private:
  void begin(std::span<const uint8_t> bytes);
  void lay_out(std::span<const uint8_t> bytes);

  std::optional<uint64_t> file_bytes_;
  TableBuilder table_;
  bool started_ = false;
  Scalar scalar_ = Scalar::u1;
  bool byte_elements_ = false;
  uint64_t per_row_ = 1, in_row_ = 0;
};

void IdxReader::begin(std::span<const uint8_t> bytes) {
  started_ = true;
  const auto scalar = scalar_of(bytes[2]);
  if (bytes[0] != 0 || bytes[1] != 0 || !scalar) {
    fail("bad_header", "the file does not begin as IDX does (two zeros, then 8, 9, 11, 12, 13 or 14 for the type)");
  }
  if (bytes[3] < 1 || bytes[3] > kMaxDimensions) {
    fail("bad_header", std::to_string(bytes[3]) + " dimensions; 1 to " + std::to_string(kMaxDimensions) + " are read");
  }
  scalar_ = *scalar;
  want_block(4 * size_t{bytes[3]});
}

void IdxReader::lay_out(std::span<const uint8_t> bytes) {
  std::vector<size_t> shape;  // of a row
  nlohmann::json dimensions = nlohmann::json::array();
  uint64_t count = 1;
  for (size_t i = 0; i < bytes.size(); i += 4) {
    const uint64_t n = unsigned_at(bytes.data() + i, 4, true);
    if (n != 0 && count > (uint64_t{1} << 60) / n) fail("bad_header", "the dimensions are larger than any file");
    count *= n;
    dimensions.push_back(n);
    if (i == 0) continue;
    shape.push_back(static_cast<size_t>(n));
    if ((per_row_ *= n) > TypedColumn::max_elements) {
      fail("unsupported", "a row of over " + std::to_string(TypedColumn::max_elements) + " elements");
    }
  }
  const uint64_t wanted = count * scalar_bytes(scalar_);
  if (file_bytes_ && *file_bytes_ - position() != wanted) {
    fail(*file_bytes_ - position() < wanted ? "truncated" : "trailing_bytes",
         "the header promises " + std::to_string(wanted) + " bytes of values, and the file has " +
             std::to_string(*file_bytes_ - position()) + "; copy or download it again");
  }
  if (count == 0) throw Error("idx.no_rows", "the array is empty: one of its dimensions is 0");
  ColumnKind kind;
  std::string name = "value";
  if (!shape.empty()) {
    kind.type = ColumnType::elements;
    kind.shape = shape;
    byte_elements_ = kind.byte_elements = scalar_ == Scalar::u1;
  } else if (scalar_ == Scalar::u1) {
    kind.type = ColumnType::category;
    kind.labels = true;
    name = "label";
  }
  table_.add_typed(name, kind);
  table_.check_types();
  table_.facts()["shape"] = std::move(dimensions);
  want_items(scalar_bytes(scalar_), count);
}

void IdxReader::on_items(std::span<const uint8_t> bytes) {
  if (byte_elements_) return table_.add_bytes(0, bytes);
  const size_t size = scalar_bytes(scalar_);
  for (size_t at = 0; at < bytes.size(); at += size) {
    table_.add(0, scalar_at(bytes.data() + at, scalar_, true));
    if (++in_row_ == per_row_) in_row_ = 0, table_.end_row();
  }
}

Claim claim_idx(std::span<const uint8_t> head, std::string_view name) {
  const bool fits = head.size() >= 8 && head[0] == 0 && head[1] == 0 && scalar_of(head[2]) && head[3] >= 1 &&
                    head[3] <= kMaxDimensions && head.size() >= 4 + 4 * size_t{head[3]};
  if (fits) return Claim::by_content;
  const bool mnist = name.size() > 6 && name.substr(name.size() - 6) == "-ubyte";
  return mnist || has_ending(idx_format, name) ? Claim::by_name : Claim::none;
}

std::unique_ptr<TableReader> open_idx(const nlohmann::json& options, std::string_view name, const ReadTarget& target) {
  return std::make_unique<IdxReader>(options_like_csv(options, idx_format.name, name, target));
}

}  // namespace

const Format idx_format{"idx", "IDX (MNIST)", " idx idx1-ubyte idx3-ubyte ", claim_idx, open_idx};

}  // namespace sg

// NumPy arrays (NPY 1.0 to 3.0): the last axis of a plain array of two dimensions, or the members of a structured type,
// become columns; an array of more dimensions is one column of elements. Row by row, or, in Fortran order, whole
// columns one after the other.

#include <algorithm>
#include <limits>
#include <optional>

#include "io/binary_reader.h"
#include "io/csv_types.h"
#include "io/formats.h"
#include "io/npy_header.h"
#include "io/side_by_side.h"
#include "io/table_builder.h"

namespace sg {

extern const Format npy_format;

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr uint64_t kMaxNpyColumns = 10'000;

void append_utf8(std::string& text, uint32_t code) {
  const auto put = [&](uint32_t byte) { text += static_cast<char>(byte); };
  if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) code = 0xFFFD;
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xC0 | code >> 6);
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
  }
  put(0x80 | (code & 0x3F));
}

/// A fixed text without the zeros at its end.
std::string text_of(const uint8_t* bytes, const NpyField& field) {
  std::string text;
  if (field.kind == NpyField::Kind::bytes) {
    text.assign(reinterpret_cast<const char*>(bytes), field.size);
  } else {
    for (size_t i = 0; i < field.size; i += 4) {
      append_utf8(text, static_cast<uint32_t>(unsigned_at(bytes + i, 4, field.big_endian)));
    }
  }
  text.resize(text.find_last_not_of('\0') + 1);
  return text;
}

class NpyReader : public BinaryReader {
 public:
  explicit NpyReader(CsvOptions options)
      : BinaryReader(npy_format.name),
        file_bytes_(options.target.file_bytes),
        table_(npy_format.name, std::move(options)) {
    want_block(10);
  }

  uint64_t rows() const override { return table_.rows(); }

 protected:
  void on_block(std::span<const uint8_t> bytes) override;
  void on_items(std::span<const uint8_t> bytes) override;
  void on_items_end() override;
  Table make_table() override { return table_.finish(); }

 private:
  enum class At : uint8_t { start, long_length, header };

  void want_header(size_t bytes);
  void begin(std::string_view text);
  uint64_t items() const;
  void lay_out();
  void add_columns(const NpyField& field, uint64_t count, const std::vector<size_t>& shape);
  void add_field(const NpyField& field, const uint8_t* bytes, size_t column);
  void add_record(const uint8_t* bytes);

  std::optional<uint64_t> file_bytes_;
  TableBuilder table_;
  At at_ = At::start;
  uint64_t length_low_ = 0;  // of a header with a length of four bytes
  NpyHeader header_;
  bool by_column_ = false;
  bool raw_bytes_ = false;  // one column of elements of bytes
  size_t per_row_ = 1;      // items of one row, of those read now
  size_t in_row_ = 0;
  size_t column_ = 0;  // by column: the one that is read
  uint64_t rows_ = 1;
};

void NpyReader::on_block(std::span<const uint8_t> bytes) {
  if (at_ == At::start) {
    if (std::string_view(reinterpret_cast<const char*>(bytes.data()), 6) != kMagic) {
      fail("bad_header", "the file does not begin as a NumPy array does (\\x93NUMPY)");
    }
    const int version = bytes[6];
    if (version < 1 || version > 3 || bytes[7] != 0) {
      fail("unsupported", "this is version " + std::to_string(version) + "." + std::to_string(bytes[7]) +
                              " of the NPY format; 1.0, 2.0 and 3.0 are read");
    }
    if (version == 1) return want_header(static_cast<size_t>(unsigned_at(bytes.data() + 8, 2)));
    // The two bytes after the version are the lower half of a longer length.
    length_low_ = unsigned_at(bytes.data() + 8, 2);
    at_ = At::long_length;
    return want_block(2);
  }
  if (at_ == At::long_length) {
    return want_header(static_cast<size_t>(length_low_ | unsigned_at(bytes.data(), 2) << 16));
  }
  begin({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void NpyReader::want_header(size_t bytes) {
  at_ = At::header;
  if (bytes < 2 || bytes > kMaxNpyHeader) {
    fail("bad_header", "the header is said to have " + std::to_string(bytes) + " bytes; at most " +
                           std::to_string(kMaxNpyHeader) + " are read");
  }
  want_block(bytes);
}

/// All elements, checked against overflow.
uint64_t NpyReader::items() const {
  constexpr uint64_t kMost = uint64_t{1} << 62;
  uint64_t count = 1;
  for (const uint64_t n : header_.shape) {
    if (n != 0 && count > kMost / header_.item_bytes / n) fail("bad_header", "the shape is larger than any file");
    count *= n;
  }
  return count;
}

void NpyReader::begin(std::string_view text) {
  header_ = parse_npy_header(text);
  const uint64_t count = items();
  if (file_bytes_ && *file_bytes_ - position() != count * header_.item_bytes) {
    fail(*file_bytes_ - position() < count * header_.item_bytes ? "truncated" : "trailing_bytes",
         "the header promises " + std::to_string(count * header_.item_bytes) + " bytes of values, and the file has " +
             std::to_string(*file_bytes_ - position()) + "; copy or download it again");
  }
  if (count == 0) throw Error("npy.no_rows", "the array is empty: one of its dimensions is 0");
  lay_out();
  table_.check_types();
  table_.facts()["shape"] = header_.shape;
  if (by_column_) table_.begin_part(0, 1);
  want_items(header_.item_bytes, count);
}

/// Which columns the array has, and how many items make a row.
void NpyReader::lay_out() {
  const auto& shape = header_.shape;
  rows_ = shape.empty() ? 1 : shape[0];
  if (header_.structured) {
    if (shape.size() > 1) fail("unsupported", "structured elements are read from arrays of one dimension");
    for (const NpyField& field : header_.fields) {
      if (field.kind != NpyField::Kind::padding) add_columns(field, 1, field.shape);
    }
    if (table_.width() == 0 || table_.width() > kMaxNpyColumns) fail("unsupported", "1 to 10,000 members are read");
    return;
  }
  const NpyField& field = header_.fields[0];
  if (shape.size() <= 2) {
    const uint64_t width = shape.size() < 2 ? 1 : shape[1];
    if (width > kMaxNpyColumns) {
      fail("unsupported", std::to_string(width) + " columns; at most 10,000 are read. If these are arrays of one row " +
                              "each, save them with three dimensions: array[:, :, None]");
    }
    by_column_ = header_.fortran_order && width > 1 && rows_ > 1;
    per_row_ = by_column_ ? 1 : static_cast<size_t>(width);
    return add_columns(field, width, {});
  }
  if (header_.fortran_order) {
    fail("unsupported", "more than two dimensions in Fortran order; save numpy.ascontiguousarray(array)");
  }
  if (field.kind != NpyField::Kind::number) fail("unsupported", "texts and times are read in one or two dimensions");
  uint64_t elements = 1;
  for (size_t i = 1; i < shape.size(); ++i) {
    if ((elements *= shape[i]) > TypedColumn::max_elements) {
      fail("unsupported", "a row of over " + std::to_string(TypedColumn::max_elements) + " elements");
    }
  }
  per_row_ = static_cast<size_t>(elements);
  add_columns(field, 1, {shape.begin() + 1, shape.end()});
}

void NpyReader::add_columns(const NpyField& field, uint64_t count, const std::vector<size_t>& shape) {
  ColumnKind kind;
  if (field.kind == NpyField::Kind::time) kind.type = ColumnType::datetime;
  if (field.kind == NpyField::Kind::bytes || field.kind == NpyField::Kind::unicode) kind.type = ColumnType::category;
  if (!shape.empty()) {
    kind.type = ColumnType::elements;
    kind.shape = shape;
    kind.byte_elements = field.scalar == Scalar::u1 || field.scalar == Scalar::b1;
    raw_bytes_ = !header_.structured && field.scalar == Scalar::u1;
  }
  for (uint64_t c = 0; c < count; ++c) {
    std::string name = field.name;
    if (name.empty()) name = count == 1 ? "value" : "column_" + std::to_string(c + 1);
    table_.add_typed(name, kind);
  }
}

void NpyReader::add_field(const NpyField& field, const uint8_t* bytes, size_t column) {
  switch (field.kind) {
    case NpyField::Kind::number:
      return table_.add(column, scalar_at(bytes, field.scalar, field.big_endian));
    case NpyField::Kind::time:
      return table_.add(column, npy_time(static_cast<int64_t>(unsigned_at(bytes, 8, field.big_endian)), field));
    case NpyField::Kind::bytes:
    case NpyField::Kind::unicode: {
      std::string text = text_of(bytes, field);
      if (find_invalid_utf8(text) != std::string_view::npos) {
        text = replace_invalid_utf8(text);
        table_.repairs().add(table_.part_rows() + 1, column + 1, "invalid_utf8",
                             "bytes that are not UTF-8 became \xEF\xBF\xBD: " + shorten(text, 80));
      }
      return table_.add(column, std::string_view(text));
    }
    case NpyField::Kind::padding:
      return;
  }
}

void NpyReader::add_record(const uint8_t* bytes) {
  size_t column = 0;
  for (const NpyField& field : header_.fields) {
    for (size_t i = field.elements(); i > 0; --i, bytes += field.size) add_field(field, bytes, column);
    column += field.kind != NpyField::Kind::padding;
  }
  table_.end_row();
}

void NpyReader::on_items(std::span<const uint8_t> bytes) {
  if (raw_bytes_) return table_.add_bytes(0, bytes);
  const NpyField& field = header_.fields[0];
  for (; !bytes.empty(); bytes = bytes.subspan(header_.item_bytes)) {
    if (header_.structured) {
      add_record(bytes.data());
      continue;
    }
    if (by_column_) {
      add_field(field, bytes.data(), column_);
      table_.end_row();
      if (table_.part_rows() < rows_) continue;
      table_.end_part();
      if (++column_ < table_.width()) table_.begin_part(column_, 1);
      continue;
    }
    add_field(field, bytes.data(), table_.width() == 1 ? 0 : in_row_);
    if (++in_row_ == per_row_) in_row_ = 0, table_.end_row();
  }
}

void NpyReader::on_items_end() { want_nothing(); }

Claim claim_npy(std::span<const uint8_t> head, std::string_view name) {
  const std::string_view start(reinterpret_cast<const char*>(head.data()),
                               std::min<size_t>(head.size(), kMagic.size()));
  if (start == kMagic) return Claim::by_content;
  return has_ending(npy_format, name) ? Claim::by_name : Claim::none;
}

/// `arrays` chooses among those of an archive (io/side_by_side.h): one that is read here must be among them.
std::unique_ptr<TableReader> open_npy(const nlohmann::json& options, std::string_view name, const ReadTarget& target) {
  nlohmann::json own = options;
  if (const auto chosen = chosen_arrays(options)) {
    if (std::find(chosen->begin(), chosen->end(), array_name(name)) == chosen->end())
      throw Error("npy.bad_option",
                  "option 'arrays' names other arrays than '" + shorten(array_name(name), 100) + "', which is read");
    own.erase("arrays");
  }
  return std::make_unique<NpyReader>(options_like_csv(own, npy_format.name, name, target));
}

}  // namespace

const Format npy_format{"npy", "NumPy array", " npy ", claim_npy, open_npy};

}  // namespace sg

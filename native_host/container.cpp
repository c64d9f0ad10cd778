// zlib and libzip do the unpacking: both are old, small in what is used of them here, and kept by their distributions.
#include "native_host/container.h"

#include <unistd.h>
#include <zip.h>
#include <zlib.h>

#include <algorithm>
#include <cctype>
#include <new>
#include <utility>
#include <vector>

#include "io/csv_types.h"

namespace sg::host {
namespace {

constexpr std::size_t kPiece = 256 * 1024;
constexpr std::int64_t kMostMembers = 1000;

std::string last_of(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

bool ends_with(const std::string& text, std::string_view end) {
  if (text.size() < end.size()) return false;
  return std::equal(end.rbegin(), end.rend(), text.rbegin(),
                    [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
}

/// What is refused here and how it is read instead: by first bytes, or by the name's ending where they say nothing.
struct Foreign {
  std::string_view first, ending, what;
  std::string_view instead = "Open it in the extension itself: the browser reads it.";
};
constexpr Foreign kForeign[] = {
    {"PAR1", ".parquet", "a Parquet file"},
    {"ARROW1", ".arrow", "an Arrow file"},
    {"FEA1", ".feather", "a Feather file"},
    {"\x89PNG", ".png", "an image"},
    {"\xff\xd8\xff", ".jpg", "an image"},
    {"GIF89a", ".gif", "an image"},
    {"", ".jpeg", "an image"},
    {"", ".webp", "an image"},
    {"BZh91AY&SY", ".bz2", "packed by bzip2", "Unpack it first (bunzip2)."},
    {"\xfd"
     "7zXZ",
     ".xz", "packed by xz", "Unpack it first (unxz)."},
    {"\x28\xb5\x2f\xfd", ".zst", "packed by Zstandard", "Unpack it first (unzstd)."},
    {"7z\xbc\xaf", ".7z", "a 7z archive", "Unpack it first."},
    {"Rar!\x1a\x07", ".rar", "a RAR archive", "Unpack it first."},
    {"\xd0\xcf\x11\xe0", ".xls", "a spreadsheet", "Save it as CSV."},
    {"", ".tar", "a tar archive", "Unpack it first (tar xf), and import its files."},
    {"", ".tgz", "a tar archive", "Unpack it first (tar xf), and import its files."},
    {"", ".tar.gz", "a tar archive", "Unpack it first (tar xf), and import its files."},
    {"", ".xlsx", "a spreadsheet", "Save it as CSV."},
    {"", ".ods", "a spreadsheet", "Save it as CSV."},
};

void refuse_foreign(const std::string& path, std::string_view head) {
  for (const Foreign& f : kForeign) {
    const bool by_content = !f.first.empty() && head.substr(0, f.first.size()) == f.first;
    if (!by_content && !ends_with(path, f.ending)) continue;
    throw Failure(
        "import.unsupported",
        "'" + path + "' is " + std::string(f.what) + ", which the host does not read. " + std::string(f.instead),
        {{"path", path}});
  }
}

[[noreturn]] void damaged(const std::string& what) { throw Error("container.damaged", what); }

void check_ratio(const std::string& name, std::uint64_t packed, std::uint64_t unpacked) {
  if (unpacked <= kUnpackedAllowance || unpacked / kMostUnpacked <= packed) return;
  throw Error("container.bomb", "'" + shorten(name, 100) + "' unpacks to more than " + std::to_string(kMostUnpacked) +
                                    " times its size: it was made to fill the disk");
}

class PlainFile : public Container {
 public:
  explicit PlainFile(const OpenFile& file) : file_(file) {}

  std::optional<std::string> next() override {
    if (std::exchange(given_, true)) return std::nullopt;
    return last_of(file_.path);
  }
  std::optional<std::uint64_t> size() const override { return size_of(file_.status); }
  std::size_t read(char* to, std::size_t size) override {
    const std::size_t n = file_.read(to, size, at_);
    at_ += n;
    return n;
  }
  std::uint64_t position() const override { return at_; }

 private:
  const OpenFile& file_;
  std::uint64_t at_ = 0;
  bool given_ = false;
};

/// One gzip member after the other, as gunzip takes them.
class GzipFile : public Container {
 public:
  explicit GzipFile(const OpenFile& file) : file_(file), in_(kPiece) {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) throw std::bad_alloc();
  }
  ~GzipFile() override { inflateEnd(&stream_); }

  std::optional<std::string> next() override {
    if (std::exchange(given_, true)) return std::nullopt;
    const std::string name = last_of(file_.path);
    return ends_with(name, ".gz") && name.size() > 3 ? name.substr(0, name.size() - 3) : name;
  }

  std::optional<std::uint64_t> size() const override { return std::nullopt; }
  std::size_t read(char* to, std::size_t size) override {
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(size);
    while (stream_.avail_out > 0) {
      if (stream_.avail_in == 0 && !fill()) {
        if (!between_) damaged("the gzip ends in the middle");
        break;
      }
      if (between_ && begun_ && !starts_member()) {
        if (only_zeros()) break;  // padding of a tape or a block device
        damaged("something that is no gzip follows at byte " + std::to_string(position()));
      }
      if (between_ && begun_) inflateReset(&stream_);
      between_ = false;
      begun_ = true;
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_STREAM_END) {
        between_ = true;
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        damaged(std::string("the gzip is damaged before byte ") + std::to_string(position()) +
                (stream_.msg != nullptr ? std::string(": ") + stream_.msg : ""));
      }
    }
    const std::size_t n = size - stream_.avail_out;
    unpacked_ += n;
    check_ratio(file_.path, position(), unpacked_);
    return n;
  }

  std::uint64_t position() const override { return at_ - stream_.avail_in; }

 private:
  bool fill() {
    const std::size_t n = file_.read(in_.data(), in_.size(), at_);
    at_ += n;
    stream_.next_in = reinterpret_cast<Bytef*>(in_.data());
    stream_.avail_in = static_cast<uInt>(n);
    return n > 0;
  }
  bool starts_member() const { return stream_.next_in[0] == 0x1f; }
  bool only_zeros() {
    do {
      for (; stream_.avail_in > 0; --stream_.avail_in, ++stream_.next_in)
        if (*stream_.next_in != 0) return false;
    } while (fill());
    return true;
  }

  const OpenFile& file_;
  std::vector<char> in_;
  z_stream stream_{};
  std::uint64_t at_ = 0, unpacked_ = 0;
  bool given_ = false, begun_ = false, between_ = true;
};

/// The size of a zip's list of files, which libzip holds in memory: every place that might tell it is looked at, since
/// a crafted file may have several.
void check_list(const OpenFile& file) {
  constexpr std::uint64_t most = std::uint64_t{4} << 20, tail = 65'535 + 22 + 20;
  const auto number = [](const std::string& bytes, std::size_t at, std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
  };
  const auto check = [&](std::uint64_t bytes) {
    if (bytes > most) throw Error("container.too_many", "the zip lists more files than a data set has");
  };
  const std::uint64_t size = size_of(file.status);
  std::string end(std::min(size, tail), '\0');
  if (file.read(end.data(), end.size(), size - end.size()) != end.size()) damaged("the zip has no end");
  for (std::size_t at = end.find("PK\5\6"); at != std::string::npos; at = end.find("PK\5\6", at + 1))
    if (at + 16 <= end.size() && number(end, at + 12, 4) != 0xffffffff) check(number(end, at + 12, 4));
  for (std::size_t at = end.find("PK\6\7"); at != std::string::npos; at = end.find("PK\6\7", at + 1)) {
    std::string record(56, '\0');
    const std::uint64_t there = at + 16 <= end.size() ? number(end, at + 8, 8) : size;
    if (there < size && file.read(record.data(), record.size(), there) == record.size()) check(number(record, 40, 8));
  }
}

class ZipFile : public Container {
 public:
  explicit ZipFile(const OpenFile& file) {
    check_list(file);
    int error = 0;
    const int own = dup(file.file.get());  // libzip closes it; it reads by a position of its own
    if (own < 0) throw std::bad_alloc();
    archive_ = zip_fdopen(own, ZIP_CHECKCONS, &error);
    if (archive_ == nullptr) {
      close(own);
      zip_error_t text;
      zip_error_init_with_code(&text, error);
      const std::string why = zip_error_strerror(&text);
      zip_error_fini(&text);
      damaged("the zip can't be opened: " + why);
    }
    count_ = zip_get_num_entries(archive_, 0);
    if (count_ <= kMostMembers) return;
    zip_discard(archive_);
    throw Error("container.too_many", "the zip holds " + std::to_string(count_) +
                                          " files, and a data set has at most " + std::to_string(kMostMembers));
  }
  ~ZipFile() override {
    if (entry_ != nullptr) zip_fclose(entry_);
    zip_discard(archive_);
  }

  std::optional<std::string> next() override {
    if (entry_ != nullptr) zip_fclose(std::exchange(entry_, nullptr));
    before_ += packed_;
    packed_ = 0;
    for (; index_ < count_; ++index_) {
      zip_stat_t about;
      if (zip_stat_index(archive_, static_cast<zip_uint64_t>(index_), 0, &about) != 0) fail("a file of the zip");
      name_ = about.name != nullptr ? replace_invalid_utf8(about.name) : "";
      const std::string own = last_of(name_);
      // Folders, and what systems put beside the files.
      if (own.empty() || own[0] == '.' || name_.rfind("__MACOSX/", 0) == 0) continue;
      if (name_ == "[Content_Types].xml")
        throw Error("container.spreadsheet", "it is an Office file: save the sheet as CSV");
      if ((about.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && about.encryption_method != ZIP_EM_NONE)
        throw Error("container.encrypted", "'" + shorten(name_, 100) + "' is encrypted: unpack the zip first");
      packed_ = about.comp_size;
      size_ = about.size;
      unpacked_ = 0;
      entry_ = zip_fopen_index(archive_, static_cast<zip_uint64_t>(index_), 0);
      if (entry_ == nullptr) fail("'" + shorten(name_, 100) + "'");
      ++index_;
      return name_;
    }
    return std::nullopt;
  }

  std::optional<std::uint64_t> size() const override { return size_; }
  std::size_t read(char* to, std::size_t size) override {
    const zip_int64_t n = zip_fread(entry_, to, size);
    if (n < 0) damaged("'" + shorten(name_, 100) + "' in the zip is damaged: " + zip_file_strerror(entry_));
    unpacked_ += static_cast<std::uint64_t>(n);
    check_ratio(name_, packed_, unpacked_);
    return static_cast<std::size_t>(n);
  }

  /// libzip does not tell how far it has read: by what came so far.
  std::uint64_t position() const override {
    const double share = size_ == 0 ? 1 : static_cast<double>(unpacked_) / static_cast<double>(size_);
    return before_ + static_cast<std::uint64_t>(static_cast<double>(packed_) * std::min(1.0, share));
  }

 private:
  [[noreturn]] void fail(const std::string& what) { damaged(what + " can't be read: " + zip_strerror(archive_)); }

  zip_t* archive_ = nullptr;
  zip_file_t* entry_ = nullptr;
  std::int64_t count_ = 0, index_ = 0;
  std::string name_;
  std::uint64_t before_ = 0, packed_ = 0, unpacked_ = 0, size_ = 0;
};

}  // namespace

std::unique_ptr<Container> Container::open(const OpenFile& file) {
  std::string head(16, '\0');
  head.resize(file.read(head.data(), head.size(), 0));
  refuse_foreign(file.path, head);
  if (head.rfind("PK\3\4", 0) == 0 || head.rfind("PK\5\6", 0) == 0) return std::make_unique<ZipFile>(file);
  if (head.rfind("\x1f\x8b", 0) == 0) return std::make_unique<GzipFile>(file);
  return std::make_unique<PlainFile>(file);
}

}  // namespace sg::host

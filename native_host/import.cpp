#include "native_host/import.h"

#include <algorithm>

#include "io/side_by_side.h"

namespace sg::host {
namespace {

constexpr std::size_t kImportSlice = 1 << 20;

/// Size, time of change and the hashes of both ends, without reading what lies between.
Source source_of(const OpenFile& file, const std::string& path) {
  Source source;
  source.name = file.path.substr(file.path.find_last_of('/') + 1);
  source.path = path;
  source.size = size_of(file.status);
  source.mtime = mtime_of(file.status);
  std::string bytes(std::min<std::uint64_t>(source.size, Fingerprint::kBytes), '\0');
  const auto hash = [&](std::uint64_t at) {
    const std::size_t have = file.read(bytes.data(), bytes.size(), at);
    file.check_unchanged(have == bytes.size());
    return sha256({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  };
  source.head = hash(0);
  source.tail = hash(source.size - bytes.size());
  return source;
}

/// Of an archive of arrays, what was not chosen, or does not stand beside the others: told by the arrays' headers
/// alone.
std::vector<std::optional<std::string>> unlike_arrays(const OpenFile& file, const Json& options) {
  const auto container = Container::open(file);
  std::vector<NamedRows> arrays;
  std::string head(kNpyHeadBytes, '\0');
  while (const auto name = container->next()) {
    if (name->size() < 4 || name->compare(name->size() - 4, 4, ".npy") != 0) return {};
    const std::size_t have = read_full(
        head.data(), head.size(), [&](char* to, std::size_t most, std::size_t) { return container->read(to, most); });
    arrays.push_back({*name, npy_rows({reinterpret_cast<const std::uint8_t*>(head.data()), have})});
  }
  return left_out(arrays, chosen_arrays(options));
}

}  // namespace

FileImport::FileImport(OpenFile file, std::string path, Json options, const Datasets& datasets)
    : file_(std::move(file)),
      path_(std::move(path)),
      options_(std::move(options)),
      datasets_(datasets),
      source_(source_of(file_, path_)) {}

std::optional<ImportedSet> FileImport::existing(bool& changed) const {
  changed = false;
  for (const ImportedSet& set : datasets_.list()) {
    // Two files may share size, time and ends, and a name decides how a file is read: only the same path is the same.
    if (!set.manifest || !set.reason.empty() || set.manifest->source.path != path_) continue;
    const Source& s = set.manifest->source;
    const bool same =
        s.size == source_.size && s.mtime == source_.mtime && s.head == source_.head && s.tail == source_.tail;
    if (same && set.manifest->options == options_) {
      changed = false;
      return set;
    }
    changed = changed || !same;
  }
  return std::nullopt;
}

std::uint64_t FileImport::position() const { return container_ ? container_->position() : 0; }

Failure FileImport::malformed(const Error& e) const {
  const bool own_name = source_.name.rfind(part_, 0) == 0;  // itself, or "data.csv" of "data.csv.gz"
  const std::string where = own_name ? "" : ", in '" + part_ + "'";
  return Failure("dataset.malformed", "'" + file_.path + "'" + where + ": " + e.what(),
                 {{"path", file_.path}, {"cause", e.code()}, {"line", e.line()}, {"column", e.column()}});
}

void FileImport::begin() {
  container_ = Container::open(file_);
  writer_ = std::make_unique<DatasetWriter>(datasets_);
  writer_->check_room(0, 0);
  left_out_ = unlike_arrays(file_, options_);
  Json told = Json::array();
  for (const auto& text : left_out_)
    if (text) told.push_back(*text);
  importer_ = std::make_unique<Importer>(options_,
                                         Json{{"name", source_.name},
                                              {"path", source_.path},
                                              {"size", source_.size},
                                              {"mtime", *source_.mtime},
                                              {"head", to_hex(source_.head)},
                                              {"tail", to_hex(source_.tail)},
                                              {"leftOut", std::move(told)}},
                                         *writer_);
  slice_.resize(kImportSlice);
}

bool FileImport::step() {
  try {
    return advance();
  } catch (const Failure&) {
    throw;  // says where by itself
  } catch (const Error& e) {
    file_.check_unchanged();  // that would be the reason
    throw malformed(e);
  }
}

std::optional<std::string> FileImport::next_part() {
  for (;;) {
    auto name = container_->next();
    if (!name || next_ >= left_out_.size() || !left_out_[next_++]) return name;
  }
}

bool FileImport::advance() {
  if (!importer_) begin();
  if (!in_part_) {
    auto name = next_part();
    if (!name && part_.empty()) throw Error("container.empty", "there is no file in it");
    if (!name) {
      manifest_ = importer_->finish();
      file_.check_unchanged();
      id_ = writer_->commit(manifest_);
      return true;
    }
    part_ = *std::move(name);
    importer_->begin_part(part_, container_->size());
    in_part_ = true;
  }
  const std::size_t n = container_->read(slice_.data(), slice_.size());
  file_.check_unchanged();
  if (n > 0) {
    importer_->feed({reinterpret_cast<const std::uint8_t*>(slice_.data()), n});
    if (writer_->bytes() > written_) writer_->check_room(container_->position(), size());
    written_ = writer_->bytes();
  } else {
    importer_->end_part();
    in_part_ = false;
  }
  return false;
}

}  // namespace sg::host

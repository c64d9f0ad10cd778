// One import on its way: a source is read, unpacked and fed to the core's importer a slice at a time, so that whoever
// drives it can answer others, tell how far it is, and stop in between. The host's messages and the program's
// `convert` are its two drivers.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "io/importer.h"
#include "native_host/container.h"
#include "native_host/datasets.h"
#include "native_host/grants.h"

namespace sg::host {

class FileImport {
 public:
  /// `path` is what the manifest tells of where the source was: as in messages, or absolute.
  FileImport(OpenFile file, std::string path, Json options, const Datasets& datasets);

  /// The newest whole data set that was made of this very source with these options, by path, size, time of change and
  /// hashes of head and tail; none if there is none. `changed` tells whether there are only older ones of the same
  /// path.
  std::optional<ImportedSet> existing(bool& changed) const;

  /// Reads, feeds and writes the next slice; true when the data set is done.
  bool step();

  std::uint64_t size() const { return size_of(file_.status); }
  std::uint64_t position() const;  // in the source, of size()
  std::uint64_t rows() const { return importer_ ? importer_->rows() : 0; }
  const OpenFile& file() const { return file_; }
  /// Once done.
  const std::string& id() const { return id_; }
  const Manifest& manifest() const { return manifest_; }

 private:
  OpenFile file_;
  std::string path_;
  Json options_;
  const Datasets& datasets_;
  Source source_;
  std::string slice_;
  std::unique_ptr<Container> container_;
  std::unique_ptr<DatasetWriter> writer_;
  std::unique_ptr<Importer> importer_;
  std::vector<std::optional<std::string>> left_out_;  // of the container's files, why each is no part
  std::size_t next_ = 0;
  std::string part_;
  bool in_part_ = false;
  std::uint64_t written_ = 0;
  std::string id_;
  Manifest manifest_;

  Failure malformed(const Error& e) const;
  std::optional<std::string> next_part();
  void begin();
  bool advance();
};

}  // namespace sg::host

// The data sets that were imported on this machine: a folder each, with shards and a manifest (wasm/io/FORMATS.md). An
// import grows in a hidden folder and takes its name only when everything is on the disk; what was left behind by a
// host that ended is removed when the next one starts.
#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "io/importer.h"
#include "native_host/error.h"
#include "native_host/grants.h"

namespace sg::host {

struct ImportedSet {
  std::string id;
  std::int64_t created = 0;  // milliseconds since 1970
  std::string reason;        // why it can't be used; empty for a good one
  std::shared_ptr<const Manifest> manifest;
  std::uint64_t bytes() const;  // of its shards
};

class Datasets {
 public:
  explicit Datasets(std::string folder) : folder_(std::move(folder)) {}
  const std::string& folder() const { return folder_; }

  /// All of them, newest first; a damaged one, or one that lacks a shard, is listed with its reason.
  std::vector<ImportedSet> list() const;
  ImportedSet find(const std::string& id) const;
  /// The text of its manifest.
  std::string manifest_text(const std::string& id) const;
  /// A shard opened for reading; import.damaged when it is gone, or not as large as the manifest says.
  OpenFile open_shard(const std::string& id, const ManifestShard& shard) const;
  void forget(const std::string& id);

  /// Removes the hidden folders of hosts that are gone.
  void remove_leftovers() const;

  /// The failure that an error number means here.
  Failure failure(const std::string& what, int error, std::uint64_t needed = 0) const;
  /// Bytes that this person can still write here.
  std::uint64_t free_bytes() const;

 private:
  std::string folder_;
  mutable std::mutex mutex_;
  mutable ImportedSet last_;  // what was read last: shards are asked for one after the other

  std::string path_of(const std::string& id) const { return folder_ + "/" + id; }
  Fd open_set(const std::string& id) const;
  Failure damaged(const std::string& path) const;
  void check_shards(const ImportedSet& set) const;
};

/// A data set that is being written: shards one by one, then its manifest.
class DatasetWriter : public ShardSink {
 public:
  explicit DatasetWriter(const Datasets& datasets);
  ~DatasetWriter() override;

  /// Writes and syncs a shard.
  void take(const std::string& file, std::vector<std::uint8_t> bytes) override;
  std::uint64_t bytes() const { return bytes_; }
  /// Throws import.disk_full unless there is room for what the rest of the source will take, when `read` of its `size`
  /// bytes took what has been written so far.
  void check_room(std::uint64_t read, std::uint64_t size) const;
  /// Makes it a data set; gives its id.
  std::string commit(const Manifest& manifest);

 private:
  const Datasets& datasets_;
  Fd parent_, folder_;  // the latter is locked as long as its host lives
  std::string partial_;
  std::uint64_t bytes_ = 0;
  bool committed_ = false;

  void write(const std::string& file, std::string_view bytes);
};

/// Bytes that the rest of an import will take, with something over: `written` came of `read` of `size` bytes.
std::uint64_t room_needed(std::uint64_t written, std::uint64_t read, std::uint64_t size);

}  // namespace sg::host

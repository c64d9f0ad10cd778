// The requests as types: what each message holds, and the exact check of its fields. A request is read once, here;
// whoever handles it sees only values that are in range.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "native_host/json.h"

namespace sg::host {

using Id = std::int64_t;

inline constexpr std::int64_t kLargestWhole = (std::int64_t{1} << 53) - 1;
inline constexpr std::int64_t kProtocolMin = 1, kProtocolMax = 1;
inline constexpr std::size_t kFrameBytes = 65'536;
inline constexpr std::int64_t kMostCredits = 64;
inline constexpr std::int64_t kMostOpenCredits = 1024;
inline constexpr std::int64_t kWindow = 4;
inline constexpr std::size_t kWriteBytes = 524'288;
inline constexpr std::size_t kRunNameBytes = 400, kRunNoteBytes = 8000;  // what a person calls a run and says of it

/// Reads the fields of one object; each failure is message.invalid and names the field.
class Fields {
 public:
  /// Of an object that outlives this; `where` comes before the fields' names in messages.
  explicit Fields(const Value& object, std::string where = "");
  std::int64_t whole(const char* name, std::int64_t least, std::int64_t most);
  std::int64_t whole(const char* name, std::int64_t least, std::int64_t most, std::int64_t otherwise);
  std::string text(const char* name, std::size_t most);
  std::optional<std::string> optional_text(const char* name, std::size_t most);
  bool flag(const char* name, bool otherwise);
  /// Which of two words it is: true for `yes`.
  bool either(const char* name, const char* yes, const char* no);
  /// A list of at most `most_items`, each from 0 to `most`.
  std::vector<std::int64_t> wholes(const char* name, std::size_t most_items, std::int64_t most);
  Fields inside(const char* name);  // of an object
  std::optional<Json> optional_object(const char* name);
  std::string bytes(const char* name, std::size_t most);  // base64
  /// Refuses what has not been read.
  void finish() const;

 private:
  const Value* object_;
  std::string where_;
  std::set<std::string> read_;
  const Value* find(const char* name);
  const Value& need(const char* name);
  [[noreturn]] void refuse(const std::string& name, const std::string& why) const;
};

struct Hello {
  std::int64_t min = 0, max = 0;
  std::string extension;
  explicit Hello(Fields& f);
};

struct DatasetList {
  std::optional<std::string> path, cursor;
  bool recursive = false;
  std::int64_t limit = 0;
  explicit DatasetList(Fields& f);
};

/// A file and how it is to be read: dataset.describe, dataset.import.
struct DatasetReading {
  std::string path;
  Json options;
  explicit DatasetReading(Fields& f);
};

struct DatasetRead {
  std::string path;
  std::int64_t offset = 0;
  std::int64_t length = 0;
  std::int64_t credits = 0;
  explicit DatasetRead(Fields& f);
};

struct DatasetImports {
  std::int64_t limit = 0;
  std::optional<std::string> cursor;
  explicit DatasetImports(Fields& f);
};

struct DatasetManifest {
  std::string dataset;
  std::int64_t offset = 0;
  explicit DatasetManifest(Fields& f);
};

struct DatasetForget {
  std::string dataset;
  explicit DatasetForget(Fields& f);
};

struct ShardRead {
  std::string dataset;
  std::int64_t shard = 0;
  std::vector<std::int64_t> columns;
  std::int64_t first = 0;
  std::optional<std::int64_t> rows;
  bool deflate = false;
  std::int64_t credits = 0;
  explicit ShardRead(Fields& f);
};

struct FlowCredit {
  std::int64_t frames = 0;
  explicit FlowCredit(Fields& f);
};

struct RequestCancel {
  Id target = 0;
  explicit RequestCancel(Fields& f);
};

struct CheckpointBegin {
  std::string name;
  std::int64_t size = 0;
  explicit CheckpointBegin(Fields& f);
};

struct CheckpointWrite {
  std::int64_t handle = 0, sequence = 0;
  std::string bytes;
  explicit CheckpointWrite(Fields& f);
};

/// checkpoint.commit, checkpoint.abort.
struct CheckpointEnd {
  std::int64_t handle = 0;
  explicit CheckpointEnd(Fields& f);
};

/// A page of what the store has: checkpoint.list, run.list.
struct StoreList {
  std::int64_t limit = 0;
  std::optional<std::string> cursor;
  explicit StoreList(Fields& f);
};

struct CheckpointRead {
  std::string name;
  std::int64_t credits = 0;
  explicit CheckpointRead(Fields& f);
};

struct CheckpointRemove {
  std::string name;
  explicit CheckpointRemove(Fields& f);
};

struct DialogOpen {
  bool file = false;  // a single file, not a folder
  explicit DialogOpen(Fields& f);
};

struct RunDescribe {
  std::string run, name, note;
  explicit RunDescribe(Fields& f);
};

struct RunRemove {
  std::string run;
  explicit RunRemove(Fields& f);
};

/// The version that both sides speak; throws protocol.unsupported, naming the side to update.
std::int64_t negotiate(const Hello& hello);

/// A data frame as JSON, without a detour through a tree: these are nearly all of what the host sends.
std::string data_frame(Id id, const char* kind, std::int64_t sequence, bool last, std::string_view bytes);

}  // namespace sg::host

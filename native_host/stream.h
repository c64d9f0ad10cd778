// A file on its way to the browser in data frames, never more of them than the receiver has given credit for. The
// stream does not know who sends its frames: the host takes them batch by batch from the thread pool.
#pragma once
#include <string>
#include <vector>

#include "native_host/grants.h"
#include "native_host/messages.h"

namespace sg::host {

class Stream {
 public:
  virtual ~Stream() = default;
  Id id() const { return id_; }
  /// The request's reply, less id and ok: what will come.
  virtual Json announcement() const = 0;
  /// Adds credit; throws flow.exceeded.
  void credit(std::int64_t frames);
  /// Spends up to `most` of the credit; gives how much.
  std::int64_t spend(std::int64_t most);
  virtual bool finished() const = 0;
  /// The next frames as JSON, at most `count`. For the pool; throws when the file is not as it was.
  virtual std::vector<std::string> read(std::int64_t count) = 0;
  virtual std::string end_frame() const = 0;

  bool busy = false;       // a batch is being read
  bool cancelled = false;  // ends as soon as it is not busy

 protected:
  Stream(Id id, std::int64_t credits) : id_(id), credits_(credits) {}

  Id id_;
  std::int64_t credits_, sequence_ = 0;
};

/// A file's own bytes.
class FileStream : public Stream {
 public:
  /// `kind` is what its frames' types begin with: "dataset" or "checkpoint".
  FileStream(Id id, const char* kind, OpenFile file, std::int64_t offset, std::int64_t length, std::int64_t credits);

  Json announcement() const override;
  bool finished() const override { return at_ == end_; }
  std::vector<std::string> read(std::int64_t count) override;
  std::string end_frame() const override;

 private:
  std::string kind_;
  OpenFile file_;
  std::uint64_t begin_, at_, end_;
  std::uint32_t crc_ = 0;
};

}  // namespace sg::host

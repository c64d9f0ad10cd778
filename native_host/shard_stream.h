// Columns of a shard on their way to the browser: only the rows that were asked for, the rows that a shard lacks as
// missing values, packed where the browser can unpack and it makes them smaller. PROTOCOL.md has the form.
#pragma once
#include <zlib.h>

#include <optional>
#include <string>
#include <vector>

#include "io/manifest.h"
#include "io/shard.h"
#include "native_host/stream.h"

namespace sg::host {

/// Plain bytes are shuffled, and given to the packer, in blocks of this size.
inline constexpr std::size_t kShuffleBytes = 65'536;

/// The first bytes of every value, then the second ones, and so on: like stands beside like, which packs better.
void shuffle(std::string_view from, std::size_t width, std::string& to);

class ShardStream : public Stream {
 public:
  /// `shard` is of `manifest`, its file is `file`. Throws message.invalid for columns that are not the shard's or not
  /// kept, and for rows that it does not have; import.damaged when the file is not what the manifest says.
  ShardStream(Id id, const ShardRead& request, const Manifest& manifest, OpenFile file);
  ~ShardStream() override;

  Json announcement() const override;
  bool finished() const override { return finished_; }
  std::vector<std::string> read(std::int64_t count) override;
  std::string end_frame() const override;

 private:
  /// The values of one column: a piece of the file, or `bytes` of missing values.
  struct Piece {
    std::size_t column = 0;
    Dtype dtype = Dtype::F32;
    std::uint64_t bytes = 0;
    std::optional<ByteRange> range;
    std::optional<Digest> sha256;  // of the whole column, where the whole is read
  };
  struct Packer;

  std::string dataset_;
  OpenFile file_;
  std::int64_t shard_, first_, rows_;
  std::vector<Piece> pieces_;
  std::uint64_t total_ = 0, done_ = 0;
  std::size_t piece_ = 0;
  std::uint64_t at_ = 0;  // bytes of that piece that are done
  std::string block_, shuffled_, ready_;
  Sha256 whole_, column_;
  std::optional<Digest> digest_;
  std::unique_ptr<Packer> packer_;
  bool finished_ = false;

  std::string_view block(std::size_t piece, std::uint64_t at);
  bool packing_helps();
  void check_column();
  void advance();
};

}  // namespace sg::host

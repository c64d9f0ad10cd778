#include "native_host/shard_stream.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

namespace sg::host {
namespace {

constexpr std::size_t kSamples = 4;  // columns that are tried
constexpr double kWorthwhile = 0.9;  // of the plain size: below, the browser's share of the work is paid for

/// What a missing value looks like, `bytes` of them.
void fill_missing(Dtype dtype, std::string& block) {
  if (dtype == Dtype::I32) {
    std::fill(block.begin(), block.end(), '\xff');
  } else if (dtype == Dtype::F64) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = 0; i + sizeof none <= block.size(); i += sizeof none)
      std::memcpy(&block[i], &none, sizeof none);
  } else if (dtype == Dtype::F32) {
    const float none = std::numeric_limits<float>::quiet_NaN();
    for (std::size_t i = 0; i + sizeof none <= block.size(); i += sizeof none)
      std::memcpy(&block[i], &none, sizeof none);
  } else {
    std::fill(block.begin(), block.end(), '\0');
  }
}

Failure invalid(const char* field, const std::string& why) {
  return Failure("message.invalid", "The field '" + std::string(field) + "' " + why + ".", {{"field", field}});
}

Failure damaged(const std::string& path, const std::string& what) {
  return Failure("import.damaged",
                 path + " is not as it was imported: " + what + ". Forget the data set and import it again.",
                 {{"path", path}});
}

ShardIndex index_of(const OpenFile& file) {
  const std::uint64_t size = size_of(file.status);
  const auto bytes = [&](std::uint64_t count) {
    std::vector<std::uint8_t> prefix(count);
    prefix.resize(file.read(reinterpret_cast<char*>(prefix.data()), prefix.size(), 0));
    return prefix;
  };
  return translated<Error>(
      [&] {
        const std::uint64_t header = safetensors_header_size(bytes(std::min<std::uint64_t>(8, size)), size);
        ShardIndex index(bytes(header), size);
        if (!index.hashed()) throw Error("shard.invalid", "its columns have no hashes to check them by");
        return index;
      },
      [&](const Error& e) { return damaged(file.path, e.what()); });
}

}  // namespace

void shuffle(std::string_view from, std::size_t width, std::string& to) {
  to.resize(from.size());
  const std::size_t count = from.size() / width;
  for (std::size_t plane = 0; plane < width; ++plane)
    for (std::size_t i = 0; i < count; ++i) to[plane * count + i] = from[i * width + plane];
}

struct ShardStream::Packer {
  z_stream stream{};
  Packer() {
    if (deflateInit(&stream, 1) != Z_OK) throw std::bad_alloc();
  }
  ~Packer() { deflateEnd(&stream); }
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  void add(std::string_view bytes, bool last, std::string& to) {
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    do {
      const std::size_t before = to.size(), room = 32 * 1024;
      to.resize(before + room);
      stream.next_out = reinterpret_cast<Bytef*>(to.data() + before);
      stream.avail_out = room;
      deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH);
      to.resize(before + room - stream.avail_out);
    } while (stream.avail_out == 0);
  }
};

ShardStream::ShardStream(Id id, const ShardRead& request, const Manifest& manifest, OpenFile file)
    : Stream(id, request.credits),
      dataset_(request.dataset),
      file_(std::move(file)),
      shard_(request.shard),
      first_(request.first) {
  const ManifestShard& shard = manifest.shards[static_cast<std::size_t>(shard_)];
  const ShardIndex index = index_of(file_);
  if (index.rows() != shard.rows || index.first_row() != shard.first) throw damaged(file_.path, "it has other rows");
  const auto all = static_cast<std::int64_t>(shard.rows);
  if (first_ > all) throw invalid("first", "is past the shard's " + std::to_string(all) + " rows");
  rows_ = request.rows.value_or(all - first_);
  if (rows_ > all - first_) throw invalid("rows", "goes past the shard's " + std::to_string(all) + " rows");
  for (const std::int64_t number : request.columns) {
    const auto column = static_cast<std::size_t>(number);
    const bool own = column >= shard.first_column && column - shard.first_column < shard.column_count;
    if (!own || !manifest.columns[column].dtype)
      throw invalid("columns",
                    "names column " + std::to_string(number) + ", which is not in this shard, or is not kept");
    const ManifestColumn& c = manifest.columns[column];
    const auto count = static_cast<std::uint64_t>(rows_);
    Piece piece{column, *c.dtype, count * c.row_bytes(), {}, {}};
    piece.range = index.values(column, c.day_first, static_cast<std::uint64_t>(first_), count);
    if (piece.range && (index.dtype(column) != c.dtype || piece.range->size() != piece.bytes))
      throw damaged(file_.path, "column " + std::to_string(number) + " has another type");
    if (piece.range && rows_ == all) {
      for (const TensorEntry& tensor : index.header().tensors)
        if (tensor.begin == piece.range->begin && tensor.end == piece.range->end) piece.sha256 = tensor.sha256;
    }
    total_ += piece.bytes;
    pieces_.push_back(std::move(piece));
  }
  while (piece_ < pieces_.size() && pieces_[piece_].bytes == 0) ++piece_;
  finished_ = total_ == 0;
  if (finished_) digest_ = whole_.finish();
  if (request.deflate && packing_helps()) packer_ = std::make_unique<Packer>();
}

ShardStream::~ShardStream() = default;

/// At most kShuffleBytes of a column's values from byte `at` on.
std::string_view ShardStream::block(std::size_t piece, std::uint64_t at) {
  const Piece& p = pieces_[piece];
  block_.resize(std::min<std::uint64_t>(kShuffleBytes, p.bytes - at));
  if (!p.range) {
    fill_missing(p.dtype, block_);
    return block_;
  }
  const std::size_t have = file_.read(block_.data(), block_.size(), p.range->begin + at);
  file_.check_unchanged(have == block_.size());
  return block_;
}

/// Tried on the first block of some columns: values that are all noise are sent as they are.
bool ShardStream::packing_helps() {
  std::uint64_t plain = 0, packed = 0;
  const std::size_t step = std::max<std::size_t>(1, pieces_.size() / kSamples);
  for (std::size_t i = 0; i < pieces_.size(); i += step) {
    if (pieces_[i].bytes == 0) continue;
    shuffle(block(i, 0), byte_size(pieces_[i].dtype), shuffled_);
    std::string out;
    Packer().add(shuffled_, true, out);
    plain += shuffled_.size();
    packed += out.size();
  }
  return plain > 0 && static_cast<double>(packed) < kWorthwhile * static_cast<double>(plain);
}

Json ShardStream::announcement() const {
  Json columns = Json::array();
  for (const Piece& piece : pieces_)
    columns.push_back({{"index", piece.column}, {"dtype", to_string(piece.dtype)}, {"bytes", piece.bytes}});
  return {{"dataset", dataset_},
          {"shard", shard_},
          {"first", first_},
          {"rows", rows_},
          {"bytes", total_},
          {"encoding", packer_ ? "deflate" : "identity"},
          {"columns", std::move(columns)}};
}

void ShardStream::check_column() {
  const Piece& piece = pieces_[piece_];
  const Digest digest = std::exchange(column_, Sha256{}).finish();
  if (piece.sha256 && digest != *piece.sha256)
    throw damaged(file_.path, "the values of column " + std::to_string(piece.column) + " have another SHA-256");
}

/// One more block becomes ready to be sent.
void ShardStream::advance() {
  const Piece& piece = pieces_[piece_];
  const std::string_view plain = block(piece_, at_);
  const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(plain.data()), plain.size());
  whole_.feed(bytes);
  if (piece.sha256) column_.feed(bytes);
  at_ += plain.size();
  done_ += plain.size();
  if (packer_) {
    shuffle(plain, byte_size(piece.dtype), shuffled_);
    packer_->add(shuffled_, done_ == total_, ready_);
  } else {
    ready_ += plain;
  }
  if (at_ < piece.bytes) return;
  if (piece.sha256) check_column();
  at_ = 0;
  do ++piece_;
  while (piece_ < pieces_.size() && pieces_[piece_].bytes == 0);
  if (done_ == total_) digest_ = whole_.finish();
}

std::vector<std::string> ShardStream::read(std::int64_t count) {
  std::vector<std::string> frames;
  std::size_t sent = 0;
  for (std::int64_t i = 0; i < count && !finished_; ++i) {
    // One byte more than a frame holds, so that the last one is known as such.
    while (done_ < total_ && ready_.size() - sent <= kFrameBytes) advance();
    const std::string_view bytes = std::string_view(ready_).substr(sent, kFrameBytes);
    sent += bytes.size();
    finished_ = done_ == total_ && sent == ready_.size();
    frames.push_back(data_frame(id_, "shard", sequence_++, finished_, bytes));
  }
  ready_.erase(0, sent);
  return frames;
}

std::string ShardStream::end_frame() const {
  return Json{{"id", id_},
              {"type", "shard.end"},
              {"frames", sequence_},
              {"bytes", total_},
              {"sha256", digest_ ? to_hex(*digest_) : ""}}
      .dump();
}

}  // namespace sg::host

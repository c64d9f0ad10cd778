#include "tests/native_host/imports.h"

#include <zip.h>
#include <zlib.h>

namespace sg::test {
namespace {

std::string inflated(const std::string& packed) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) throw std::runtime_error("inflateInit");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string out;
  int status = Z_OK;
  while (status == Z_OK) {
    std::string piece(1 << 16, '\0');
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    status = inflate(&stream, Z_NO_FLUSH);
    out.append(piece, 0, piece.size() - stream.avail_out);
  }
  const bool whole = status == Z_STREAM_END && stream.avail_in == 0;
  inflateEnd(&stream);
  if (!whole) throw std::runtime_error("the frames are no zlib stream");
  return out;
}

/// Back from the order in which PROTOCOL.md packs a column's blocks.
std::string unshuffled(const std::string& shuffled, const Json& columns) {
  std::string plain(shuffled.size(), '\0');
  std::size_t at = 0;
  for (const Json& column : columns) {
    const std::string dtype = column["dtype"];
    const std::size_t w = dtype == "F64" ? 8 : dtype == "U8" ? 1 : 4;
    const std::size_t end = at + column["bytes"].get<std::size_t>();
    while (at < end) {
      const std::size_t size = std::min<std::size_t>(65'536, end - at), n = size / w;
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < w; ++k) plain[at + i * w + k] = shuffled[at + k * n + i];
      at += size;
    }
  }
  REQUIRE(at == shuffled.size());
  return plain;
}

}  // namespace

ReadShard read_shard(Program& host, const Json& fields) {
  Json request{{"id", 33}, {"type", "shard.read"}, {"credits", 4}};
  request.update(fields);
  ReadShard got;
  got.reply = host.ask(request);
  if (got.reply["ok"] == false) return got;
  const Received stream = receive_stream(host, 33);
  got.end = stream.last;
  got.sent = stream.bytes.size();
  if (got.end.contains("ok")) return got;
  for (std::size_t i = 0; i < stream.frames.size(); ++i) {
    REQUIRE(stream.frames[i]["type"] == "shard.data");
    REQUIRE(stream.frames[i]["sequence"] == i);
    REQUIRE(stream.frames[i]["last"] == (i + 1 == stream.frames.size()));
  }
  REQUIRE(got.end["frames"] == stream.frames.size());
  got.plain =
      got.reply["encoding"] == "deflate" ? unshuffled(inflated(stream.bytes), got.reply["columns"]) : stream.bytes;
  REQUIRE(got.end["bytes"] == got.plain.size());
  REQUIRE(got.reply["bytes"] == got.plain.size());
  REQUIRE(got.end["sha256"] ==
          to_hex(sha256({reinterpret_cast<const std::uint8_t*>(got.plain.data()), got.plain.size()})));
  return got;
}

Manifest manifest_of(const ImportHome& s, const std::string& id) {
  std::string text;
  Json next = 0;
  while (!next.is_null()) {
    const Json piece = s.ask("dataset.manifest", {{"dataset", id}, {"offset", next}});
    INFO(piece.dump().substr(0, 300));
    REQUIRE(piece["ok"] == true);
    text += piece["text"].get<std::string>();
    next = piece["next"];
    REQUIRE((next.is_null() ? piece["size"] == text.size() : next == text.size()));
  }
  return parse_manifest(text);
}

std::string gzip(const std::string& bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::runtime_error("deflate");
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  const std::size_t size = stream.total_out;
  deflateEnd(&stream);
  return out.substr(0, size);
}

std::string zip(const std::string& path, const std::vector<std::pair<std::string, std::string>>& files) {
  int error = 0;
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &error);
  if (archive == nullptr) throw std::runtime_error("zip_open");
  for (const auto& [name, bytes] : files)
    zip_file_add(archive, name.c_str(), zip_source_buffer(archive, bytes.data(), bytes.size(), 0), ZIP_FL_ENC_UTF_8);
  if (zip_close(archive) != 0) throw std::runtime_error("zip_close");
  return read_file(path);
}

}  // namespace sg::test

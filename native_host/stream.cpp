#include "native_host/stream.h"

#include <algorithm>

#include "io/crc32c.h"

namespace sg::host {

FileStream::FileStream(Id id, const char* kind, OpenFile file, std::int64_t offset, std::int64_t length,
                       std::int64_t credits)
    : Stream(id, credits), kind_(kind), file_(std::move(file)) {
  const std::uint64_t size = size_of(file_.status);
  begin_ = at_ = std::min(size, static_cast<std::uint64_t>(offset));
  end_ = begin_ + std::min(size - begin_, static_cast<std::uint64_t>(length));
}

Json FileStream::announcement() const {
  return {{"path", file_.path},
          {"size", size_of(file_.status)},
          {"mtime", mtime_of(file_.status)},
          {"bytes", end_ - begin_},
          {"frames", (end_ - begin_ + kFrameBytes - 1) / kFrameBytes}};
}

void Stream::credit(std::int64_t frames) {
  if (credits_ + frames > kMostOpenCredits) {
    throw Failure("flow.exceeded",
                  "More than " + std::to_string(kMostOpenCredits) + " frames of credit stand open for this stream.");
  }
  credits_ += frames;
}

std::int64_t Stream::spend(std::int64_t most) {
  const std::int64_t spent = std::min(credits_, most);
  credits_ -= spent;
  return spent;
}

std::vector<std::string> FileStream::read(std::int64_t count) {
  std::vector<std::string> frames;
  std::string raw(kFrameBytes, '\0');
  for (std::int64_t i = 0; i < count && !finished(); ++i) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(kFrameBytes, end_ - at_));
    const std::size_t have = file_.read(raw.data(), size, at_);
    // After the read: bytes that came from a file that had just changed are never sent. A short read is such a change.
    file_.check_unchanged(have == size);
    const std::string_view bytes(raw.data(), have);
    crc_ = crc32c({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, crc_);
    at_ += size;
    frames.push_back(data_frame(id_, kind_.c_str(), sequence_++, finished(), bytes));
  }
  return frames;
}

std::string FileStream::end_frame() const {
  return Json{{"id", id_}, {"type", kind_ + ".end"}, {"frames", sequence_}, {"bytes", at_ - begin_}, {"crc32c", crc_}}
      .dump();
}

}  // namespace sg::host

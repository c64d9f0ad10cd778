// Sound as a table: a row is a moment, a column a channel, values from -1 to 1. RIFF and RF64 files of whole numbers
// (8, 16, 24 or 32 bits) and floats; other chunks than the format and the samples are left out, and no size of a chunk
// is believed.

#include "io/binary_reader.h"
#include "io/formats.h"
#include "io/scalars.h"
#include "io/table_builder.h"

namespace sg {

extern const Format wav_format;

namespace {

constexpr uint32_t kUnknownSize = 0xFFFFFFFF;  // written by programs that could not go back, and by RF64
constexpr size_t kMaxChannels = 1024;
constexpr size_t kMaxFormat = 4096;
constexpr uint64_t kEndless = uint64_t{1} << 62;

std::string_view wav_text(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class WavReader : public BinaryReader {
 public:
  explicit WavReader(CsvOptions options) : BinaryReader(wav_format.name), table_(format(), std::move(options)) {
    want_block(12);
  }
  uint64_t rows() const override { return table_.rows(); }

 protected:
  void on_block(std::span<const uint8_t> bytes) override;
  void on_items(std::span<const uint8_t> bytes) override;
  /// What follows the samples has no bearing on them.
  void on_items_end() override { at_ = At::after, want_skip(kEndless); }
  void on_skipped() override { want_chunk(); }
  void on_truncated() override;
  Table make_table() override { return table_.finish(); }

 private:
  enum class At : uint8_t { start, chunk, sizes, format, samples, after };

  void want_chunk() { at_ = At::chunk, want_block(8); }
  void begin_chunk(std::string_view id, uint32_t size);
  void read_format(std::span<const uint8_t> bytes);
  void begin_samples(uint32_t size);
  double sample_at(const uint8_t* bytes) const;

  TableBuilder table_;
  At at_ = At::start;
  bool rf64_ = false;
  uint64_t long_size_ = 0;  // of the samples, from ds64
  uint32_t body_ = 0;       // of the chunk that is read, without its padding
  size_t channels_ = 0, sample_bytes_ = 0;
  bool floats_ = false;
  bool endless_ = false;
};

void WavReader::on_block(std::span<const uint8_t> bytes) {
  switch (at_) {
    case At::start: {
      const std::string_view id = wav_text(bytes.subspan(0, 4));
      rf64_ = id == "RF64" || id == "BW64";
      if ((id != "RIFF" && !rf64_) || wav_text(bytes.subspan(8)) != "WAVE") {
        fail("bad_header", "the file does not begin as WAV does (RIFF ... WAVE)");
      }
      return want_chunk();
    }
    case At::chunk:
      return begin_chunk(wav_text(bytes.subspan(0, 4)), static_cast<uint32_t>(unsigned_at(bytes.data() + 4, 4)));
    case At::sizes:
      long_size_ = unsigned_at(bytes.data() + 8, 8);
      return want_chunk();
    case At::format:
      read_format(bytes.subspan(0, body_));
      return want_chunk();
    case At::samples:
    case At::after:
      break;
  }
}

void WavReader::begin_chunk(std::string_view id, uint32_t size) {
  const uint64_t padded = uint64_t{size} + size % 2;
  const bool ours = id == "fmt " || id == "ds64";
  if (ours && (size < 16 || size > kMaxFormat)) {
    fail("bad_header", "the chunk '" + std::string(id) + "' is said to have " + std::to_string(size) + " bytes");
  }
  if (id == "fmt " && channels_ != 0) fail("bad_header", "the format is given twice");
  body_ = size;
  if (id == "data") return begin_samples(size);
  if (!ours) return want_skip(padded);
  at_ = id == "fmt " ? At::format : At::sizes;
  want_block(static_cast<size_t>(padded));
}

void WavReader::read_format(std::span<const uint8_t> bytes) {
  const auto word = [&](size_t at) { return static_cast<uint32_t>(unsigned_at(bytes.data() + at, 2)); };
  uint32_t kind = word(0);
  const uint32_t channels = word(2), block = word(12), bits = word(14);
  if (kind == 0xFFFE) {
    if (bytes.size() < 40) fail("bad_header", "an extensible format without its kind");
    kind = word(24);
  }
  if (kind != 1 && kind != 3) {
    fail("unsupported", "the sound is compressed (format " + std::to_string(kind) +
                            "); convert it to PCM, for instance with: ffmpeg -i in.wav -c:a pcm_s16le out.wav");
  }
  floats_ = kind == 3;
  const bool known = floats_ ? bits == 32 || bits == 64 : bits == 8 || bits == 16 || bits == 24 || bits == 32;
  if (!known) fail("unsupported", "samples of " + std::to_string(bits) + " bits");
  if (channels < 1 || channels > kMaxChannels) {
    fail("unsupported", std::to_string(channels) + " channels; 1 to " + std::to_string(kMaxChannels) + " are read");
  }
  channels_ = channels;
  sample_bytes_ = bits / 8;
  if (block != channels_ * sample_bytes_) fail("bad_header", "channels, bits and the size of a block disagree");
  for (size_t c = 0; c < channels_; ++c) {
    std::string name = "channel_" + std::to_string(c + 1);
    if (channels_ == 1) name = "mono";
    if (channels_ == 2) name = c == 0 ? "left" : "right";
    table_.add_typed(name, {});
  }
  table_.check_types();
  table_.facts() = {{"sampleRate", unsigned_at(bytes.data() + 4, 4)}, {"channels", channels_}, {"bits", bits}};
}

void WavReader::begin_samples(uint32_t size) {
  if (channels_ == 0) fail("bad_header", "the samples come before their format");
  at_ = At::samples;
  endless_ = size == kUnknownSize && !rf64_;
  const uint64_t bytes = endless_ ? kEndless : size == kUnknownSize ? long_size_ : size;
  want_items(channels_ * sample_bytes_, bytes / (channels_ * sample_bytes_));
}

double WavReader::sample_at(const uint8_t* bytes) const {
  if (floats_) return scalar_at(bytes, sample_bytes_ == 4 ? Scalar::f4 : Scalar::f8);
  if (sample_bytes_ == 1) return (bytes[0] - 128) / 128.0;
  // The sample in the upper bytes of 32 bits: one scale for all widths.
  const auto high = static_cast<uint32_t>(unsigned_at(bytes, sample_bytes_)) << (32 - 8 * sample_bytes_);
  return static_cast<int32_t>(high) / 2147483648.0;
}

void WavReader::on_items(std::span<const uint8_t> bytes) {
  for (size_t at = 0; at < bytes.size();) {
    for (size_t c = 0; c < channels_; ++c, at += sample_bytes_) table_.add(c, sample_at(bytes.data() + at));
    table_.end_row();
  }
}

/// A recording that was cut off is still a recording, as far as it goes.
void WavReader::on_truncated() {
  if (at_ == At::after || (at_ == At::samples && endless_)) return;
  if (at_ != At::samples) return BinaryReader::on_truncated();
  table_.repairs().add(
      table_.rows(), 0, "truncated",
      "the file ends " + std::to_string(items_left()) + " rows before its header says; what is there was read");
}

Claim claim_wav(std::span<const uint8_t> head, std::string_view name) {
  if (head.size() >= 12 && wav_text(head.subspan(8, 4)) == "WAVE") {
    const std::string_view id = wav_text(head.subspan(0, 4));
    if (id == "RIFF" || id == "RF64" || id == "BW64") return Claim::by_content;
  }
  return has_ending(wav_format, name) ? Claim::by_name : Claim::none;
}

std::unique_ptr<TableReader> open_wav(const nlohmann::json& options, std::string_view name, const ReadTarget& target) {
  return std::make_unique<WavReader>(options_like_csv(options, wav_format.name, name, target));
}

}  // namespace

const Format wav_format{"wav", "Sound (WAV)", " wav wave bwf rf64 ", claim_wav, open_wav};

}  // namespace sg

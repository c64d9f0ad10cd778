// IDX and WAV: what is refused, what a cut recording gives, and how the files are known.

#include <cstring>

#include "tests/io/chunks.h"

using namespace sg;
using namespace std::string_literals;

namespace {

std::string little(uint64_t value, size_t bytes) {
  std::string text;
  for (size_t i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i & 0xFF);
  return text;
}

std::string chunk(const std::string& id, const std::string& body) {
  return id + little(body.size(), 4) + body + (body.size() % 2 ? "\0"s : ""s);
}

std::string format(uint64_t kind, uint64_t channels, uint64_t bits) {
  return little(kind, 2) + little(channels, 2) + little(8000, 4) + little(8000 * channels * bits / 8, 4) +
         little(channels * bits / 8, 2) + little(bits, 2);
}

std::string wav(const std::string& chunks) { return "RIFF" + little(4 + chunks.size(), 4) + "WAVE" + chunks; }

const std::string kSamples = little(0, 2) + little(16384, 2) + little(0xC000, 2) + little(0x8000, 2);

}  // namespace

TEST_CASE("Labels of bytes are classes, and images of bytes stay bytes", "[io][idx]") {
  const Table labels = check_reading("\0\0\x08\x01\0\0\0\x05\x07\x01\x07\x07\x01"s, "labels");
  CHECK(labels.columns[0].name == "label");
  CHECK(labels.columns[0].categories == std::vector<std::string>{"7", "1"});
  CHECK(labels.columns[0].codes == std::vector<uint32_t>{0, 1, 0, 0, 1});
  const Table images = check_reading(
      "\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x03"
      "abcdef"s,
      "images");
  CHECK(images.columns[0].shape == std::vector<size_t>{1, 3});
  CHECK(images.columns[0].bytes == std::vector<uint8_t>{'a', 'b', 'c', 'd', 'e', 'f'});
  CHECK(images.columns[0].stats.mean == 99.5);
  CHECK(images.columns[0].stats.count == 2);
  CHECK(images.preview[1][0] == "100 101 102");
}

TEST_CASE("IDX files whose header cannot be are refused", "[io][idx]") {
  CHECK(read_error("", "a.idx").code() == "idx.empty");
  CHECK(read_error("\0\0\x08"s, "a.idx").code() == "idx.truncated");
  CHECK(read_error("\0\x01\x08\x01\0\0\0\x01x"s, "a.idx").code() == "idx.bad_header");
  CHECK(read_error("\0\0\x0A\x01\0\0\0\x01x"s, "a.idx").code() == "idx.bad_header");
  CHECK(read_error("\0\0\x08\0\0\0\0\x01x"s, "a.idx").code() == "idx.bad_header");
  CHECK(read_error("\0\0\x08\x09"s + std::string(36, '\1'), "a.idx").code() == "idx.bad_header");
  CHECK(read_error("\0\0\x08\x01\0\0\0\0"s, "a.idx").code() == "idx.no_rows");
  CHECK(read_error("\0\0\x08\x01\0\0\0\x02x"s, "a.idx").code() == "idx.truncated");
  CHECK(read_error("\0\0\x08\x01\0\0\0\x02xyz"s, "a.idx").code() == "idx.trailing_bytes");
  CHECK(read_error("\0\0\x0E\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"s, "a.idx").code() ==
        "idx.bad_header");
  CHECK(read_error("\0\0\x0E\x02\0\0\0\x01\x02\0\0\0"s, "a.idx").code() == "idx.unsupported");
  const std::string bomb = "\0\0\x08\x02\xff\xff\xff\xff\0\xff\xff\xff"s;
  CHECK(read_error(bomb, "a.idx").code() == "idx.truncated");
  CHECK(read_error(bomb, "a.idx", {}, {.file_bytes = bomb.size()}).code() == "idx.truncated");
}

TEST_CASE("A recording that was cut off is read as far as it goes, and told", "[io][wav]") {
  const std::string whole = wav(chunk("fmt ", format(1, 1, 16)) + chunk("data", kSamples));
  const Table all = check_reading(whole, "a.wav");
  CHECK(all.columns[0].numbers == std::vector<float>{0, .5f, -.5f, -1});
  CHECK(all.repairs.total == 0);
  CHECK(all.facts["bits"] == 16);
  CHECK(read_table(whole + "LIST and the rest", "a.wav").rows == 4);
  const Table cut = check_reading(whole.substr(0, whole.size() - 3), "a.wav");
  CHECK(cut.rows == 2);
  CHECK(cut.repairs.by_kind.at("truncated") == 1);
  CHECK_THAT(cut.repairs.first[0].text, Catch::Contains("2 rows"));
  CHECK(read_error(whole.substr(0, whole.size() - 8), "a.wav").code() == "wav.no_rows");
  CHECK(read_error(whole.substr(0, whole.size() - 9), "a.wav").code() == "wav.truncated");
  std::string endless = whole;
  endless.replace(endless.size() - 12, 4, "\xff\xff\xff\xff");
  const Table piped = check_reading(endless, "a.wav");
  CHECK(piped.rows == 4);
  CHECK(piped.repairs.total == 0);
}

TEST_CASE("Sounds that cannot be read are refused by the reason", "[io][wav]") {
  const auto code = [](const std::string& chunks) { return read_error(wav(chunks), "a.wav").code(); };
  const std::string data = chunk("data", kSamples);
  CHECK(code(data) == "wav.bad_header");
  CHECK(code(chunk("fmt ", "short") + data) == "wav.bad_header");
  CHECK(code(chunk("fmt ", std::string(5000, 'x')) + data) == "wav.bad_header");
  CHECK(code(chunk("fmt ", format(1, 1, 16)) + chunk("fmt ", format(1, 1, 16)) + data) == "wav.bad_header");
  CHECK(code(chunk("fmt ", format(0x55, 1, 16)) + data) == "wav.unsupported");
  CHECK(code(chunk("fmt ", format(1, 1, 12)) + data) == "wav.unsupported");
  CHECK(code(chunk("fmt ", format(3, 1, 16)) + data) == "wav.unsupported");
  CHECK(code(chunk("fmt ", format(1, 0, 16)) + data) == "wav.unsupported");
  CHECK(code(chunk("fmt ", format(1, 2000, 16)) + data) == "wav.unsupported");
  CHECK(code(chunk("fmt ", format(0xFFFE, 1, 16)) + data) == "wav.bad_header");
  std::string odd_block = format(1, 1, 16);
  odd_block[12] = 7;
  CHECK(code(chunk("fmt ", odd_block) + data) == "wav.bad_header");
  CHECK(read_error(wav("JUNK\xff\xff\xff\xff"), "a.wav").code() == "wav.truncated");
  CHECK(read_error("RIFF    AVI fmt ", "a.wav").code() == "wav.bad_header");
}

TEST_CASE("IDX and WAV are known by their first bytes whatever their name", "[io][formats]") {
  const auto format_of = [](std::string_view head, std::string_view name) {
    return std::string(detect_format(bytes_of(head), name).name);
  };
  CHECK(format_of("\0\0\x08\x01\0\0\0\x05\x07\x01\x07\x07\x01"s, "t10k.csv") == "idx");
  CHECK(format_of("nothing", "train-labels-idx1-ubyte") == "idx");
  CHECK(format_of("RIFF    WAVEfmt ", "x.txt") == "wav");
  CHECK(format_of("\x93NUMPY\x01\x00v"s, "x") == "npy");
  CHECK(format_of(std::string(4096, '\0'), "zeros") == "csv");
}

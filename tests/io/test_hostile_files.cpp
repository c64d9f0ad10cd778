// Files made to hurt a reader: shape bombs, headers that lie, golden files cut at every byte and with a tail. Each is
// refused with a message (or read, where the format says so) in memory that its few bytes justify.

#include <fstream>
#include <iterator>

#include "tests/io/chunks.h"
#include "tests/io/memory.h"

using namespace sg;
using namespace std::string_literals;

namespace {

std::string golden(const std::string& file) {
  std::ifstream in(SG_SOURCE_DIR "/tests/golden/io/" + file, std::ios::binary);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The code of the refusal, or "read".
std::string outcome(const std::string& content, const std::string& format) {
  const MemoryWatch watch;
  std::string code = "read";
  try {
    const auto reader = open_reader({{"format", format}}, bytes_of(content), "hostile", {});
    for (size_t at = 0; at < content.size(); at += 997)
      reader->feed(bytes_of(std::string_view(content).substr(at, 997)));
    reader->finish();
  } catch (const Error& error) {
    code = error.code();
    if (error.message().size() < 10) code = "without a message";
  }
  CAPTURE(format, content.size(), code);
  CHECK(watch.peak() < (size_t{32} << 20));
  return code;
}

struct Seen {
  size_t refused = 0, read = 0;
};

void take(Seen& seen, const std::string& content, const std::string& format) {
  const std::string code = outcome(content, format);
  CAPTURE(format, content.size(), code);
  CHECK((code == "read" || code.compare(0, format.size() + 1, format + ".") == 0));
  ++(code == "read" ? seen.read : seen.refused);
}

std::string npy(const std::string& type, const std::string& shape, bool fortran = false) {
  const std::string header =
      "{'descr': " + type + ", 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + "}\n";
  return "\x93NUMPY\x01\0"s + static_cast<char>(header.size() & 0xFF) + static_cast<char>(header.size() >> 8) + header;
}

std::string big(uint32_t value) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift & 0xFF);
  return text;
}

}  // namespace

TEST_CASE("Golden files cut at every byte or with a tail are refused", "[io][hostile]") {
  Seen cut, tail;
  for (const auto& [file, format] :
       std::vector<std::pair<std::string, std::string>>{{"little_f4.npy", "npy"},
                                                        {"structured.npy", "npy"},
                                                        {"fortran_big.npy", "npy"},
                                                        {"images-idx3-ubyte", "idx"},
                                                        {"labels-idx1-ubyte", "idx"},
                                                        {"data.safetensors", "safetensors"}}) {
    const std::string whole = golden(file);
    for (size_t n = 0; n < whole.size(); ++n) take(cut, whole.substr(0, n), format);
    for (const size_t n : {size_t{1}, size_t{100}, size_t{70'000}}) take(tail, whole + std::string(n, 'x'), format);
  }
  CHECK(cut.refused > 1000);
  CHECK(cut.read == 0);
  CHECK(tail.refused == 18);
}

TEST_CASE("A sound cut anywhere is read as far as it goes or refused", "[io][hostile]") {
  Seen cut;
  const std::string whole = golden("extensible.wav");
  for (size_t n = 0; n < whole.size(); ++n) take(cut, whole.substr(0, n), "wav");
  CHECK(cut.refused > 50);
  CHECK(cut.read > 300);
}

TEST_CASE("Shapes that no file can hold are refused before anything is made for them", "[io][hostile]") {
  Seen seen;
  const std::vector<std::string> sizes = {"65536",
                                          "4294967296",
                                          "9223372036854775807",
                                          "18446744073709551615",
                                          "18446744073709551616",
                                          "99999999999999999999999999"};
  for (const std::string& n : sizes) {
    for (const std::string type :
         {"'<f8'", "'|u1'", "'<U1000'", "'|S1048576'", "[('a', '<f8'), ('b', '|u1', (100, 100))]"}) {
      for (const std::string& shape :
           {"(" + n + ",)", "(" + n + ", " + n + ")", "(2, " + n + ")", "(" + n + ", 2, " + n + ")"}) {
        for (const bool fortran : {false, true}) take(seen, npy(type, shape, fortran) + "0123456789abcdef", "npy");
      }
    }
  }
  for (const uint32_t n : {0x10000u, 0x7FFFFFFFu, 0xFFFFFFFFu}) {
    for (const char type : {'\x08', '\x0D', '\x0E'}) {
      for (char dimensions = 1; dimensions <= 8; ++dimensions) {
        std::string file = "\0\0"s + type + dimensions;
        for (char d = 0; d < dimensions; ++d) file += big(n);
        take(seen, file + "0123456789abcdef", "idx");
      }
    }
  }
  for (const std::string& n : sizes) {
    for (const std::string& shape : {"[" + n + "]", "[" + n + "," + n + "]", "[2," + n + "]"}) {
      const std::string json = R"({"a":{"dtype":"F32","shape":)" + shape + R"(,"data_offsets":[0,)" + n + "]}}";
      std::string file(8, '\0');
      file[0] = static_cast<char>(json.size());
      take(seen, file + json + "0123456789abcdef", "safetensors");
    }
  }
  CHECK(seen.refused > 300);
  CHECK(seen.read == 0);
}

TEST_CASE("Headers that lie about their length are refused", "[io][hostile]") {
  Seen seen;
  const std::string array = golden("little_f4.npy"), tensors = golden("data.safetensors");
  for (int delta = -100; delta <= 100; ++delta) {
    if (delta == 0) continue;
    std::string file = array;
    const int length = static_cast<unsigned char>(file[8]) + 256 * static_cast<unsigned char>(file[9]) + delta;
    if (length < 0) continue;
    file[8] = static_cast<char>(length & 0xFF), file[9] = static_cast<char>(length >> 8);
    take(seen, file, "npy");
    std::string other = tensors;
    const int header = static_cast<unsigned char>(other[0]) + 256 * static_cast<unsigned char>(other[1]) + delta;
    other[0] = static_cast<char>(header & 0xFF), other[1] = static_cast<char>(header >> 8);
    take(seen, other, "safetensors");
  }
  CHECK(seen.refused > 300);
  CHECK(seen.read == 0);
}

TEST_CASE("JSON that is deep, wide, endless or repeated stays within its bounds", "[io][hostile]") {
  Seen seen;
  const auto repeat = [](const std::string& text, size_t n) {
    std::string all;
    for (size_t i = 0; i < n; ++i) all += text;
    return all;
  };
  const size_t mebibyte = size_t{1} << 20;
  for (const std::string& mark :
       {"["s, "{\"a\":"s, "[{\"a\":"s, "\""s, "{"s, "[[[["s, " "s, "1"s, "-"s, "\\"s, "{\"a\":\"\\u"s}) {
    for (const size_t size : {size_t{33}, size_t{1000}, mebibyte - 20, mebibyte + 20, 3 * mebibyte}) {
      take(seen, repeat(mark, size / mark.size() + 1), "jsonl");
    }
  }
  const std::string key(500, 'k');
  take(seen, "{\"" + key + "\":[" + repeat("[],", 200'000) + "[]]}", "jsonl");
  take(seen, "{\"" + key + "\":[" + repeat("1,", 200'000) + "1]}", "jsonl");
  take(seen, "{\"" + key + "\":{" + repeat("\"a\":{},", 100'000) + "\"a\":1}}", "jsonl");
  take(seen, "{" + repeat("\"a\":1,", 100'000) + "\"a\":1}", "jsonl");
  take(seen, repeat("{\"a\":" + repeat("[", 30) + "1" + repeat("]", 30) + "}\n", 1000), "jsonl");
  std::string wide = "{";
  for (size_t i = 0; i < 20'000; ++i) wide += "\"k" + std::to_string(i) + "\":1,";
  take(seen, wide + "\"z\":1}\n", "jsonl");
  CHECK(seen.refused > 50);
}

TEST_CASE("Golden files with bytes changed at random are read or refused, never worse", "[io][hostile]") {
  Seen seen;
  uint64_t random = 20261130;
  const auto next = [&] { return random = random * 6364136223846793005u + 1442695040888963407u, random >> 33; };
  for (const auto& [file, format] :
       std::vector<std::pair<std::string, std::string>>{{"structured.npy", "npy"},
                                                        {"texts_U.npy", "npy"},
                                                        {"images_u1.npy", "npy"},
                                                        {"floats.idx", "idx"},
                                                        {"pcm24.wav", "wav"},
                                                        {"rf64.wav", "wav"},
                                                        {"data.safetensors", "safetensors"}}) {
    const std::string whole = golden(file);
    for (int round = 0; round < 300; ++round) {
      std::string spoilt = whole;
      for (uint64_t n = 1 + next() % 4; n > 0; --n)
        spoilt[next() % std::min<size_t>(spoilt.size(), 200)] = static_cast<char>(next());
      take(seen, spoilt, format);
    }
  }
  CHECK(seen.refused > 500);
}

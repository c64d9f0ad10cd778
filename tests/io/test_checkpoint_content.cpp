// What a checkpoint's reader says of its content: which tensor is not the one that was written, which value is none,
// and which other formats it does not read.

#include <catch2/catch.hpp>
#include <cstring>
#include <nlohmann/json.hpp>

#include "io/safetensors.h"
#include "io/safetensors_header.h"

using namespace sg;

namespace {

template <class T>
std::vector<uint8_t> bytes_of(const std::vector<T>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::string message_of(std::span<const uint8_t> file, const std::string& code = "checkpoint.corrupt",
                       const SafetensorsRules& rules = {}) {
  try {
    SafetensorsFile read(file, rules);
  } catch (const Error& error) {
    CHECK(error.code() == code);
    return error.what();
  }
  return "accepted";
}

/// The same file with this text in the place of another of its length in the header, and the header's hash made anew:
/// what somebody would write who knows the format.
std::vector<uint8_t> forged(std::vector<uint8_t> file, const std::string& from, const std::string& to) {
  REQUIRE(from.size() == to.size());
  std::string text(file.begin(), file.end());
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  std::copy(to.begin(), to.end(), file.begin() + static_cast<ptrdiff_t>(at));
  text = std::string(file.begin(), file.end());
  const uint64_t size = safetensors_header_size(file, file.size());
  const size_t digits_at = header_digits_position(text);
  if (digits_at == std::string::npos) return file;
  const std::string digits = to_hex(header_digest(std::span(file).first(size), digits_at));
  std::copy(digits.begin(), digits.end(), file.begin() + static_cast<ptrdiff_t>(digits_at));
  return file;
}

std::vector<uint8_t> two_tensors(const std::map<std::string, std::string>& metadata = {}) {
  const auto a = bytes_of<float>({1, 2, 3}), b = bytes_of<float>({4, 5});
  const std::vector<TensorBytes> tensors = {{"a.weight", Dtype::F32, {3}, a}, {"b.weight", Dtype::F32, {2}, b}};
  return write_safetensors(tensors, metadata);
}

/// A file without hashes of one tensor with these bytes.
std::vector<uint8_t> plain(const std::string& dtype, size_t values, const std::vector<uint8_t>& bytes) {
  const std::string header = "{\"w\":{\"dtype\":\"" + dtype + "\",\"shape\":[" + std::to_string(values) +
                             "],\"data_offsets\":[0," + std::to_string(bytes.size()) + "]}}";
  std::vector<uint8_t> file(8);
  file[0] = static_cast<uint8_t>(header.size());
  file.insert(file.end(), header.begin(), header.end());
  file.insert(file.end(), bytes.begin(), bytes.end());
  return file;
}

}  // namespace

TEST_CASE("the tensor whose bytes changed is named, with the byte where it begins", "[io]") {
  std::vector<uint8_t> file = two_tensors();
  const uint64_t data = safetensors_header_size(file, file.size());
  file[data + 13] ^= 1;
  CHECK_THAT(message_of(file), Catch::Contains("'b.weight'") && Catch::Contains("SHA-256") &&
                                   Catch::Contains("byte " + std::to_string(data + 12)));
  file[data + 13] ^= 1;
  file[data + 11] ^= 1;
  CHECK_THAT(message_of(file), Catch::Contains("'a.weight'") && Catch::Contains("byte " + std::to_string(data)));
}

TEST_CASE("hashes that are missing, strange, or of other tensors are refused", "[io]") {
  const std::vector<uint8_t> file = two_tensors();
  REQUIRE(message_of(forged(file, "\"F32\"", "\"F32\"")) == "accepted");
  const std::string a = to_hex(sha256(bytes_of<float>({1, 2, 3})));
  CHECK_THAT(message_of(forged(file, "\\\"a.weight\\\":", "\\\"c.weight\\\":")),
             Catch::Contains("no tensor 'c.weight'"));
  CHECK_THAT(message_of(forged(file, "\\\"b.weight\\\":", "\\\"a.weight\\\":")), Catch::Contains("stands twice"));
  CHECK_THAT(message_of(forged(file, a, "x" + a.substr(1))), Catch::Contains("'a.weight' is not 64 hex digits"));
  CHECK_THAT(message_of(forged(file, a, std::string(62, '0') + "\\\"")), Catch::Contains("sha256"));
  CHECK_THAT(message_of(forged(file, a, std::string(64, '0'))), Catch::Contains("'a.weight' are not those"));
  CHECK_THAT(message_of(forged(file, "\"sha256\"", "\"sha257\"")), Catch::Contains("no sha256"));
  const std::vector<uint8_t> unhashed = forged(file, "\"header_sha256\"", "\"header_sha257\"");
  CHECK_THAT(message_of(unhashed), Catch::Contains("no header_sha256"));
  // What there is of hashes is checked for other programs' files too; a key of theirs by the same name is theirs.
  CHECK(message_of(unhashed, "", {.hashes = false}) == "accepted");
  const auto wrong = forged(file, a, std::string(64, '0'));
  CHECK_THAT(message_of(wrong, "checkpoint.corrupt", {.hashes = false}), Catch::Contains("'a.weight'"));
  for (const std::string text : {"[]", "{", "{\"a\":{}}", "7", "null", "{\"a\":[\"x\"]}", "{\"a\":1}", "\"a\""}) {
    const std::string map = nlohmann::json(nlohmann::json{{"a.weight", a}, {"b.weight", ""}}.dump()).dump();
    const std::string whole(file.begin(), file.end());
    const size_t begin = whole.find("\"sha256\":\"") + 9, end = whole.find("\"}\"", begin) + 3;
    std::string value = nlohmann::json(text).dump();
    value.insert(value.size() - 1, std::string(end - begin - value.size(), ' '));
    CAPTURE(text);
    CHECK_THAT(message_of(forged(file, whole.substr(begin, end - begin), value)), Catch::Contains("sha256"));
  }
}

TEST_CASE("a file of another format is refused with both names", "[io]") {
  const std::vector<uint8_t> file = two_tensors({{"format", "shadegrad/2"}});
  REQUIRE(message_of(file) == "accepted");
  for (const std::string other : {"shadegrad/1", "shadegrad/3", "tensorflow1"}) {
    CHECK_THAT(message_of(forged(file, "shadegrad/2", other), "checkpoint.version"),
               Catch::Contains("'" + other + "'") && Catch::Contains("'shadegrad/2'"));
  }
  CHECK(message_of(forged(file, "shadegrad/2", "tensorflow1"), "", {.hashes = false}) == "accepted");
}

TEST_CASE("values that are not finite are refused with their byte, in every float dtype", "[io]") {
  struct Case {
    std::string dtype;
    std::vector<uint8_t> good, bad;
  };
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Case> cases = {
      {"F32", bytes_of<float>({1e38f}), bytes_of<float>({static_cast<float>(inf)})},
      {"F32", bytes_of<float>({-1e-45f}), bytes_of<float>({static_cast<float>(-inf)})},
      {"F32", bytes_of<float>({0}), bytes_of<float>({static_cast<float>(nan)})},
      {"F64", bytes_of<double>({1e308}), bytes_of<double>({nan})},
      {"F64", bytes_of<double>({5e-324}), bytes_of<double>({-inf})},
      {"F16", bytes_of<uint16_t>({0x7BFF}), bytes_of<uint16_t>({0x7C00})},
      {"F16", bytes_of<uint16_t>({0x83FF}), bytes_of<uint16_t>({0xFE00})},
      {"BF16", bytes_of<uint16_t>({0x7F7F}), bytes_of<uint16_t>({0x7F80})},
      {"BF16", bytes_of<uint16_t>({0x807F}), bytes_of<uint16_t>({0xFFC0})},
  };
  for (const Case& c : cases) {
    for (const size_t at : {size_t{0}, size_t{1}, size_t{1023}, size_t{1024}, size_t{2999}}) {
      const size_t count = 3000, size = c.good.size();
      std::vector<uint8_t> bytes;
      for (size_t i = 0; i < count; ++i) bytes.insert(bytes.end(), c.good.begin(), c.good.end());
      std::vector<uint8_t> file = plain(c.dtype, count, bytes);
      REQUIRE(message_of(file, "", {.hashes = false}) == "accepted");
      const size_t byte = file.size() - bytes.size() + at * size;
      std::copy(c.bad.begin(), c.bad.end(), file.begin() + static_cast<ptrdiff_t>(byte));
      CAPTURE(c.dtype, at);
      CHECK_THAT(message_of(file, "checkpoint.corrupt", {.hashes = false}),
                 Catch::Contains("'w'") && Catch::Contains("infinite") &&
                     Catch::Contains("byte " + std::to_string(byte) + ":"));
      CHECK(message_of(file, "", {.hashes = false, .finite = false}) == "accepted");
    }
  }
  CHECK(message_of(plain("I32", 1, bytes_of<float>({static_cast<float>(nan)})), "", {.hashes = false}) == "accepted");
  const auto bad = bytes_of<float>({1, static_cast<float>(inf)});
  const std::vector<TensorBytes> tensors = {{"w", Dtype::F32, {2}, bad}};
  CHECK_THROWS_WITH(write_safetensors(tensors, {}), Catch::Contains("'w'") && Catch::Contains("infinite"));
}

TEST_CASE("a value that is cut between two pieces is looked at all the same", "[io]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<uint8_t> file = plain("F64", 4, bytes_of<double>({1, 2, nan, 3}));
  const auto check = [&](size_t piece) {
    SafetensorsChecker checker(file.size(), {.hashes = false});
    for (size_t at = 0; at < file.size(); at += piece)
      checker.feed(std::span(file).subspan(at, std::min(piece, file.size() - at)));
    checker.finish();
  };
  const std::string byte = "byte " + std::to_string(file.size() - 16) + ":";
  for (size_t piece = 1; piece <= file.size(); ++piece) CHECK_THROWS_WITH(check(piece), Catch::Contains(byte));
}

// The checkpoint file: its exact bytes, what is refused and where, and that no flipped bit or cut passes.

#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>
#include <random>
#include <utility>

#include "io/safetensors.h"

using namespace sg;

namespace {

std::span<const uint8_t> as_bytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

std::vector<uint8_t> float_bytes(const std::vector<float>& values) {
  std::vector<uint8_t> bytes(values.size() * 4);
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::vector<uint8_t> sample_file() {
  const auto weight = float_bytes({1, -2, 0.5f, 4, 5, 6});
  const std::vector<uint8_t> step = {7, 0, 0, 0, 0, 0, 0, 0};
  const std::vector<TensorBytes> tensors = {
      {"lstm.weight", Dtype::F32, {2, 3}, weight}, {"empty", Dtype::F32, {0, 4}, {}}, {"step", Dtype::I64, {}, step}};
  return write_safetensors(tensors, {{"format", "shadegrad/2"}, {"config", "{\"header_sha256\":\"no\"}"}});
}

/// A file with this header text and data, without hashes.
std::vector<uint8_t> raw_file(std::string header, size_t data_bytes) {
  std::vector<uint8_t> file(8);
  for (size_t i = 0; i < 8; ++i) file[i] = static_cast<uint8_t>(uint64_t{header.size()} >> (8 * i));
  file.insert(file.end(), header.begin(), header.end());
  file.resize(file.size() + data_bytes, 0x2A);
  return file;
}

constexpr SafetensorsRules kForeign{.hashes = false};

std::string message_of(std::span<const uint8_t> file, const SafetensorsRules& rules = {}) {
  try {
    SafetensorsFile read(file, rules);
  } catch (const Error& error) {
    CHECK((error.code() == "checkpoint.corrupt" || error.code() == "checkpoint.version"));
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("the worked example of FORMATS.md is byte for byte what is written", "[io]") {
  const auto data = float_bytes({1, 2});
  const std::vector<TensorBytes> tensors = {{"w", Dtype::F32, {2}, data}};
  const std::vector<uint8_t> file = write_safetensors(tensors, {{"format", "shadegrad/2"}});
  const std::string header =
      "{\"__metadata__\":{\"format\":\"shadegrad/2\",\"header_sha256\":\"HASH\",\"sha256\":\"{\\\"w\\\":\\\""
      "TENSOR\\\"}\"},\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}       ";
  const std::string payload("\0\0\x80\x3f\0\0\0\x40", 8);
  std::string expected = std::string("\x10\x01\0\0\0\0\0\0", 8) + header;
  expected.replace(expected.find("TENSOR"), 6, to_hex(sha256(as_bytes(payload))));
  const size_t at = expected.find("HASH");
  expected.replace(at, 4, std::string(64, '0'));
  expected.replace(at, 64, to_hex(sha256(as_bytes(expected))));
  expected += payload;
  CHECK(std::string(file.begin(), file.end()) == expected);
}

TEST_CASE("what is written comes back, whatever the order it was given in", "[io]") {
  const std::vector<uint8_t> bytes = sample_file();
  const SafetensorsFile file(bytes);
  CHECK(file.metadata() ==
        std::map<std::string, std::string>{{"format", "shadegrad/2"}, {"config", "{\"header_sha256\":\"no\"}"}});
  CHECK(file.value("format") == "shadegrad/2");
  CHECK(file.floats("lstm.weight") == std::vector<float>{1, -2, 0.5f, 4, 5, 6});
  CHECK(file.entry("lstm.weight").shape == std::vector<uint64_t>{2, 3});
  CHECK(file.bytes("step")[0] == 7);
  CHECK(file.entry("step").shape.empty());
  CHECK(file.floats("empty").empty());
  CHECK(file.header().data_begin % 8 == 0);
  CHECK_FALSE(file.has("bias"));
  CHECK_THROWS_WITH(file.entry("bias"), Catch::Contains("'bias'"));
  CHECK_THROWS_WITH(file.floats("step"), Catch::Contains("I64"));
  CHECK_THROWS_AS(file.value("state"), Error);

  const std::vector<uint8_t> a(4, 1), b(4, 2);
  const std::vector<TensorBytes> ab = {{"a", Dtype::F32, {1}, a}, {"b", Dtype::U8, {4}, b}};
  const std::vector<TensorBytes> ba = {ab[1], ab[0]};
  CHECK(write_safetensors(ab, {}) == write_safetensors(ba, {}));
}

TEST_CASE("the writer refuses what the reader would", "[io]") {
  const std::vector<uint8_t> four(4, 0);
  const auto write = [](std::vector<TensorBytes> tensors, std::map<std::string, std::string> metadata = {}) {
    return write_safetensors(tensors, metadata);
  };
  CHECK_THROWS_AS(write({{"w", Dtype::F32, {2}, four}}), Error);
  CHECK_THROWS_AS(write({{"", Dtype::F32, {1}, four}}), Error);
  CHECK_THROWS_AS(write({{"__metadata__", Dtype::F32, {1}, four}}), Error);
  CHECK_THROWS_AS(write({{"w\xFF", Dtype::F32, {1}, four}}), Error);
  CHECK_THROWS_AS(write({{"w", Dtype::F32, {1}, four}, {"w", Dtype::F32, {1}, four}}), Error);
  CHECK_THROWS_AS(write({{"w", Dtype::F32, {uint64_t{1} << 62, 4}, four}}), Error);
  CHECK_THROWS_AS(write({{"w", Dtype::F32, {1}, four}}, {{"k", "\xFF"}}), Error);
}

TEST_CASE("the header alone lists a checkpoint without its payload", "[io]") {
  const std::vector<uint8_t> file = sample_file();
  const uint64_t size = safetensors_header_size(std::span(file).first(8), file.size());
  const SafetensorsHeader header = read_safetensors_header(std::span(file).first(size), file.size());
  CHECK(header.metadata.at("format") == "shadegrad/2");
  REQUIRE(header.tensors.size() == 3);
  CHECK(header.tensors.back().end == file.size());
  CHECK_THROWS_AS(read_safetensors_header(std::span(file).first(size - 1), file.size()), Error);
  CHECK_THROWS_AS(read_safetensors_header(std::span(file).first(size), file.size() + 1), Error);
  CHECK_THROWS_AS(read_safetensors_header(std::span(file).first(size), file.size() - 1), Error);
}

TEST_CASE("a checkpoint cut at any byte is refused, and so is one with a tail", "[io]") {
  std::vector<uint8_t> file = sample_file();
  for (size_t n = 0; n < file.size(); ++n) {
    CAPTURE(n);
    REQUIRE(message_of(std::span(file).first(n)) != "accepted");
  }
  for (size_t tail = 1; tail <= 200; ++tail) {
    file.push_back(static_cast<uint8_t>(tail % 3));
    CHECK_THAT(message_of(file), Catch::Contains(std::to_string(tail) + " bytes follow the last tensor"));
  }
}

TEST_CASE("every changed byte of a checkpoint is detected", "[io]") {
  std::vector<uint8_t> file = sample_file();
  REQUIRE(message_of(file) == "accepted");
  size_t corruptions = 0;
  const auto detected = [&](size_t at, uint8_t byte) {
    const uint8_t good = std::exchange(file[at], byte);
    CAPTURE(at, int{good}, int{byte});
    REQUIRE(message_of(file) != "accepted");
    file[at] = good;
    ++corruptions;
  };
  for (size_t at = 0; at < file.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) detected(at, static_cast<uint8_t>(file[at] ^ 1 << bit));
    detected(at, static_cast<uint8_t>(~file[at]));
    if (file[at] != 0) detected(at, 0);
    if (file[at] != ' ') detected(at, ' ');
    if (file[at] != '0') detected(at, '0');
  }
  CHECK(corruptions > 2700);
}

TEST_CASE("a hostile header is refused with what is wrong", "[io]") {
  const auto header = [](const std::string& text, size_t data = 8) {
    return message_of(raw_file(text, data), kForeign);
  };
  const std::string w = "\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]";
  CHECK(header("{\"w\":{" + w + "}}") == "accepted");
  CHECK(header("{\"w\":{" + w + "}}  ") == "accepted");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"{\"w\":{" + w + "}", "not valid JSON"},
      {"[]", "does not begin"},
      {" {\"w\":{" + w + "}}", "does not begin"},
      {"{\"w\":{" + w + "}}\n", "does not end"},
      {"{\"w\":{" + w + "}}{}", "not valid JSON"},
      {"{\"w\":{" + w + "},}", "not valid JSON"},
      {"{\"w\xFF\":{" + w + "}}", "not valid JSON"},
      {"{\"w\":{" + w + "},\"w\":{" + w + "}}", "stands twice"},
      {"{\"__metadata__\":{},\"__metadata__\":{}}", "stands twice"},
      {"{\"__metadata__\":{\"a\":\"1\",\"a\":\"2\"},\"w\":{" + w + "}}", "twice"},
      {"{\"__metadata__\":{\"a\":1}}", "a number"},
      {"{\"__metadata__\":{\"a\":{}}}", "an object"},
      {"{\"\":{" + w + "}}", "no name"},
      {"{\"w\":{" + w + ",\"shape\":[2]}}", "twice"},
      {"{\"w\":{" + w + ",\"path\":\"/etc\"}}", "unknown field 'path'"},
      {"{\"w\":{\"dtype\":\"F32\",\"shape\":[2]}}", "lacks"},
      {"{\"w\":{\"dtype\":\"Q4\",\"shape\":[2],\"data_offsets\":[0,8]}}", "dtype 'Q4'"},
      {"{\"w\":{\"dtype\":\"F32\",\"shape\":[-2],\"data_offsets\":[0,8]}}", "a negative number"},
      {"{\"w\":{\"dtype\":\"F32\",\"shape\":[2.0],\"data_offsets\":[0,8]}}", "a fraction"},
      {"{\"w\":{\"dtype\":\"F32\",\"shape\":[[2]],\"data_offsets\":[0,8]}}", "a list"},
      {"{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0]}}", "two data_offsets"},
      {"{\"w\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,8]}}", "its shape needs 12"},
      {"{\"w\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904,4],\"data_offsets\":[0,8]}}", "more than 2^62"},
      {"{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[4,12]}}", "begins at data offset 4"},
      {"{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,0]}}", "begins at data offset 8"},
      {"{\"w\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16]}}", "there are 8 bytes"},
      {"{\"w\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", "4 bytes follow"},
      {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},\"b\":{" + w + "}}", "begins at data offset 0"},
      {"{\"w\":null}", "null"},
      {"{\"w\":true}", "truth"},
      {"{\"__metadata__\":{\"header_sha256\":\"XYZ\"},\"w\":{" + w + "}}", "64 hex"},
      {"{\"__metadata__\":{\"header\\u005fsha256\":\"" + std::string(64, '0') + "\"},\"w\":{" + w + "}}", "64 hex"},
      {"{\"__metadata__\":{\"header_sha256\":\"" + std::string(64, '0') + "\"},\"w\":{" + w + "}}",
       "not the one that was written"},
  };
  for (const auto& [text, wanted] : cases) {
    CAPTURE(text);
    CHECK_THAT(header(text), Catch::Contains(wanted));
  }
  CHECK_THAT(header("{\"a\":" + std::string(200'000, '[')), Catch::Contains("does not end"));
  CHECK_THAT(header("{\"a\":" + std::string(200'000, '[') + "}"), Catch::Contains("a list"));
  std::vector<uint8_t> claims = raw_file("{}", 0);
  claims[7] = 0x7F;
  CHECK_THAT(message_of(claims), Catch::Contains("over 8 MiB"));
  claims[7] = 0, claims[1] = 1;
  CHECK_THAT(message_of(claims), Catch::Contains("does not fit"));
  CHECK_THAT(message_of(raw_file("{\"w\":{" + w + "}}", 8)), Catch::Contains("no header_sha256"));
}

TEST_CASE("a checkpoint that comes in pieces is checked as strictly", "[io]") {
  std::vector<uint8_t> file = sample_file();
  const auto check = [&](size_t cut, uint64_t total) {
    SafetensorsChecker checker(total);
    checker.feed(std::span(file).first(cut));
    checker.feed(std::span(file).subspan(cut));
    return checker.finish().tensors.size();
  };
  for (size_t cut = 0; cut <= file.size(); ++cut) REQUIRE(check(cut, file.size()) == 3);
  CHECK_THROWS_AS(check(9, file.size() + 1), Error);
  CHECK_THROWS_AS(check(9, file.size() - 1), Error);
  for (const size_t at : {size_t{0}, size_t{20}, size_t{60}, file.size() - 1}) {
    file[at] ^= 1;
    CHECK_THROWS_AS(check(70, file.size()), Error);
    file[at] ^= 1;
  }
}

TEST_CASE("mutated checkpoints give an error, never a crash", "[io]") {
  const std::vector<uint8_t> good = sample_file();
  std::mt19937 random(11);
  for (int round = 0; round < 3000; ++round) {
    std::vector<uint8_t> file = good;
    for (unsigned n = 1 + random() % 5; n > 0; --n) file[random() % file.size()] = static_cast<uint8_t>(random());
    if (random() % 4 == 0) file.resize(random() % (file.size() + 20));
    if (file == good) continue;
    REQUIRE(message_of(file) != "accepted");
    message_of(file, kForeign);
  }
}

TEST_CASE("the golden file is byte for byte what is written", "[io]") {
  const auto weight = float_bytes({1, -2, 0.5f, 4, 5, 6}), one = float_bytes({-0.0f});
  const std::vector<uint8_t> step = {7, 0, 0, 0, 0, 0, 0, 0};
  const std::vector<TensorBytes> tensors = {{"lstm.weight_hh_l0", Dtype::F32, {2, 3}, weight},
                                            {"empty", Dtype::F32, {0, 4}, {}},
                                            {"\xc3\xa4\xc3\xb6\xc3\xbc \"quoted\"", Dtype::F32, {1}, one},
                                            {"step", Dtype::I64, {}, step}};
  const auto file = write_safetensors(tensors, {{"format", "shadegrad/2"}, {"state", "{\"step\":7}"}});
  std::ifstream golden(SG_SOURCE_DIR "/tests/golden/checkpoint.safetensors", std::ios::binary);
  CHECK((std::vector<uint8_t>(std::istreambuf_iterator<char>(golden), {}) == file));
}

// Frames and base64 by themselves, the same on every system: bytes in any split, in one burst, and lengths that lie.
#include <catch2/catch.hpp>
#include <cstring>

#include "native_host/base64.h"
#include "native_host/framing.h"
#include "native_host/messages.h"

using namespace sg::host;

namespace {

std::string header(std::uint32_t length) {
  std::string bytes(4, '\0');
  std::memcpy(bytes.data(), &length, 4);
  return bytes;
}

std::vector<std::string> decode(Decoder& decoder, std::string_view bytes) {
  std::vector<std::string> messages;
  decoder.feed(bytes, [&](std::string m) { messages.push_back(std::move(m)); });
  return messages;
}

std::string code_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Failure& e) {
    return e.code();
  }
  return "";
}

std::string every_byte(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 7 + i / 256);
  return bytes;
}

}  // namespace

TEST_CASE("a stream of frames may be split anywhere", "[host]") {
  const std::vector<std::string> messages{"{}", std::string("{\"id\":1}"), "[" + std::string(300, '1') + "]"};
  std::string stream;
  for (const auto& m : messages) stream += encode_frame(m);
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    Decoder decoder;
    auto got = decode(decoder, std::string_view(stream).substr(0, cut));
    for (auto& m : decode(decoder, std::string_view(stream).substr(cut))) got.push_back(m);
    REQUIRE(got == messages);
    REQUIRE_FALSE(decoder.in_message());
  }
  Decoder bytewise;
  std::vector<std::string> got;
  for (const char c : stream) {
    for (auto& m : decode(bytewise, {&c, 1})) got.push_back(m);
  }
  REQUIRE(got == messages);
}

TEST_CASE("a hundred thousand messages come out of one burst", "[host]") {
  std::string stream;
  for (int i = 0; i < 100'000; ++i) stream += encode_frame(std::to_string(i));
  Decoder decoder;
  int next = 0;
  bool in_order = true;
  decoder.feed(stream, [&](const std::string& m) { in_order = in_order && m == std::to_string(next++); });
  REQUIRE(in_order);
  REQUIRE(next == 100'000);
}

TEST_CASE("a frame's length is judged before anything is kept for it", "[host]") {
  for (const std::uint32_t length : {0u, kInboundCap + 1, 1u << 31, 0xFFFFFFFFu}) {
    Decoder decoder;
    REQUIRE(code_of([&] { decode(decoder, header(length)); }) == "frame.invalid");
  }
  Decoder largest;
  REQUIRE(decode(largest, header(kInboundCap) + std::string(kInboundCap, ' ')).at(0).size() == kInboundCap);
  Decoder smallest;
  REQUIRE(decode(smallest, header(1) + "1").at(0) == "1");
  REQUIRE_NOTHROW(encode_frame(std::string(kOutboundCap, ' ')));
  REQUIRE_THROWS_AS(encode_frame(std::string(kOutboundCap + 1, ' ')), std::length_error);
}

TEST_CASE("a full data frame fits under the outbound cap", "[host]") {
  REQUIRE_NOTHROW(encode_frame(data_frame(kLargestWhole, "checkpoint", kLargestWhole, false, every_byte(kFrameBytes))));
}

TEST_CASE("base64 is strict and comes back as it went", "[host]") {
  for (std::size_t size = 0; size < 200; ++size) {
    const std::string bytes = every_byte(size);
    std::string text;
    append_base64(text, bytes);
    REQUIRE(decode_base64(text) == bytes);
  }
  std::string known;
  append_base64(known, "Man is");
  append_base64(known, "a");
  REQUIRE(known == "TWFuIGlzYQ==");
  for (const char* bad : {"A", "AA", "AAA", "AAAA=", "A===", "AA=A", "====", "AAA ", "AAA\n", "AA-_",
                          "AB==", "AAB=", "=AAA", "AA==AAAA"}) {
    INFO(bad);
    REQUIRE_FALSE(decode_base64(bad));
  }
}

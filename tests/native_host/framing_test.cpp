// Frames and JSON, the first two gates of the host: bytes in any split, lengths that lie, and text that nlohmann's
// parser alone would let through.
#include "native_host/framing.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "native_host/base64.h"
#include "native_host/json.h"
#include "native_host/messages.h"
#include "tests/native_host/program.h"

using namespace sg::host;
using sg::test::Program;

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

std::string parse_code(const std::string& text) {
  return code_of([&] { parse_json(text); });
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
  REQUIRE_NOTHROW(
      encode_frame(data_frame(kLargestWhole, "checkpoint", kLargestWhole, false, sg::test::noise(kFrameBytes))));
}

TEST_CASE("the program answers a bad length and ends with a status", "[host]") {
  for (const std::uint32_t length : {0u, kInboundCap + 1, 1u << 31, 0xFFFFFFFFu}) {
    sg::test::Folder home;
    Program host(home.path());
    host.hello();
    host.send_bytes(header(length));
    const auto reply = host.receive();
    REQUIRE(reply);
    REQUIRE((*reply)["code"] == "frame.invalid");
    REQUIRE((*reply)["id"].is_null());
    REQUIRE(host.wait() == 3);
  }
}

TEST_CASE("a message at the inbound cap is answered", "[host]") {
  sg::test::Folder home;
  Program host(home.path());
  host.hello();
  std::string text = "{\"id\":1,\"type\":\"checkpoint.list\"}";
  text += std::string(kInboundCap - text.size(), ' ');
  host.send_bytes(header(kInboundCap) + text);
  REQUIRE((*host.receive())["ok"] == true);
}

TEST_CASE("JSON is read strictly", "[host]") {
  for (const char* good : {"{}", " [1, -2.5e3, \"\\u00e9\", null, true] ", "{\"a\":{\"a\":1}}", "7"})
    REQUIRE_NOTHROW(parse_json(good));
  using namespace std::string_literals;
  for (const std::string& bad : {""s,
                                 " "s,
                                 "{"s,
                                 "{} {}"s,
                                 "{},"s,
                                 "1\0"s,
                                 "{}\0"s,
                                 "\"a\0b\""s,
                                 "{\"a\":1,\"a\":2}"s,
                                 "{\"b\":{\"a\":1,\"a\":1}}"s,
                                 "\xEF\xBB\xBF{}"s,
                                 "[1,]"s,
                                 "{\"a\"}"s,
                                 "'a'"s,
                                 "NaN"s,
                                 "1e400"s,
                                 "01"s,
                                 "\"\xff\""s,
                                 "\"\\ud800\""s,
                                 "/* */1"s,
                                 "tru"s,
                                 "{\"a\":1}}"s}) {
    INFO(bad);
    REQUIRE(parse_code(bad) == "message.malformed");
  }
}

TEST_CASE("deep JSON is refused, however deep", "[host]") {
  const auto arrays = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  REQUIRE(parse_code(arrays(32)).empty());
  for (const std::size_t depth : {33, 1000, 100'000, 1'000'000}) {
    REQUIRE(parse_code(arrays(depth)) == "message.malformed");
    REQUIRE(parse_code(std::string(depth, '[')) == "message.malformed");
    std::string objects;
    for (std::size_t i = 0; i < depth; ++i) objects += "{\"a\":";
    REQUIRE(parse_code(objects) == "message.malformed");
  }
}

TEST_CASE("the program outlives hostile JSON and goes on answering", "[host]") {
  sg::test::Folder home;
  Program host(home.path());
  host.hello();
  const std::string bomb = std::string(500'000, '[');
  for (const std::string& bad :
       {bomb, bomb + std::string(500'000, ']'), std::string("{\"id\":1,\"id\":2,\"type\":\"hello\"}"),
        std::string("\xff\xfe"), std::string("[]"), std::string("{\"type\":\"hello\"}"),
        std::string("{\"id\":0,\"type\":\"hello\"}"), std::string("{\"id\":1.5,\"type\":\"hello\"}"),
        std::string("{\"id\":9007199254740992,\"type\":\"hello\"}"), std::string("{\"id\":\"1\",\"type\":\"hello\"}"),
        std::string("{\"id\":-1,\"type\":\"hello\"}")}) {
    host.send_bytes(encode_frame(bad.substr(0, kOutboundCap)));
    const auto reply = host.receive();
    REQUIRE(reply);
    REQUIRE((*reply)["code"] == "message.malformed");
    REQUIRE((*reply)["id"].is_null());
  }
  REQUIRE(host.hello()["ok"] == true);
}

TEST_CASE("base64 is strict and comes back as it went", "[host]") {
  for (std::size_t size = 0; size < 200; ++size) {
    const std::string bytes = sg::test::noise(size, static_cast<unsigned>(size) + 1);
    REQUIRE(decode_base64(sg::test::base64(bytes)) == bytes);
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

TEST_CASE("UTF-8 is told from what only looks like it", "[host]") {
  for (const char* good : {"", "a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"})
    REQUIRE(valid_utf8(good));
  for (const char* bad : {"\xff", "\x80", "\xc0\xaf", "\xc3", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf0\x80\x80\xaf",
                          "\xf4\x90\x80\x80", "\xe2\x82"}) {
    REQUIRE_FALSE(valid_utf8(bad));
  }
}

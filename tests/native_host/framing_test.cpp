// Frames, the first gate of the host: bytes in any split, in one burst, and lengths that lie.
#include "native_host/framing.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <thread>

#include "native_host/base64.h"
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

TEST_CASE("the program answers the same, wherever a stream of three messages is split", "[host]") {
  sg::test::Folder home;
  Program host(home.path());
  host.hello();
  std::string stream;
  for (int id = 1; id <= 3; ++id) stream += encode_frame(Json{{"id", id}, {"type", "nothing"}}.dump());
  for (std::size_t cut = 1; cut < stream.size(); ++cut) {
    host.send_bytes(stream.substr(0, cut));
    // The first part is read alone: its messages are answered before the second is sent.
    int answered = 0;
    for (; static_cast<std::size_t>(answered + 1) * stream.size() / 3 <= cut; ++answered)
      REQUIRE((*host.receive())["id"] == answered + 1);
    host.send_bytes(stream.substr(cut));
    while (answered < 3) REQUIRE((*host.receive())["id"] == ++answered);
  }
}

TEST_CASE("the program answers a burst of a hundred thousand messages, each once and in order", "[host]") {
  sg::test::Folder home;
  Program host(home.path());
  host.hello();
  const std::size_t before = sg::test::status_bytes(host.pid(), "VmHWM");
  std::thread sender([&] {
    std::string stream;
    for (int id = 1; id <= 100'000; ++id) {
      stream += encode_frame("{\"id\":" + std::to_string(id) + ",\"type\":\"request.cancel\",\"target\":7}");
      if (stream.size() < 60'000 && id < 100'000) continue;
      host.send_bytes(stream);
      stream.clear();
    }
  });
  bool right = true;
  for (int id = 1; id <= 100'000 && right; ++id) {
    const auto reply = host.receive();
    right = reply && (*reply)["id"] == id && (*reply)["cancelled"] == false;
  }
  sender.join();
  REQUIRE(right);
#if !defined(__SANITIZE_ADDRESS__)
  REQUIRE(sg::test::status_bytes(host.pid(), "VmHWM") < before + (16u << 20));
#endif
}

#if !defined(__SANITIZE_ADDRESS__)
TEST_CASE("a frame that claims four gigabytes costs no memory", "[host]") {
  sg::test::Folder home;
  sg::test::write_file(home / "Shadegrad/a.bin", sg::test::noise(1 << 20));
  Program host(home.path());
  host.hello();
  // Output that nobody reads keeps the host alive for its half second, so that it can be measured afterwards.
  host.send({{"id", 1}, {"type", "dataset.read"}, {"path", "Shadegrad/a.bin"}, {"credits", 64}});
  usleep(100'000);
  // What was resident at most, and what was asked of the system at most (touched or not).
  const auto memory = [&] {
    return std::pair(sg::test::status_bytes(host.pid(), "VmHWM"), sg::test::status_bytes(host.pid(), "VmPeak"));
  };
  const auto before = memory();
  REQUIRE(before.first > 0);
  host.send_bytes(header(0xFFFFFFFFu) + std::string(30'000, '{'));
  auto most = before;
  auto now = before;
  for (int sample = 0; sample < 3000 && now.first > 0 && now.second > 0; ++sample, now = memory()) {
    most = now;
    usleep(1000);
  }
  REQUIRE(host.wait() == 3);
  REQUIRE(most.first - before.first <= (8u << 20));
  REQUIRE(most.second - before.second < (1u << 30));
}
#endif

TEST_CASE("a message at the inbound cap is answered", "[host]") {
  sg::test::Folder home;
  Program host(home.path());
  host.hello();
  std::string text = "{\"id\":1,\"type\":\"checkpoint.list\"}";
  text += std::string(kInboundCap - text.size(), ' ');
  host.send_bytes(header(kInboundCap) + text);
  REQUIRE((*host.receive())["ok"] == true);
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

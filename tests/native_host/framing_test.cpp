// What the program makes of frames: lengths that lie, and a message as long as may be.
#include "native_host/framing.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <thread>

#include "tests/native_host/program.h"

using namespace sg::host;
using sg::test::Json;
using sg::test::Program;

namespace {

std::string header(std::uint32_t length) {
  std::string bytes(4, '\0');
  std::memcpy(bytes.data(), &length, 4);
  return bytes;
}

}  // namespace

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
  [[maybe_unused]] const std::size_t before = sg::test::status_bytes(host.pid(), "VmHWM");
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

// How the host ends and what it may do while it lives: it leaves when its input ends, blocked output or not, prints
// frames and nothing else, starts no program and opens no socket.
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <regex>

#include "native_host/framing.h"
#include "native_host/host.h"
#include "tests/native_host/program.h"

using namespace sg::test;
namespace fs = std::filesystem;

static_assert(sg::host::kGraceMilliseconds < 1000, "browsers kill a host two seconds after they close its input");

TEST_CASE("the host leaves when its input ends, before hello, after it and in the middle of a message", "[host]") {
  Folder home;
  for (const int stage : {0, 1, 2, 3}) {
    Program host(home.path());
    if (stage > 0) host.hello();
    if (stage == 2) host.send_bytes(std::string("\x10\0", 2));
    if (stage == 3) host.send_bytes(std::string("\x10\0\0\0{\"id\"", 9));
    host.close_input();
    REQUIRE(host.wait() == 0);
  }
}

TEST_CASE("the host leaves although nobody reads its output", "[host]") {
  Folder home;
  write_file(home / "Shadegrad/big.bin", "");
  fs::resize_file(home / "Shadegrad/big.bin", 1u << 30);
  Program host(home.path());
  host.hello();
  for (int id = 1; id <= 8; ++id)
    host.send({{"id", id}, {"type", "dataset.read"}, {"path", "Shadegrad/big.bin"}, {"credits", 64}});
  for (int id = 100; id < 140; ++id) host.send({{"id", id}, {"type", "dataset.list"}, {"recursive", true}});
  // It has started to write, and now stands before a full pipe.
  REQUIRE(host.receive());
  host.close_input();
  REQUIRE(host.wait() == 0);
}

TEST_CASE("a browser that stops reading does not make the host grow", "[host]") {
  Folder home;
  write_file(home / "Shadegrad/big.bin", "");
  fs::resize_file(home / "Shadegrad/big.bin", 1u << 30);
  Program host(home.path());
  host.hello();
  for (int id = 1; id <= 8; ++id) {
    host.send({{"id", id}, {"type", "dataset.read"}, {"path", "Shadegrad/big.bin"}, {"credits", 64}});
    for (int i = 0; i < 15; ++i) host.send({{"id", id}, {"type", "flow.credit"}, {"frames", 63}});
  }
  REQUIRE(host.receive());
  // 8 GiB are asked for; what stands in the queue is bounded, at every moment of a stall. The sanitizers' own memory is
  // not the host's.
  usleep(3'000'000);
#if !defined(__SANITIZE_ADDRESS__)
  const std::size_t most = status_bytes(host.pid(), "VmHWM");
  REQUIRE(most > 0);
  REQUIRE(most < (64u << 20));
#endif
  // The end of the input is heard although output is blocked, and well before the browser would kill the host.
  host.close_input();
  REQUIRE(host.wait() == 0);
}

#if !defined(__SANITIZE_ADDRESS__)
TEST_CASE("a browser that asks without end and never reads is left, before the host has grown", "[host]") {
  Folder home;
  Program host(home.path());
  host.hello();
  // The smallest replies there are: each must cost little more than its bytes while it waits.
  std::string stream;
  for (int id = 1; id <= 1000; ++id)
    stream += sg::host::encode_frame("{\"id\":" + std::to_string(id) + ",\"type\":\"request.cancel\",\"target\":7}");
  std::size_t most = 0;
  for (int burst = 0; burst < 2000 && host.send_bytes(stream); ++burst)
    most = std::max(most, status_bytes(host.pid(), "VmHWM"));
  REQUIRE(host.wait() == 1);
  REQUIRE(most > (32u << 20));
  REQUIRE(most < (64u << 20));
}
#endif

TEST_CASE("a browser that goes away without closing the input ends the host too", "[host]") {
  Folder home;
  Program host(home.path());
  host.hello();
  host.close_output();
  host.send({{"id", 1}, {"type", "dataset.list"}});
  REQUIRE(host.wait() == 1);
}

TEST_CASE("what was received before the input ended is still done", "[host]") {
  Folder home;
  const std::string bytes = checkpoint("7");
  Program host(home.path());
  host.hello();
  host.send({{"id", 1}, {"type", "checkpoint.begin"}, {"name", "run/a.safetensors"}, {"size", bytes.size()}});
  host.send({{"id", 2}, {"type", "checkpoint.write"}, {"handle", 1}, {"sequence", 0}, {"bytes", base64(bytes)}});
  host.send({{"id", 3}, {"type", "checkpoint.commit"}, {"handle", 1}});
  host.close_input();
  for (int id = 1; id <= 3; ++id) REQUIRE((*host.receive())["id"] == id);
  REQUIRE_FALSE(host.receive());
  REQUIRE(host.wait() == 0);
  REQUIRE((read_file(home / "Shadegrad/checkpoints/run/a.safetensors") == bytes));
}

TEST_CASE("only frames are written to the output: nothing else in the host prints there", "[host]") {
  // receive() in every other test refuses bytes that are no frame; here the sources, where a stray print would stand.
  const std::regex print(R"re(std::cout|\bprintf|\bputs\(|\bputchar|fwrite|STDOUT_FILENO)re");
  for (const auto& entry : fs::directory_iterator(std::string(SG_SOURCE_DIR) + "/native_host")) {
    const auto name = entry.path().filename();
    if (name.extension() != ".cpp" && name.extension() != ".h") continue;
    const std::string text = read_file(entry.path());
    INFO(name);
    const auto hits = std::distance(std::sregex_iterator(text.begin(), text.end(), print), std::sregex_iterator());
    REQUIRE(hits == (name == "main.cpp" ? 2 : 0));  // the verbs' report, and the pipe given to the host
    if (name.stem() != "pipe") REQUIRE(text.find("<uv.h>") == std::string::npos);
  }
}

// The fence around the granted folders: hostile paths, links put in the way at every step, and messages that try to
// widen what was granted.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>
#include <thread>

#include "native_host/framing.h"
#include "native_host/grants.h"
#include "tests/native_host/fence.h"
#include "tests/native_host/program.h"

using namespace sg::test;
using sg::host::Failure;
using sg::host::Grants;
using sg::host::Places;
namespace fs = std::filesystem;

TEST_CASE("hostile paths open nothing", "[host]") {
  Fence fence;
  const auto paths = hostile_paths(fence.home.path());
  REQUIRE(std::set(paths.begin(), paths.end()).size() >= 300);
  for (const std::string& path : paths) {
    INFO(Json(path).dump(-1, ' ', true, Json::error_handler_t::replace).substr(0, 200));
    std::string code;
    try {
      fence.grants.open(path);
    } catch (const Failure& e) {
      code = e.code();
    }
    const bool refused = code == "path.refused" || code == "dataset.not_found" || code == "dataset.not_a_file";
    REQUIRE(refused);
  }
  REQUIRE(fence.grants.open("Shadegrad/sub/deep/plain.csv").status.st_size == 4);
  REQUIRE(fence.grants.open("Shadegrad/caf\xc3\xa9.csv").status.st_size == 4);
}

namespace {

/// Asks a running host for every hostile path in every way that there is to ask, and then for an honest one.
void refuse_by_name(Program& host, const Fence& fence) {
  host.hello();
  for (const char* type : {"dataset.read", "dataset.describe", "dataset.list"}) {
    for (const std::string& path : hostile_paths(fence.home.path())) {
      Json message{{"id", 4}, {"type", type}, {"path", path}};
      if (std::string(type) == "dataset.read") message["credits"] = 1;
      std::string text;
      try {
        text = message.dump();
      } catch (const Json::exception&) {
        // Not UTF-8, and so not even JSON; said all the same.
        message["path"] = "?";
        text = message.dump();
        text.replace(text.find("\"?\""), 3, "\"" + path + "\"");
        host.send_bytes(sg::host::encode_frame(text));
        REQUIRE((*host.receive())["code"] == "message.malformed");
        continue;
      }
      const Json reply = host.ask(message);
      INFO(text.substr(0, 200) << " -> " << reply.dump().substr(0, 300));
      REQUIRE(reply.dump().find(kSecret) == std::string::npos);
      if (std::string(type) == "dataset.list" && reply["ok"] == true) {
        REQUIRE((path == "Shadegrad" || path == "Shadegrad/sub"));
      } else {
        REQUIRE(reply["ok"] == false);
      }
    }
  }
  const auto code = [&](const std::string& path) {
    return host.ask({{"id", 4}, {"type", "dataset.read"}, {"path", "Shadegrad/" + path}, {"credits", 1}})["code"]
        .get<std::string>();
  };
  for (const char* path : {"link.txt", "sub/link.txt", "inner.csv", "itself.csv", "up/secret.txt",
                           "side/deep/plain.csv", "sub/way/plain.csv", "sub/deep/last.csv", "magic/etc/passwd", "cwd/x",
                           "exe", "zero", "tty", "loop", "fd", "../secret.txt", "./plain.csv"}) {
    INFO(path);
    REQUIRE(code(path) == "path.refused");
  }
  for (const char* path : {"fifo", "socket", "sub"}) REQUIRE(code(path) == "dataset.not_a_file");
  REQUIRE(
      host.ask({{"id", 5}, {"type", "dataset.read"}, {"path", "Shadegrad/sub/deep/plain.csv"}, {"credits", 1}})["ok"] ==
      true);
  REQUIRE(receive_stream(host, 5).bytes == "a,b\n");
}

}  // namespace

TEST_CASE("the program refuses hostile paths by name and goes on", "[host]") {
  Fence fence;
  Program host(fence.home.path());
  refuse_by_name(host, fence);
}

#if !defined(__SANITIZE_ADDRESS__)
TEST_CASE("the program refuses hostile paths on a kernel without openat2 too", "[host]") {
  Fence fence;
  const std::string trace = fence.home / "trace";
  std::vector<std::string> arguments{
      "-f",           "--seccomp-bpf", "-qq", "-o", trace, "-e", "trace=openat2", "-e", "inject=openat2:error=ENOSYS",
      SG_HOST_PROGRAM};
  for (const std::string& a : chromium_arguments()) arguments.push_back(a);
  Program host = Program::of("/usr/bin/strace", fence.home.path(), arguments);
  refuse_by_name(host, fence);
  host.close_input();
  REQUIRE(host.wait() == 0);
  const std::string calls = read_file(trace);
  REQUIRE(calls.find("(INJECTED)") != std::string::npos);
  REQUIRE(calls.find(" = 0") == std::string::npos);
}
#endif

TEST_CASE("kernels without openat2 get the same answers, step by step", "[host]") {
  Fence fence;
  const auto root = sg::host::open_folder(fence.root);
  const auto error_of = [&](const auto& open, const std::string& path) {
    try {
      open(root.get(), path, O_RDONLY | O_NONBLOCK);
    } catch (const std::system_error& e) {
      return e.code().value();
    }
    return 0;
  };
  for (const char* path : {"plain.csv", "sub/deep/plain.csv", "link.txt", "sub/link.txt", "up/secret.txt",
                           "side/deep/plain.csv", "magic/etc/passwd", "zero", "loop", "loop/x", "none", "none/x",
                           "plain.csv/x", "socket", "sub/../../secret.txt"}) {
    INFO(path);
    REQUIRE(error_of(sg::host::open_beneath_by_steps, path) == error_of(sg::host::open_beneath, path));
  }
  REQUIRE(error_of(sg::host::open_beneath_by_steps, "../secret.txt") == EXDEV);
  REQUIRE(error_of(sg::host::open_beneath_by_steps, "") == EXDEV);
}

namespace {

/// Exchanges a folder on the way with a link to one outside, where a file of the same name lies, all the time.
class Swapper {
 public:
  explicit Swapper(const Fence& fence) : a_(fence.root + "/sub"), b_(fence.root + "/trap") {
    write_file(fence.home / "outside/deep/plain.csv", kSecret);
    fs::create_directory_symlink(fence.home / "outside", b_);
    thread_ = std::thread([this] {
      while (!done_)
        swaps_ += syscall(SYS_renameat2, AT_FDCWD, a_.c_str(), AT_FDCWD, b_.c_str(), 2 /* RENAME_EXCHANGE */) == 0;
    });
  }
  ~Swapper() {
    done_ = true;
    thread_.join();
  }
  int swaps() const { return swaps_; }

 private:
  std::string a_, b_;
  std::atomic<bool> done_{false};
  std::atomic<int> swaps_{0};
  std::thread thread_;
};

}  // namespace

TEST_CASE("a folder that turns into a link and back never lets a read escape", "[host]") {
  Fence fence;
  int opened = 0, escaped = 0;
  const auto root = sg::host::open_folder(fence.root);
  const Swapper swapper(fence);
  for (int i = 0; i < 10'000 || swapper.swaps() < 10'000; ++i) {
    try {
      sg::host::Fd file = i % 2 ? sg::host::open_beneath(root.get(), "sub/deep/plain.csv", O_RDONLY)
                                : sg::host::open_beneath_by_steps(root.get(), "sub/deep/plain.csv", O_RDONLY);
      char bytes[64];
      const ssize_t n = pread(file.get(), bytes, sizeof bytes, 0);
      ++opened;
      escaped += n != 4;
    } catch (const std::system_error&) {
      // Refused: it was the link.
    }
  }
  REQUIRE(escaped == 0);
  REQUIRE(opened > 0);
}

TEST_CASE("the program reads a file or refuses while the folder on its way is exchanged ten thousand times", "[host]") {
  Fence fence;
  Program host(fence.home.path());
  host.hello();
  int read = 0, refused = 0;
  const Swapper swapper(fence);
  for (int i = 0; i < 500 || swapper.swaps() < 10'000; ++i) {
    const Json reply =
        host.ask({{"id", 1}, {"type", "dataset.read"}, {"path", "Shadegrad/sub/deep/plain.csv"}, {"credits", 1}});
    if (reply["ok"] == true) {
      const std::string bytes = receive_stream(host, 1, 0).bytes;
      REQUIRE((bytes.empty() || bytes == "a,b\n"));
      read += bytes == "a,b\n";
    } else {
      REQUIRE(reply["code"] == "path.refused");
      ++refused;
    }
  }
  REQUIRE(read > 0);
  REQUIRE(refused > 0);
}

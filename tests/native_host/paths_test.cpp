// The fence around the granted folders: hostile paths, links put in the way at every step, and messages that try to
// widen what was granted.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <thread>

#include "native_host/grants.h"
#include "tests/native_host/program.h"

using namespace sg::test;
using sg::host::Failure;
using sg::host::Grants;
using sg::host::Places;
namespace fs = std::filesystem;

namespace {

constexpr const char* kSecret = "the secret outside the granted folder";

/// A granted folder with a secret beside it, and every kind of thing that is no plain file.
struct Fence {
  Folder home;
  Places places{home.path(), home.path() + "/.config"};
  Grants grants{places};
  std::string root = home / "Shadegrad";

  Fence() {
    write_file(home / "secret.txt", kSecret);
    write_file(root + "/plain.csv", "a,b\n");
    write_file(root + "/sub/deep/plain.csv", "a,b\n");
    write_file(root + "/.hidden/plain.csv", "a,b\n");
    fs::create_symlink("../secret.txt", root + "/link.txt");
    fs::create_symlink(home / "secret.txt", root + "/sub/link.txt");
    fs::create_symlink("plain.csv", root + "/inner.csv");
    fs::create_directory_symlink("..", root + "/up");
    fs::create_directory_symlink("sub", root + "/side");
    fs::create_directory_symlink("/proc/self/root", root + "/magic");
    fs::create_symlink("/dev/zero", root + "/zero");
    fs::create_symlink("loop", root + "/loop");
    fs::create_symlink("/proc/self/fd/0", root + "/fd");
    mkfifo((root + "/fifo").c_str(), 0600);
    const int s = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{AF_UNIX, {}};
    (root + "/socket").copy(address.sun_path, sizeof address.sun_path - 1);
    if (bind(s, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) throw std::runtime_error("bind");
    close(s);
  }
};

std::vector<std::string> hostile_paths(const std::string& home) {
  using namespace std::string_literals;
  std::vector<std::string> all;
  // What a root's name may be followed by, and what may stand in its place.
  for (const std::string& rest : {".."s,
                                  "../secret.txt"s,
                                  "../../etc/passwd"s,
                                  "sub/../../secret.txt"s,
                                  "sub/../plain.csv"s,
                                  "./plain.csv"s,
                                  "."s,
                                  "sub/."s,
                                  "sub/.."s,
                                  ""s,
                                  "/"s,
                                  "/plain.csv"s,
                                  "sub//deep/plain.csv"s,
                                  "plain.csv/"s,
                                  "sub/"s,
                                  "link.txt"s,
                                  "sub/link.txt"s,
                                  "inner.csv"s,
                                  "up/secret.txt"s,
                                  "up/Shadegrad/plain.csv"s,
                                  "side/deep/plain.csv"s,
                                  "magic/etc/passwd"s,
                                  "zero"s,
                                  "loop"s,
                                  "loop/x"s,
                                  "fd"s,
                                  "fifo"s,
                                  "socket"s,
                                  "sub"s,
                                  ".hidden/plain.csv"s,
                                  ".hidden"s,
                                  "sub/.x"s,
                                  "plain.csv\0"s,
                                  "plain.csv\0.csv"s,
                                  "\0"s,
                                  "sub\0/../../secret.txt"s,
                                  "pl\nain.csv"s,
                                  "plain.csv\r"s,
                                  "\x7f"s,
                                  "\x1b[2J"s,
                                  "\xff"s,
                                  "\xc0\xae\xc0\xae/secret.txt"s,
                                  "\xed\xa0\x80"s,
                                  "..\xc0\xaf"s,
                                  "...."s,
                                  "..;/secret.txt"s,
                                  "%2e%2e/secret.txt"s,
                                  "..%2fsecret.txt"s,
                                  "..\\secret.txt"s,
                                  "sub\\..\\..\\secret.txt"s,
                                  "\\\\?\\C:\\x"s,
                                  "\\\\server\\share"s,
                                  "CON"s,
                                  "NUL"s,
                                  "plain.csv."s,
                                  "plain.csv "s,
                                  " plain.csv"s,
                                  "PLAIN.CSV"s,
                                  "plain.csv:stream"s,
                                  "plain.csv/x"s,
                                  "~"s,
                                  "~/secret.txt"s,
                                  "$HOME/secret.txt"s,
                                  "`id`"s,
                                  "-rf"s,
                                  "*"s,
                                  "?lain.csv"s,
                                  "{plain,secret}.csv"s,
                                  "plain.csv;id"s,
                                  "|id"s,
                                  "\xef\xbc\x8e\xef\xbc\x8e/secret.txt"s,
                                  "\xe2\x80\xae"
                                  "vsc.nialp"s,
                                  "\xcc\x81plain.csv"s,
                                  "e\xcc\x81.csv"s,
                                  std::string(256, 'a'),
                                  std::string(5000, 'a'),
                                  "a/" + std::string(255, 'b'),
                                  "sub/" + std::string(4096, '/') + "x"}) {
    all.push_back("Shadegrad/" + rest);
  }
  for (const std::string& path : {""s,
                                  "/"s,
                                  "//"s,
                                  "."s,
                                  ".."s,
                                  "../secret.txt"s,
                                  "/etc/passwd"s,
                                  home + "/secret.txt",
                                  home + "/Shadegrad/plain.csv",
                                  "Shadegrad"s,
                                  "shadegrad/plain.csv"s,
                                  "Shadegrad\0/plain.csv"s,
                                  " Shadegrad/plain.csv"s,
                                  "Shadegrad /plain.csv"s,
                                  "./Shadegrad/plain.csv"s,
                                  "Shadegrad/../Shadegrad/plain.csv"s,
                                  "file:///etc/passwd"s,
                                  "http://127.0.0.1/"s,
                                  "Nowhere/plain.csv"s,
                                  "proc/self/environ"s,
                                  "/proc/self/root/etc/passwd"s,
                                  "dev/zero"s,
                                  "/dev/zero"s,
                                  "/dev/stdin"s,
                                  "C:\\Windows"s,
                                  "\\etc\\passwd"s,
                                  "-"s,
                                  "~root/.bashrc"s,
                                  "Shadegrad:plain.csv"s,
                                  "Shadegrad//"s,
                                  "/Shadegrad/plain.csv"s,
                                  std::string(4097, 'a'),
                                  std::string(8000, '/'),
                                  "Shadegrad" + std::string(2000, '/') + "plain.csv",
                                  [] {
                                    std::string deep = "Shadegrad";
                                    for (int i = 0; i < 1500; ++i) deep += "/..";
                                    return deep + "/etc/passwd";
                                  }()}) {
    all.push_back(path);
  }
  return all;
}

}  // namespace

TEST_CASE("hostile paths open nothing", "[host]") {
  Fence fence;
  const auto paths = hostile_paths(fence.home.path());
  REQUIRE(paths.size() >= 100);
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
}

TEST_CASE("the program refuses hostile paths by name and goes on", "[host]") {
  Fence fence;
  Program host(fence.home.path());
  host.hello();
  for (const char* type : {"dataset.read", "dataset.describe", "dataset.list"}) {
    for (const std::string& path : hostile_paths(fence.home.path())) {
      Json message{{"id", 4}, {"type", type}, {"path", path}};
      if (std::string(type) == "dataset.read") message["credits"] = 1;
      std::string text;
      try {
        text = message.dump();
      } catch (const Json::exception&) {
        continue;  // not UTF-8: not even JSON, so it can't be said
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
  for (const char* path : {"link.txt", "sub/link.txt", "inner.csv", "up/secret.txt", "side/deep/plain.csv",
                           "magic/etc/passwd", "zero", "loop", "fd", "../secret.txt", "./plain.csv"}) {
    REQUIRE(code(path) == "path.refused");
  }
  for (const char* path : {"fifo", "socket", "sub"}) REQUIRE(code(path) == "dataset.not_a_file");
  REQUIRE(host.hello()["ok"] == true);
}

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

TEST_CASE("a folder that turns into a link and back never lets a read escape", "[host]") {
  Fence fence;
  // Outside lies a file with the name of the inner one; the folder on the way is exchanged all the time.
  write_file(fence.home / "outside/deep/plain.csv", kSecret);
  fs::create_directory_symlink(fence.home / "outside", fence.root + "/trap");
  std::atomic<bool> done{false};
  std::thread swapper([&] {
    const std::string a = fence.root + "/sub", b = fence.root + "/trap";
    while (!done) syscall(SYS_renameat2, AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), 2 /* RENAME_EXCHANGE */);
  });
  int opened = 0, refused = 0, escaped = 0;
  const auto root = sg::host::open_folder(fence.root);
  for (int i = 0; i < 10'000; ++i) {
    try {
      sg::host::Fd file = i % 2 ? sg::host::open_beneath(root.get(), "sub/deep/plain.csv", O_RDONLY)
                                : sg::host::open_beneath_by_steps(root.get(), "sub/deep/plain.csv", O_RDONLY);
      char bytes[64];
      const ssize_t n = pread(file.get(), bytes, sizeof bytes, 0);
      ++opened;
      escaped += n != 4;
    } catch (const std::system_error&) {
      ++refused;
    }
  }
  done = true;
  swapper.join();
  REQUIRE(escaped == 0);
  REQUIRE(opened + refused == 10'000);
  REQUIRE(opened > 0);
}

TEST_CASE("no message grants anything", "[host]") {
  Fence fence;
  fs::create_directories(fence.home / "other");
  write_file(fence.home / "other/x.csv", kSecret);
  Program host(fence.home.path());
  const Json before = host.hello()["roots"];
  const std::string other = fence.home / "other";
  long id = 10;
  for (const char* type : {"hello",
                           "dataset.list",
                           "dataset.describe",
                           "dataset.read",
                           "flow.credit",
                           "request.cancel",
                           "checkpoint.begin",
                           "checkpoint.write",
                           "checkpoint.commit",
                           "checkpoint.abort",
                           "checkpoint.list",
                           "checkpoint.read",
                           "checkpoint.remove",
                           "grant",
                           "grants",
                           "dataset.grant",
                           "roots.add",
                           "root.grant",
                           "install",
                           "settings.set"}) {
    for (const char* field :
         {"root", "roots", "grant", "path", "folder", "name", "home", "config", "checkpoints", "argv", "HOME"}) {
      for (const Json& value : {Json(other), Json::array({other}), Json::array({{{"name", "other"}, {"path", other}}}),
                                Json{{"path", other}}, Json("../other"), Json("/")}) {
        host.send({{"id", ++id},
                   {"type", type},
                   {field, value},
                   {"credits", 1},
                   {"size", 10},
                   {"protocol", {{"min", 1}, {"max", 1}}},
                   {"extension", "0"}});
      }
    }
    REQUIRE(host.ask({{"id", ++id}, {"type", "dataset.list"}})["ok"] == true);
  }
  REQUIRE(host.hello()["roots"] == before);
  REQUIRE(host.ask({{"id", 5}, {"type", "dataset.read"}, {"path", "other/x.csv"}, {"credits", 1}})["code"] ==
          "dataset.not_found");
  REQUIRE_FALSE(exists(fence.places.grants()));
}

// The whole of what the host does, as the kernel sees it: a conversation under strace, in which every call after the
// process has locked itself is looked at.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "tests/native_host/program.h"

using namespace sg::test;
namespace fs = std::filesystem;

// The leak checker can't work under strace.
#if !defined(__SANITIZE_ADDRESS__)

namespace {

struct Call {
  std::string process, name, line;
};

/// The calls of the locked process and its threads after the lock, in a trace that knows other processes as well; fails
/// when there was no lock.
std::vector<Call> after_lock(const std::string& trace) {
  // "1234  openat(...) = 3"; of a call that another thread interrupts "openat(... <unfinished ...>" and, later,
  // "<... openat resumed>...) = 3".
  const std::regex pattern(R"re(^(\d+) +(?:<\.\.\. )?([a-z_0-9]+)(\(| resumed>).*?(?:= (-?\d+)[^=]*)?$)re");
  std::vector<Call> calls;
  std::set<std::string> own;
  std::istringstream lines(trace);
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (!std::regex_search(line, match, pattern)) continue;
    const std::string process = match[1], name = match[2];
    if (own.empty() && name == "prctl" && line.find("PR_SET_SECCOMP") != std::string::npos) {
      REQUIRE(match[4] == "0");
      own.insert(process);
    } else if (!own.empty()) {
      // A thread's first calls may stand before the end of the call that made it: they are sorted out below.
      if (own.count(process) && name == "clone" && match[4].matched) own.insert(match[4]);
      if (match[3] == "(") calls.push_back({process, name, line});
    }
  }
  REQUIRE_FALSE(own.empty());
  calls.erase(std::remove_if(calls.begin(), calls.end(), [&](const Call& c) { return own.count(c.process) == 0; }),
              calls.end());
  return calls;
}

void converse(Program& host, const std::string& home) {
  const std::string bytes = checkpoint("7"), name = "run/a.safetensors";
  REQUIRE(host.hello()["ok"] == true);
  REQUIRE(host.ask({{"id", 1}, {"type", "dataset.list"}, {"recursive", true}})["ok"] == true);
  REQUIRE(host.ask({{"id", 2}, {"type", "dataset.describe"}, {"path", "Shadegrad/x.csv"}})["ok"] == true);
  REQUIRE(host.ask({{"id", 3}, {"type", "dataset.read"}, {"path", "Shadegrad/x.csv"}, {"credits", 64}})["ok"] == true);
  receive_stream(host, 3);
  for (const char* path : {"Shadegrad/link", "Shadegrad/../x", "Shadegrad/none", "/etc/passwd"})
    REQUIRE(host.ask({{"id", 4}, {"type", "dataset.read"}, {"path", path}, {"credits", 1}})["ok"] == false);
  const Json handle = host.ask({{"id", 5}, {"type", "checkpoint.begin"}, {"name", name}, {"size", bytes.size()}});
  REQUIRE(handle["ok"] == true);
  REQUIRE(host.ask({{"id", 6},
                    {"type", "checkpoint.write"},
                    {"handle", handle["handle"]},
                    {"sequence", 0},
                    {"bytes", base64(bytes)}})["ok"] == true);
  REQUIRE(host.ask({{"id", 7}, {"type", "checkpoint.commit"}, {"handle", handle["handle"]}})["ok"] == true);
  REQUIRE(host.ask({{"id", 8}, {"type", "checkpoint.list"}})["checkpoints"].size() == 1);
  REQUIRE(host.ask({{"id", 9}, {"type", "checkpoint.read"}, {"name", name}, {"credits", 64}})["ok"] == true);
  receive_stream(host, 9);
  REQUIRE(host.ask({{"id", 10}, {"type", "checkpoint.remove"}, {"name", name}})["ok"] == true);
  const Json other = host.ask({{"id", 11}, {"type", "checkpoint.begin"}, {"name", name}, {"size", 10}});
  REQUIRE(host.ask({{"id", 12}, {"type", "checkpoint.abort"}, {"handle", other["handle"]}})["ok"] == true);
  // Last, so that this host ends by itself: it can't read what was granted since.
  REQUIRE(run_host(home, {"grant", home + "/data"}).status == 0);
  REQUIRE(host.ask({{"id", 13}, {"type", "dataset.list"}})["code"] == "host.restart");
}

}  // namespace

TEST_CASE("under strace the host starts no program, opens no socket, and opens only what it was granted", "[host]") {
  const std::string strace = "/usr/bin/strace";
  {
    INFO("strace is missing: packaging/setup.sh installs it");
    REQUIRE(exists(strace));
  }
  Folder home;
  write_file(home / "Shadegrad/x.csv", "a,b\n1,2\n");
  fs::create_symlink("/etc/passwd", home / "Shadegrad/link");
  fs::create_directories(home / "data");
  const std::string file = home / "trace";
  std::vector<std::string> arguments{"-f", "-qq", "-s", "4096", "-o", file, SG_HOST_PROGRAM};
  for (const std::string& a : chromium_arguments()) arguments.push_back(a);
  Program host = Program::of(strace, home.path(), arguments);
  converse(host, home.path());
  REQUIRE(host.wait() == 0);

  const std::vector<Call> calls = after_lock(read_file(file));
  REQUIRE(calls.size() > 200);
  const std::set<std::string> never{"execve",         "execveat", "fork",    "vfork",    "socket",
                                    "socketpair",     "connect",  "bind",    "listen",   "accept",
                                    "accept4",        "sendto",   "sendmsg", "recvfrom", "recvmsg",
                                    "ptrace",         "kill",     "mount",   "keyctl",   "process_vm_readv",
                                    "io_uring_setup", "unlink",   "rename",  "chmod",    "fchmod",
                                    "fchmodat",       "link",     "linkat",  "symlinkat"};
  const std::regex absolute(R"re(^[^"]*AT_FDCWD, "([^"]*)")re");
  int threads = 0, opened = 0;
  std::smatch match;
  for (const auto& [process, name, line] : calls) {
    INFO(line);
    REQUIRE(never.count(name) == 0);
    threads += (name == "clone" || name == "clone3") && line.find("CLONE_THREAD") != std::string::npos;
    // Nothing is tried that would be refused, but for the list of grants.
    REQUIRE(line.find("EPERM") == std::string::npos);
    if (name != "openat" || !std::regex_search(line, match, absolute)) continue;
    const std::string path = match[1];
    ++opened;
    // The C library counts processors for its memory, and libuv would keep a descriptor in reserve for accepting
    // connections, here or there: both do without.
    if (path.rfind("/sys/devices/system/cpu", 0) == 0 || path == "/proc/stat") continue;
    if (path == "/dev/null" || path == "/") continue;
    REQUIRE(path.rfind(home.path() + "/", 0) == 0);
  }
  REQUIRE(threads > 0);
  REQUIRE(opened > 10);
}

#endif

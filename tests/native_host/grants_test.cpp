// What the person grants and revokes, and how a host that runs meanwhile follows: it can gain no folder, so it says so
// and ends, and the next one has it.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>

#include "native_host/files.h"
#include "tests/native_host/program.h"

using namespace sg::test;
namespace fs = std::filesystem;

namespace {

Json describe(const std::string& path) { return {{"id", 5}, {"type", "dataset.describe"}, {"path", path}}; }

/// What a host that is started now says.
std::string code(const Folder& home, const std::string& path) {
  Program host(home.path());
  host.hello();
  return host.ask(describe(path)).value("code", "ok");
}

/// The host answers `message` with host.restart and ends, with nothing left to say.
void check_restart(Program& host, const Json& message) {
  INFO(message.dump());
  REQUIRE(host.ask(message).value("code", "ok") == "host.restart");
  REQUIRE_FALSE(host.receive());
  REQUIRE(host.wait() == 0);
}

}  // namespace

TEST_CASE("the person grants and revokes folders", "[host]") {
  Folder home;
  write_file(home / "data/x.csv", "a\n1\n");
  write_file(home / "more/data/y.csv", "a\n1\n");
  REQUIRE(code(home, "data/x.csv") == "dataset.not_found");
  REQUIRE(run_host(home.path(), {"grant", home / "data/"}).status == 0);
  REQUIRE(code(home, "data/x.csv") == "ok");
  REQUIRE(run_host(home.path(), {"grant", home / "more/data"}).out.find("'data-2'") != std::string::npos);
  REQUIRE(code(home, "data-2/y.csv") == "ok");
  REQUIRE(run_host(home.path(), {"grant", home / "data"}).out.find("already") != std::string::npos);
  REQUIRE(run_host(home.path(), {"grants"}).out.find("data-2\t" + (home / "more/data")) != std::string::npos);
  struct stat s {};
  REQUIRE(stat((home / ".config/shadegrad/grants.json").c_str(), &s) == 0);
  REQUIRE((s.st_mode & 0777) == 0600);
  REQUIRE(names(home / ".config/shadegrad") == std::vector<std::string>{"grants.json", "grants.lock"});
  REQUIRE(run_host(home.path(), {"revoke", home / "data"}).status == 0);
  REQUIRE(code(home, "data/x.csv") == "dataset.not_found");
  REQUIRE(run_host(home.path(), {"revoke", "data-2"}).status == 0);  // by the name that the list shows
  REQUIRE(code(home, "data-2/y.csv") == "dataset.not_found");
  for (const char* bad : {"/", "/proc", "/proc/self", "/dev/shm", "/dev/null", "/nowhere"}) {
    const Result r = run_host(home.path(), {"grant", bad});
    REQUIRE(r.status == 1);
    REQUIRE(r.err.rfind("shadegrad-host: ", 0) == 0);
  }
  REQUIRE(run_host(home.path(), {"revoke", "/nowhere"}).status == 1);
  REQUIRE(run_host(home.path(), {"grant"}).status == 2);
}

TEST_CASE("a change of the grants waits for one that is under way, and keeps it", "[host]") {
  Folder home;
  write_file(home / "secret/x.csv", "a\n1\n");
  write_file(home / "data/x.csv", "a\n1\n");
  REQUIRE(run_host(home.path(), {"grant", home / "secret"}).status == 0);
  const std::string list = home / ".config/shadegrad/grants.json";
  sg::host::Fd held(open((home / ".config/shadegrad/grants.lock").c_str(), O_RDWR | O_CLOEXEC));
  REQUIRE(flock(held.get(), LOCK_EX) == 0);
  struct stat s {};
  REQUIRE(fstat(held.get(), &s) == 0);
  auto granted = std::async(std::launch::async, [&] { return run_host(home.path(), {"grant", home / "data"}); });
  const auto waits = [&] {
    std::ifstream locks("/proc/locks");
    for (std::string line; std::getline(locks, line);)
      if (line.find("->") != std::string::npos && line.find(":" + std::to_string(s.st_ino) + " ") != std::string::npos)
        return true;
    return false;
  };
  // One that does not wait has ended.
  bool waiting = false;
  for (int tries = 0; tries < 5000 && !(waiting = waits()); ++tries)
    if (granted.wait_for(std::chrono::milliseconds(2)) == std::future_status::ready) break;
  CHECK(waiting);
  Json all = Json::parse(std::ifstream(list));
  Json& roots = all["roots"];
  roots.erase(std::find_if(roots.begin(), roots.end(), [](const Json& r) { return r["name"] == "secret"; }));
  std::ofstream(list) << all;
  held.reset();
  REQUIRE(granted.get().status == 0);
  CHECK(code(home, "data/x.csv") == "ok");
  CHECK(code(home, "secret/x.csv") == "dataset.not_found");
}

TEST_CASE("a list of grants that others could have written, or that is damaged, is not believed", "[host]") {
  Folder home;
  const std::string list = home / ".config/shadegrad/grants.json";
  write_file(home / "data/x.csv", "a\n1\n");
  REQUIRE(run_host(home.path(), {"grant", home / "data"}).status == 0);
  const std::string good = read_file(list);
  Program running(home.path());
  running.hello();
  const auto both = [&](const std::string& expected) {
    REQUIRE(running.ask(describe("data/x.csv")).value("code", "ok") == expected);
    REQUIRE(code(home, "data/x.csv") == expected);
  };
  both("ok");
  chmod(list.c_str(), 0666);
  both("grants.invalid");
  chmod(list.c_str(), 0600);
  for (const char* bad :
       {"", "{", "[]", "{\"roots\":{}}", "{\"roots\":[{\"name\":\"x\"}]}",
        "{\"roots\":[{\"name\":\"../x\",\"path\":\"/\"}]}", "{\"roots\":[{\"name\":\"x\",\"path\":\"relative\"}]}",
        "{\"roots\":[{\"name\":\"x\",\"path\":\"/tmp\",\"file\":1}]}", "{\"roots\":[],\"checkpoints\":7}",
        "{\"roots\":[],\"datasets\":\"here\"}"}) {
    write_file(list, bad);
    both("grants.invalid");
  }
  // Mended, the running host goes on: it is what it was locked to.
  write_file(list, good);
  both("ok");
  // A host that found the list damaged can't go on when it is mended.
  write_file(list, "{");
  Program blind(home.path());
  REQUIRE(blind.hello()["code"] == "grants.invalid");
  write_file(list, good);
  check_restart(blind, {{"id", 1}, {"type", "hello"}, {"protocol", {{"min", 1}, {"max", 1}}}, {"extension", "1"}});
  both("ok");
}

TEST_CASE("a running host ends when what is granted has changed, whatever it is asked", "[host]") {
  const std::string path = "Shadegrad/x.csv", name = "run/a.safetensors";
  const std::vector<Json> messages{
      {{"type", "hello"}, {"protocol", {{"min", 1}, {"max", 1}}}, {"extension", "1"}},
      {{"type", "dataset.list"}},
      {{"type", "dataset.list"}, {"path", "Shadegrad"}},
      {{"type", "dataset.describe"}, {"path", path}},
      {{"type", "dataset.read"}, {"path", path}, {"credits", 1}},
      {{"type", "checkpoint.begin"}, {"name", name}, {"size", 10}},
      {{"type", "checkpoint.list"}},
      {{"type", "checkpoint.read"}, {"name", name}, {"credits", 1}},
      {{"type", "checkpoint.remove"}, {"name", name}},
  };
  for (Json message : messages) {
    message["id"] = 5;
    Folder home;
    write_file(home / "Shadegrad/x.csv", "a\n1\n");
    fs::create_directories(home / "data");
    Program host(home.path());
    REQUIRE(host.hello()["ok"] == true);
    REQUIRE(run_host(home.path(), {"grant", home / "data"}).status == 0);
    check_restart(host, message);
    REQUIRE(code(home, path) == "ok");
  }
}

TEST_CASE("a running host ends for a folder that comes, not for one that goes", "[host]") {
  Folder home;
  write_file(home / "data/x.csv", "a\n1\n");
  REQUIRE(run_host(home.path(), {"grant", home / "data"}).status == 0);
  fs::rename(home / "data", home / "elsewhere");
  Program host(home.path());
  REQUIRE(host.hello()["roots"][1]["available"] == false);
  REQUIRE(host.ask(describe("data/x.csv"))["code"] == "dataset.not_found");
  fs::rename(home / "elsewhere", home / "data");
  check_restart(host, describe("data/x.csv"));

  Program next(home.path());
  REQUIRE(next.hello()["roots"][1]["available"] == true);
  fs::rename(home / "data", home / "elsewhere");
  REQUIRE(next.ask(describe("data/x.csv"))["code"] == "dataset.not_found");
  REQUIRE(next.hello()["roots"][1]["available"] == false);
  // Another folder under the same name is another folder.
  write_file(home / "data/x.csv", "b\n1\n");
  check_restart(next, {{"id", 6}, {"type", "dataset.list"}});
}

TEST_CASE("a running host ends when its own folder was taken away, and the next makes it anew", "[host]") {
  Folder home;
  const Json begin{{"id", 5}, {"type", "checkpoint.begin"}, {"name", "run/a.safetensors"}, {"size", 10}};
  for (const char* folder : {"Shadegrad/checkpoints", "Shadegrad/datasets", "Shadegrad"}) {
    Program host(home.path());
    host.hello();
    REQUIRE(exists(home / "Shadegrad/datasets"));
    fs::remove_all(home / folder);
    check_restart(host, begin);
    Program next(home.path());
    next.hello();
    REQUIRE(next.ask(begin)["ok"] == true);
  }
}

TEST_CASE("a save that is open when the grants change leaves the old checkpoint and nothing else", "[host]") {
  Folder home;
  fs::create_directories(home / "data");
  const std::string bytes = checkpoint("7"), folder = home / "Shadegrad/checkpoints";
  write_file(folder + "/run/a.safetensors", "old");
  Program host(home.path());
  host.hello();
  const Json handle = host.ask(
      {{"id", 1}, {"type", "checkpoint.begin"}, {"name", "run/a.safetensors"}, {"size", bytes.size()}})["handle"];
  host.ask({{"id", 2}, {"type", "checkpoint.write"}, {"handle", handle}, {"sequence", 0}, {"bytes", base64(bytes)}});
  REQUIRE(names(folder + "/run").size() == 2);
  REQUIRE(run_host(home.path(), {"grant", home / "data"}).status == 0);
  check_restart(host, {{"id", 3}, {"type", "dataset.list"}});
  REQUIRE(names(folder + "/run") == std::vector<std::string>{"a.safetensors"});
  REQUIRE(read_file(folder + "/run/a.safetensors") == "old");
}

TEST_CASE("the list of grants may be a link, and its folder may come later", "[host]") {
  Folder home;
  write_file(home / "data/x.csv", "a\n1\n");
  write_file(home / "dotfiles/grants.json", "{\"roots\":[{\"name\":\"data\",\"path\":\"" + (home / "data") + "\"}]}");
  chmod((home / "dotfiles/grants.json").c_str(), 0600);
  Program host(home.path());
  REQUIRE(host.hello()["roots"].size() == 1);
  fs::create_directories(home / ".config/shadegrad");
  fs::create_symlink(home / "dotfiles/grants.json", home / ".config/shadegrad/grants.json");
  check_restart(host, {{"id", 1}, {"type", "dataset.list"}});
  Program next(home.path());
  REQUIRE(next.hello()["roots"][0]["name"] == "data");
  REQUIRE(next.ask(describe("data/x.csv"))["ok"] == true);
}

TEST_CASE("no message adds or widens a root, names a program, or changes a file beyond the host's own folders",
          "[host]") {
  Folder home;
  write_file(home / "data/x.csv", "a\n1\n");
  write_file(home / "other/x.csv", "secret");
  REQUIRE(run_host(home.path(), {"grant", home / "data"}).status == 0);
  const std::string list = home / ".config/shadegrad/grants.json", before = read_file(list), other = home / "other";
  Program host(home.path());
  const Json roots = host.hello()["roots"];
  const std::vector<const char*> types{"hello",
                                       "dataset.list",
                                       "dataset.describe",
                                       "dataset.read",
                                       "dataset.import",
                                       "dataset.grant",
                                       "dataset.write",
                                       "dataset.root",
                                       "flow.credit",
                                       "request.cancel",
                                       "checkpoint.begin",
                                       "checkpoint.write",
                                       "checkpoint.commit",
                                       "checkpoint.abort",
                                       "checkpoint.list",
                                       "checkpoint.read",
                                       "checkpoint.remove",
                                       "checkpoint.move",
                                       "checkpoint.folder",
                                       "grant",
                                       "grants",
                                       "grants.set",
                                       "grants.add",
                                       "root.add",
                                       "root.grant",
                                       "roots.add",
                                       "roots.set",
                                       "roots",
                                       "revoke",
                                       "settings.set",
                                       "config.set",
                                       "install",
                                       "uninstall",
                                       "doctor",
                                       "update",
                                       "run",
                                       "exec",
                                       "spawn",
                                       "shell",
                                       "open",
                                       "eval",
                                       "file.read",
                                       "file.write",
                                       "fs.open",
                                       "folder.add",
                                       "path.allow",
                                       "host.restart",
                                       "host.exec",
                                       "constructor",
                                       "__proto__"};
  const std::vector<const char*> fields{"root",   "roots",   "grant",   "grants",    "path",        "paths",
                                        "folder", "name",    "home",    "config",    "checkpoints", "datasets",
                                        "argv",   "program", "command", "arguments", "env",         "HOME"};
  const std::vector<Json> values{other,
                                 Json::array({other}),
                                 Json::array({{{"name", "other"}, {"path", other}}}),
                                 {{"name", "other"}, {"path", other}},
                                 "../other",
                                 "/",
                                 "/bin/sh",
                                 Json::array({"/bin/sh", "-c", "touch " + (home / "touched")})};
  REQUIRE(types.size() == 50);
  long id = 10;
  for (const char* type : types) {
    for (const char* field : fields) {
      for (const Json& value : values) {
        Json message{{"id", ++id}, {"type", type}, {"credits", 1}, {"size", 10}, {"extension", "0"}};
        message["protocol"] = {{"min", 1}, {"max", 1}};
        message[field] = value;
        REQUIRE(host.ask(message)["id"] == id);
        // As small as a message can be, too: then the field alone decides.
        ++id;
        REQUIRE(host.ask({{"id", id}, {"type", type}, {field, value}})["id"] == id);
      }
    }
  }
  REQUIRE(host.hello()["roots"] == roots);
  REQUIRE(host.ask({{"id", 5}, {"type", "dataset.read"}, {"path", "other/x.csv"}, {"credits", 1}})["code"] ==
          "dataset.not_found");
  REQUIRE(read_file(list) == before);
  REQUIRE(names(home.path()) == std::vector<std::string>{".config", "Shadegrad", "data", "other"});
  REQUIRE(names(home / "other") == std::vector<std::string>{"x.csv"});
  REQUIRE(names(home / ".config/shadegrad") == std::vector<std::string>{"grants.json", "grants.lock"});
}

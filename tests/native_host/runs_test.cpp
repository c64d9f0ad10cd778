// Runs: a folder each, with what the person says of it, that goes wherever it is copied to and goes away as a whole.
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/native_host/saves.h"

using namespace sg::test;
namespace fs = std::filesystem;

namespace {

Json describe(const std::string& run, const std::string& name, const std::string& note) {
  return {{"id", 1}, {"type", "run.describe"}, {"run", run}, {"name", name}, {"note", note}};
}

Json remove_run(const std::string& run) { return {{"id", 1}, {"type", "run.remove"}, {"run", run}}; }

Json remove_checkpoint(const std::string& name) { return {{"id", 1}, {"type", "checkpoint.remove"}, {"name", name}}; }

std::vector<Json> runs(Program& host, int limit = 100) {
  std::vector<Json> all;
  Json cursor;
  do {
    Json request{{"id", 1}, {"type", "run.list"}, {"limit", limit}};
    if (!cursor.is_null()) request["cursor"] = cursor;
    const Json reply = host.ask(request);
    REQUIRE(reply["ok"] == true);
    for (const Json& run : reply["runs"]) all.push_back(run);
    cursor = reply["cursor"];
  } while (!cursor.is_null());
  return all;
}

Json checkpoints(Program& host) { return host.ask({{"id", 1}, {"type", "checkpoint.list"}})["checkpoints"]; }

}  // namespace

TEST_CASE("a run has a name, a note and a size, and its folder is all that another machine needs", "[host]") {
  Setup s;
  REQUIRE(runs(s.host).empty());
  const std::string one = checkpoint("1", 1000), two = checkpoint("2", 2000);
  REQUIRE(save(s.host, "lstm/1.safetensors", one)["ok"] == true);
  REQUIRE(save(s.host, "lstm/2.safetensors", two)["ok"] == true);
  REQUIRE(save(s.host, "gru/1.safetensors", one)["ok"] == true);
  REQUIRE(runs(s.host)[1] ==
          Json{{"run", "lstm"}, {"name", ""}, {"note", ""}, {"size", one.size() + two.size()}, {"checkpoints", 2}});
  const std::string note = "first line\nsecond \"line\" \xc3\xa4 \x01";
  REQUIRE(s.host.ask(describe("lstm", "Load of the grid", note))["note"] == note);
  REQUIRE(names(s.folder + "/lstm") == std::vector<std::string>{"1.safetensors", "2.safetensors", "run.json"});
  struct stat status {};
  stat((s.folder + "/lstm/run.json").c_str(), &status);
  REQUIRE((status.st_mode & 0777) == 0600);

  Setup other;
  fs::create_directories(other.folder);
  fs::copy(s.folder + "/lstm", other.folder + "/lstm", fs::copy_options::recursive);
  const std::vector<Json> there = runs(other.host);
  REQUIRE(there.size() == 1);
  REQUIRE(there[0]["name"] == "Load of the grid");
  REQUIRE(there[0]["note"] == note);
  REQUIRE(checkpoints(other.host).size() == 2);
  other.host.ask({{"id", 7}, {"type", "checkpoint.read"}, {"name", "lstm/2.safetensors"}, {"credits", 2}});
  REQUIRE((receive_stream(other.host, 7).bytes == two));
}

TEST_CASE("names and notes that are too long, and runs that are none, are refused", "[host]") {
  Setup s;
  REQUIRE(save(s.host, "lstm/1.safetensors", checkpoint("1"))["ok"] == true);
  REQUIRE(s.host.ask(describe("lstm", std::string(401, 'x'), ""))["field"] == "name");
  REQUIRE(s.host.ask(describe("lstm", "", std::string(8001, 'x')))["field"] == "note");
  REQUIRE(s.host.ask(describe("lstm", std::string(400, 'x'), std::string(8000, 'x')))["ok"] == true);
  for (const std::string& run : std::vector<std::string>{"", ".", "..", ".lstm", "lstm/", "lstm/1.safetensors", "/lstm",
                                                         "../lstm", "nul", std::string(65, 'r')}) {
    CAPTURE(run);
    REQUIRE(s.host.ask(describe(run, "a", "b"))["code"] == "store.name_refused");
    REQUIRE(s.host.ask(remove_run(run))["code"] == "store.name_refused");
  }
  REQUIRE(s.host.ask(describe("gru", "a", "b"))["code"] == "store.not_found");
  REQUIRE(s.host.ask(remove_run("gru"))["code"] == "store.not_found");
  REQUIRE(s.all() == std::vector<std::string>{"lstm"});
}

TEST_CASE("runs are listed page by page, with the reason where one can't be read", "[host]") {
  Setup s;
  for (const char* run : {"a", "b", "c", "d", "e"})
    write_file(s.folder + "/" + run + "/1.safetensors", checkpoint("1"));
  write_file(s.folder + "/b/run.json", "{\"format\":\"shadegrad-run/1\",\"name\":\"x\",\"name\":\"y\",\"note\":\"\"}");
  write_file(s.folder + "/c/run.json", "{\"format\":\"shadegrad-run/9\",\"name\":\"x\",\"note\":\"\"}");
  write_file(s.folder + "/d/run.json", std::string(65'537, ' '));
  fs::create_symlink("/etc/hostname", s.folder + "/e/run.json");
  fs::create_symlink("a", s.folder + "/link");
  write_file(s.folder + "/file", "x");
  write_file(s.folder + "/.hidden/1.safetensors", checkpoint("1"));
  for (const int limit : {1, 2, 100}) {
    const std::vector<Json> all = runs(s.host, limit);
    REQUIRE(all.size() == 6);
    REQUIRE_FALSE(all[0].contains("reason"));
    for (const std::size_t i : {1, 2, 3, 4, 5}) {
      CAPTURE(all[i].dump());
      REQUIRE_FALSE(all[i]["reason"].get<std::string>().empty());
      REQUIRE(all[i]["name"] == "");
    }
    REQUIRE(all[5]["run"] == "link");
  }
  for (const char* run : {"b", "c", "d", "e"}) REQUIRE(s.host.ask(describe(run, "mended", ""))["ok"] == true);
  for (const std::size_t i : {1, 2, 3, 4}) REQUIRE(runs(s.host)[i]["name"] == "mended");
  REQUIRE(s.host.ask(describe("link", "a", ""))["ok"] == false);
  REQUIRE(s.host.ask(remove_run("link"))["ok"] == false);
  REQUIRE_FALSE(exists(s.folder + "/a/run.json"));
}

TEST_CASE("many long notes come in pages that fit a message", "[host]") {
  Setup s;
  // A control character takes six bytes in JSON: 100 such notes are 4.8 MB.
  const std::string note(8000, '\x01');
  for (int i = 100; i < 200; ++i) {
    const std::string run = "run-" + std::to_string(i);
    write_file(s.folder + "/" + run + "/1.safetensors", checkpoint("1"));
    REQUIRE(s.host.ask(describe(run, run, note))["ok"] == true);
  }
  const std::vector<Json> all = runs(s.host, 200);
  REQUIRE(all.size() == 100);
  for (int i = 0; i < 100; ++i) REQUIRE(all[static_cast<std::size_t>(i)]["name"] == "run-" + std::to_string(100 + i));
}

TEST_CASE("a run is removed as a whole, but for what is not of it", "[host]") {
  Setup s;
  REQUIRE(save(s.host, "lstm/1.safetensors", checkpoint("1"))["ok"] == true);
  REQUIRE(save(s.host, "lstm/2.safetensors", checkpoint("2"))["ok"] == true);
  REQUIRE(save(s.host, "gru/1.safetensors", checkpoint("1"))["ok"] == true);
  s.host.ask(describe("lstm", "a", "b"));
  write_file(s.folder + "/lstm/.partial-0123", "of a host that is gone");
  write_file(s.folder + "/gru/plot.png", "mine");

  const Json handle = s.host.ask(begin("lstm/3.safetensors", 10))["handle"];
  REQUIRE(s.host.ask(remove_run("lstm"))["code"] == "store.busy");
  REQUIRE(names(s.folder + "/lstm").size() == 5);
  REQUIRE(s.host.ask({{"id", 4}, {"type", "checkpoint.abort"}, {"handle", handle}})["ok"] == true);
  REQUIRE(s.host.ask(remove_run("lstm"))["left"] == false);
  REQUIRE(s.all() == std::vector<std::string>{"gru"});
  REQUIRE(s.host.ask(remove_run("gru"))["left"] == true);
  REQUIRE(names(s.folder + "/gru") == std::vector<std::string>{"plot.png"});
}

TEST_CASE("a save of another host in the run outlives the run's removal", "[host]") {
  Setup s;
  REQUIRE(save(s.host, "lstm/1.safetensors", checkpoint("1"))["ok"] == true);
  const std::string bytes = checkpoint("2");
  Program other(s.home.path());
  other.hello();
  const Json handle = other.ask(begin("lstm/2.safetensors", bytes.size()))["handle"];
  REQUIRE(s.host.ask(remove_run("lstm"))["left"] == true);
  other.ask(write(handle, 0, bytes));
  REQUIRE(other.ask(commit(handle))["ok"] == true);
  REQUIRE((read_file(s.folder + "/lstm/2.safetensors") == bytes));
}

TEST_CASE("a run's folder goes with the last of what is in it, and comes with the next save", "[host]") {
  Setup s;
  const std::string bytes = checkpoint("1");
  for (int round = 0; round < 2; ++round) {
    REQUIRE(save(s.host, "lstm/1.safetensors", bytes)["ok"] == true);
    REQUIRE(save(s.host, "lstm/2.safetensors", bytes)["ok"] == true);
    REQUIRE(s.host.ask(remove_checkpoint("lstm/1.safetensors"))["ok"] == true);
    REQUIRE(s.all() == std::vector<std::string>{"lstm"});
    REQUIRE(s.host.ask(remove_checkpoint("lstm/2.safetensors"))["ok"] == true);
    REQUIRE(s.all().empty());
  }
  // A save that comes to nothing leaves no folder; one in a run that has a name leaves that.
  Json handle = s.host.ask(begin("lstm/1.safetensors", 10))["handle"];
  REQUIRE(s.all() == std::vector<std::string>{"lstm"});
  s.host.ask({{"id", 4}, {"type", "checkpoint.abort"}, {"handle", handle}});
  REQUIRE(s.all().empty());
  save(s.host, "lstm/1.safetensors", bytes);
  s.host.ask(describe("lstm", "a", "b"));
  s.host.ask(remove_checkpoint("lstm/1.safetensors"));
  REQUIRE(names(s.folder + "/lstm") == std::vector<std::string>{"run.json"});
  REQUIRE(runs(s.host)[0]["checkpoints"] == 0);
}

TEST_CASE("the next host clears away what a dead one left, in every run's folder", "[host]") {
  Folder home;
  const std::string folder = home / "Shadegrad/checkpoints";
  {
    Program host(home.path());
    host.hello();
    REQUIRE(save(host, "lstm/1.safetensors", checkpoint("1"))["ok"] == true);
    for (const char* name : {"lstm/2.safetensors", "new/1.safetensors"})
      REQUIRE(host.ask(begin(name, 10))["ok"] == true);
    host.kill();
    host.wait();
  }
  write_file(folder + "/.partial-0", "x");
  fs::create_directories(folder + "/empty");
  REQUIRE(names(folder + "/lstm").size() == 2);
  REQUIRE(names(folder + "/new").size() == 1);
  Program next(home.path());
  next.hello();
  REQUIRE(checkpoints(next).size() == 1);
  REQUIRE(names(folder) == std::vector<std::string>{"lstm"});
  REQUIRE(names(folder + "/lstm") == std::vector<std::string>{"1.safetensors"});
}

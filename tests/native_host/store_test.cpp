// Checkpoints: a save is whole or not there, whatever ends it; the old file stands until then; and what lies in the
// folder is shown as it is.
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "io/safetensors.h"
#include "native_host/framing.h"
#include "tests/native_host/saves.h"

using namespace sg::test;
namespace fs = std::filesystem;

TEST_CASE("a checkpoint goes to the disk and comes back the same", "[host]") {
  Setup s;
  REQUIRE(s.host.ask({{"id", 9}, {"type", "checkpoint.list"}})["checkpoints"].empty());
  const std::string bytes = checkpoint("40", 200'000);
  const Json saved = save(s.host, "run/40.safetensors", bytes);
  INFO(saved.dump());
  REQUIRE(saved["ok"] == true);
  REQUIRE(saved["size"] == bytes.size());
  REQUIRE((read_file(s.folder + "/run/40.safetensors") == bytes));
  REQUIRE(s.all() == std::vector<std::string>{"run"});
  REQUIRE(names(s.folder + "/run") == std::vector<std::string>{"40.safetensors"});
  struct stat status {};
  stat((s.folder + "/run/40.safetensors").c_str(), &status);
  REQUIRE((status.st_mode & 0777) == 0600);
  stat((s.folder + "/run").c_str(), &status);
  REQUIRE((status.st_mode & 0777) == 0700);
  stat(s.folder.c_str(), &status);
  REQUIRE((status.st_mode & 0777) == 0700);

  const Json read =
      s.host.ask({{"id", 7}, {"type", "checkpoint.read"}, {"name", "run/40.safetensors"}, {"credits", 2}});
  REQUIRE(read["name"] == "run/40.safetensors");
  const Received got = receive_stream(s.host, 7);
  REQUIRE((got.bytes == bytes));
  REQUIRE(got.frames[0]["type"] == "checkpoint.data");
  REQUIRE(got.last["type"] == "checkpoint.end");
  REQUIRE(got.last["crc32c"] == checksum(bytes));

  // Saved again under the same name: replaced as a whole, by a new file.
  const auto old = fs::hard_link_count(s.folder + "/run/40.safetensors");
  fs::create_hard_link(s.folder + "/run/40.safetensors", s.home / "old");
  const std::string next = checkpoint("41", 10);
  REQUIRE(save(s.host, "run/40.safetensors", next)["ok"] == true);
  REQUIRE((read_file(s.home / "old") == bytes));
  REQUIRE((read_file(s.folder + "/run/40.safetensors") == next));
  REQUIRE(old == 1);

  REQUIRE(s.host.ask({{"id", 8}, {"type", "checkpoint.remove"}, {"name", "run/40.safetensors"}})["ok"] == true);
  REQUIRE(s.all().empty());
  for (const char* type : {"checkpoint.remove", "checkpoint.read"}) {
    Json message{{"id", 8}, {"type", type}, {"name", "run/40.safetensors"}};
    if (message["type"] == "checkpoint.read") message["credits"] = 1;
    REQUIRE(s.host.ask(message)["code"] == "store.not_found");
  }
}

namespace {

/// A file as the first days' versions wrote it: with a checksum, without hashes.
std::string old_format() {
  std::string header = "{\"__metadata__\":{\"crc32c\":\"00000000\",\"format\":\"shadegrad/1\"}}";
  return std::string(1, static_cast<char>(header.size())) + std::string(7, '\0') + header;
}

}  // namespace

TEST_CASE("checkpoints are listed newest first, with what they say of themselves, damaged ones too", "[host]") {
  Setup s;
  for (int i = 1; i <= 5; ++i) {
    const std::string file = s.folder + "/run-" + std::to_string(i % 2) + "/" + std::to_string(i) + ".safetensors";
    write_file(file, checkpoint(std::to_string(i)));
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(10 - i));
  }
  write_file(s.folder + "/run-0/torn.safetensors", checkpoint("9").substr(0, 60));
  write_file(s.folder + "/run-0/empty.safetensors", "");
  fs::create_symlink("1.safetensors", s.folder + "/run-1/link.safetensors");
  fs::create_directories(s.folder + "/run-1/folder.safetensors");
  write_file(s.folder + "/run-1/old.safetensors", old_format());
  // No checkpoints: hidden, of another kind, outside of a run, too deep, in a folder that is no run's or a link.
  for (const char* other : {"run-1/.partial-0123", "run-1/notes.txt", "run-2", "loose.safetensors",
                            ".hidden/1.safetensors", "a b/1.safetensors", "run-0/deeper/1.safetensors"})
    write_file(s.folder + "/" + other, checkpoint("1"));
  fs::create_symlink("run-0", s.folder + "/linked");
  std::vector<Json> seen;
  Json cursor;
  do {
    Json request{{"id", 1}, {"type", "checkpoint.list"}, {"limit", 4}};
    if (!cursor.is_null()) request["cursor"] = cursor;
    const Json reply = s.host.ask(request);
    REQUIRE(reply["folder"] == s.folder);
    for (const Json& c : reply["checkpoints"]) seen.push_back(c);
    cursor = reply["cursor"];
  } while (!cursor.is_null());
  REQUIRE(seen.size() == 10);
  std::vector<std::string> good;
  for (const Json& c : seen) {
    if (c["ok"] == true) {
      good.push_back(c["name"]);
      REQUIRE(c["metadata"]["format"] == "shadegrad/2");
    } else {
      REQUIRE_FALSE(c["reason"].get<std::string>().empty());
      if (c["name"] == "run-1/old.safetensors")
        REQUIRE_THAT(c["reason"].get<std::string>(), Catch::Contains("shadegrad/1"));
    }
  }
  REQUIRE(good == std::vector<std::string>{"run-1/5.safetensors", "run-0/4.safetensors", "run-1/3.safetensors",
                                           "run-0/2.safetensors", "run-1/1.safetensors"});
}

TEST_CASE("a long history does not hide what else a checkpoint says of itself", "[host]") {
  Setup s;
  const auto file = sg::write_safetensors({}, {{"history", std::string(100'000, 'x')}, {"state", "{\"step\":7}"}});
  write_file(s.folder + "/run/7.safetensors", {file.begin(), file.end()});
  const Json c = s.host.ask({{"id", 1}, {"type", "checkpoint.list"}})["checkpoints"][0];
  REQUIRE(c["metadata"]["state"] == "{\"step\":7}");
  REQUIRE(c["omitted"] == Json::array({"history"}));
}

TEST_CASE("names and orders that make no save are refused, and leave nothing", "[host]") {
  Setup s;
  const std::string ending = ".safetensors";
  std::vector<std::string> refused{"",
                                   ".safetensors",
                                   "a.safetensors",
                                   "run/.safetensors",
                                   "run/.a.safetensors",
                                   "run/a",
                                   "run/a.bin",
                                   "run/a.SAFETENSORS",
                                   "run/a.safetensors/",
                                   "run//a.safetensors",
                                   "run/deeper/a.safetensors",
                                   "../a.safetensors",
                                   "./a.safetensors",
                                   "run/../a.safetensors",
                                   "/a.safetensors",
                                   "/run/a.safetensors",
                                   ".run/a.safetensors",
                                   "run./a.safetensors",
                                   "run\\a.safetensors",
                                   "run/a b.safetensors",
                                   "r n/a.safetensors",
                                   "run/a\n.safetensors",
                                   "run/a:b.safetensors",
                                   "run/\xc3\xa9.safetensors",
                                   "run/.partial-1.safetensors",
                                   "con/a.safetensors",
                                   "NUL.x/a.safetensors",
                                   "run/Aux.safetensors",
                                   "run/com1.b.safetensors",
                                   "lpt9/a.safetensors",
                                   "run/" + std::string(89, 'a') + ending,
                                   std::string(65, 'r') + "/a" + ending};
  for (const std::string& name : refused) {
    CAPTURE(name);
    REQUIRE(s.host.ask(begin(name, 10))["code"] == "store.name_refused");
    REQUIRE(s.host.ask({{"id", 8}, {"type", "checkpoint.remove"}, {"name", name}})["code"] == "store.name_refused");
    REQUIRE(s.host.ask({{"id", 8}, {"type", "checkpoint.read"}, {"name", name}, {"credits", 1}})["code"] ==
            "store.name_refused");
  }
  for (const std::string name : {"con1/com.safetensors", "nuller/lpt10.safetensors", "-/_.safetensors"}) {
    const Json handle = s.host.ask(begin(name, 10))["handle"];
    REQUIRE(s.host.ask({{"id", 4}, {"type", "checkpoint.abort"}, {"handle", handle}})["ok"] == true);
  }
  const Json longest = s.host.ask(begin(std::string(64, 'r') + "/" + std::string(88, 'a') + ending, 10))["handle"];
  REQUIRE(s.host.ask({{"id", 4}, {"type", "checkpoint.abort"}, {"handle", longest}})["ok"] == true);
  const Json large = s.host.ask(begin("run/a.safetensors", (std::size_t{1} << 32) + 1));
  REQUIRE(large["code"] == "store.too_large");
  REQUIRE(large["most"] == std::size_t{1} << 32);
  REQUIRE(s.all().empty());
  const std::string bytes = checkpoint("1");
  const auto open = [&] { return s.host.ask(begin("run/a.safetensors", bytes.size()))["handle"]; };

  Json handle = open();
  REQUIRE(s.host.ask(begin("run/a.safetensors", 10))["code"] == "store.busy");
  REQUIRE(s.host.ask(write(handle, 1, bytes))["code"] == "store.out_of_order");
  REQUIRE(s.host.ask(write(handle, 0, bytes))["code"] == "store.no_handle");
  handle = open();
  REQUIRE(s.host.ask(write(handle, 0, bytes + "x"))["code"] == "store.out_of_order");
  handle = open();
  s.host.ask(write(handle, 0, bytes.substr(1)));
  REQUIRE(s.host.ask(commit(handle))["code"] == "store.incomplete");
  handle = open();
  std::string changed = bytes;
  changed.back() ^= 1;
  s.host.ask(write(handle, 0, changed));
  const Json damaged = s.host.ask(commit(handle));
  REQUIRE(damaged["code"] == "store.corrupt");
  REQUIRE_THAT(damaged["message"].get<std::string>(), Catch::Contains("'head.weight'"));
  handle = open();
  const std::string garbage = noise(bytes.size());
  s.host.ask(write(handle, 0, garbage));
  REQUIRE(s.host.ask(commit(handle))["code"] == "store.corrupt");
  handle = open();
  REQUIRE(s.host.ask({{"id", 4}, {"type", "checkpoint.abort"}, {"handle", handle}})["ok"] == true);
  REQUIRE(s.host.ask({{"id", 4}, {"type", "checkpoint.abort"}, {"handle", handle}})["code"] == "store.no_handle");
  REQUIRE(s.all().empty());

  for (int i = 0; i < 4; ++i)
    REQUIRE(s.host.ask(begin("run/n" + std::to_string(i) + ".safetensors", 10))["ok"] == true);
  REQUIRE(s.host.ask(begin("run/n5.safetensors", 10))["code"] == "store.busy");
  REQUIRE(s.host.ask({{"id", 1}, {"type", "checkpoint.list"}})["checkpoints"].empty());
  REQUIRE(names(s.folder + "/run").size() == 4);
  s.host.close_input();
  REQUIRE(s.host.wait() == 0);
  REQUIRE(s.all().empty());
}

TEST_CASE("more unanswered writes than the window end the save", "[host]") {
  Setup s;
  const Json handle = s.host.ask(begin("run/a.safetensors", 100 * kPiece))["handle"];
  // In one write, so that they are all read before the disk can answer any.
  std::string burst;
  for (int i = 0; i < 20; ++i) {
    Json message = write(handle, static_cast<std::size_t>(i), noise(1000));
    message["id"] = 100 + i;
    burst += sg::host::encode_frame(message.dump());
  }
  s.host.send_bytes(burst);
  int answered = 0, exceeded = 0;
  for (int i = 0; i < 20; ++i) {
    const Json reply = *s.host.receive();
    answered += reply["ok"] == true;
    exceeded += reply.value("code", "") == "flow.exceeded";
  }
  REQUIRE(answered == 4);
  REQUIRE(exceeded == 16);
  REQUIRE(s.host.ask(write(handle, 4, "x"))["code"] == "store.no_handle");
  REQUIRE(s.all().empty());
  REQUIRE(s.host.hello()["ok"] == true);
}

TEST_CASE("a host killed in the middle of a save leaves the old file and nothing to see", "[host]") {
  Folder home;
  const std::string folder = home / "Shadegrad/checkpoints", old = checkpoint("1", 1000),
                    next = checkpoint("2", 300'000);
  {
    Program host(home.path());
    host.hello();
    REQUIRE(save(host, "run/a.safetensors", old)["ok"] == true);
  }
  for (std::size_t pieces = 0; pieces <= 5; ++pieces) {
    Program host(home.path());
    host.hello();
    const Json handle = host.ask(begin("run/a.safetensors", next.size()))["handle"];
    for (std::size_t i = 0; i < pieces && i * kPiece < next.size(); ++i)
      host.ask(write(handle, i, next.substr(i * kPiece, kPiece)));
    if (pieces == 5) host.send(commit(handle));
    host.kill();
    REQUIRE(host.wait() == 128 + 9);
    const std::string now = read_file(folder + "/run/a.safetensors");
    REQUIRE((now == old || (pieces == 5 && now == next)));
    // The next host shows the file alone, and clears away what the dead one left; a save in progress elsewhere stays.
    Program after(home.path());
    after.hello();
    const Json list = after.ask({{"id", 1}, {"type", "checkpoint.list"}})["checkpoints"];
    REQUIRE(list.size() == 1);
    REQUIRE(list[0]["ok"] == true);
    REQUIRE(names(folder + "/run") == std::vector<std::string>{"a.safetensors"});
    if (now == next) write_file(folder + "/run/a.safetensors", old);
  }
  Program one(home.path());
  one.hello();
  const Json handle = one.ask(begin("run/b.safetensors", old.size()))["handle"];
  Program two(home.path());
  two.hello();
  two.ask({{"id", 1}, {"type", "checkpoint.list"}});
  REQUIRE(names(folder + "/run").size() == 2);
  one.ask(write(handle, 0, old));
  REQUIRE(one.ask(commit(handle))["ok"] == true);
}

TEST_CASE("a full disk is a message with figures; the old file stands", "[host]") {
  Folder home;
  const std::string folder = home / "Shadegrad/checkpoints";
  fs::create_directories(folder);
  const std::string old = checkpoint("1", 1000), next = checkpoint("2", 300'000);
  const bool mounted = geteuid() == 0 && mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=2m,mode=0700") == 0;
  if (!mounted) WARN("no small file system can be mounted here: the limit of a file's size alone is tested");
  if (mounted) {
    Program host(home.path());
    host.hello();
    REQUIRE(save(host, "run/a.safetensors", old)["ok"] == true);
    // Known before a byte is sent: announced as larger than what is free.
    const Json refused = host.ask(begin("run/a.safetensors", 3 << 20));
    REQUIRE(refused["code"] == "store.disk_full");
    REQUIRE(refused["needed"] == 3 << 20);
    REQUIRE(refused["free"] > 1 << 20);
    REQUIRE(refused["path"] == folder + "/run/a.safetensors");
    // Found out in the middle: others fill the disk meanwhile.
    const Json handle = host.ask(begin("run/a.safetensors", next.size()))["handle"];
    REQUIRE(host.ask(write(handle, 0, next.substr(0, kPiece)))["ok"] == true);
    write_file(folder + "/run/filler.txt", noise(2 << 20));
    const Json full = host.ask(write(handle, 1, next.substr(kPiece, kPiece)));
    REQUIRE(full["code"] == "store.disk_full");
    REQUIRE(full["needed"] == next.size() - kPiece);
    REQUIRE(full["message"].get<std::string>().find(folder + "/run/a.safetensors") != std::string::npos);
    REQUIRE((read_file(folder + "/run/a.safetensors") == old));
    REQUIRE(names(folder + "/run") == std::vector<std::string>{"a.safetensors", "filler.txt"});
    // Room again, and the same host saves.
    fs::remove(folder + "/run/filler.txt");
    REQUIRE(save(host, "run/a.safetensors", next)["ok"] == true);
    host.close_input();
    host.wait();
    umount(folder.c_str());
    fs::remove_all(folder);
  }
  write_file(folder + "/run/a.safetensors", old);
  Program limited(home.path(), chromium_arguments(), 400'000);
  limited.hello();
  const Json handle = limited.ask(begin("run/a.safetensors", next.size()))["handle"];
  REQUIRE(limited.ask(write(handle, 0, next.substr(0, kPiece)))["ok"] == true);
  REQUIRE(limited.ask(write(handle, 1, next.substr(kPiece, kPiece)))["code"] == "store.disk_full");
  REQUIRE((read_file(folder + "/run/a.safetensors") == old));
  REQUIRE(names(folder + "/run") == std::vector<std::string>{"a.safetensors"});
  REQUIRE(limited.hello()["ok"] == true);
}

TEST_CASE("a folder that can't be used is a message with its path", "[host]") {
  Folder home;
  const std::string folder = home / "Shadegrad/checkpoints";
  write_file(folder, "a file where the folder should be");
  {
    Program host(home.path());
    host.hello();
    const Json reply = host.ask(begin("run/a.safetensors", 10));
    REQUIRE(reply["code"] == "store.failed");
    REQUIRE(reply["path"] == folder + "/run/a.safetensors");
    REQUIRE(host.ask({{"id", 1}, {"type", "checkpoint.list"}})["code"] == "store.failed");
  }
  fs::remove(folder);
  fs::create_symlink("/proc/sys", folder);
  Program host(home.path());
  host.hello();
  REQUIRE(host.ask(begin("run/a.safetensors", 1))["ok"] == false);
}

// dialog.open with the real program, a private bus and a portal on it that the test moves: what the person picks is
// granted and nothing else, and the process that handles frames neither shows it nor speaks to the bus.
#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <regex>

#include "tests/native_host/desktop.h"

using namespace sg::test;
namespace fs = std::filesystem;

namespace {

struct Room {
  Folder home;
  Desktop desktop;
  Puppet* portal = nullptr;
  std::unique_ptr<Program> host;

  explicit Room(const std::vector<std::string>& how = {}) {
    write_file(home / "data/x.csv", "a,b\n1,2\n");
    portal = &desktop.portal(how);
    start();
  }
  void start() {
    host = std::make_unique<Program>(home.path(), chromium_arguments(), 0, desktop.environment());
    host->hello();
  }
  /// Asks for a dialog and waits until the portal shows it.
  void open(int id, const char* kind = "folder") {
    host->send({{"id", id}, {"type", "dialog.open"}, {"kind", kind}});
    std::string line = portal->line();
    while (line == "close" || line == "gone") line = portal->line();  // of the dialog before
    const std::string folder = std::string(kind) == "folder" ? "1" : "0";
    REQUIRE(line == "open OpenFile directory=" + folder + " multiple=0 title=Let Shadegrad read a " + kind);
  }
  std::string uri(const std::string& name) const { return "file://" + (home / name); }
  bool granted_nothing() const { return !exists(home / ".config/shadegrad/grants.json"); }
  int picker() const {
    const auto all = children(host->pid());
    REQUIRE(all.size() == 1);
    return all[0];
  }
};

/// What is granted besides the person's Shadegrad folder, which every host makes.
Json entries(Program& host) {
  Json others = Json::array();
  const Json reply = host.ask({{"id", 900}, {"type", "dataset.list"}});
  for (const Json& entry : reply.at("entries")) {
    if (entry["path"] != "Shadegrad") others.push_back(entry);
  }
  return others;
}

}  // namespace

TEST_CASE("the folder that the person picks is granted, and the next host reads it", "[dialog]") {
  Room room;
  fs::create_directories(room.home / "other");
  room.open(1);
  REQUIRE(entries(*room.host).empty());  // frames are handled while the dialog stands
  room.portal->say("pick " + room.uri("data"));
  REQUIRE(*room.host->receive() == Json{{"id", 1}, {"ok", true}, {"granted", "data"}, {"restart", true}});
  REQUIRE(room.host->wait() == 0);
  room.start();
  REQUIRE(entries(*room.host).size() == 1);
  REQUIRE(entries(*room.host)[0]["path"] == "data");
  const Json reply = room.host->ask({{"id", 2}, {"type", "dataset.read"}, {"path", "data/x.csv"}, {"credits", 4}});
  REQUIRE(reply["ok"] == true);
  REQUIRE(receive_stream(*room.host, 2).bytes == "a,b\n1,2\n");
  REQUIRE(room.host->ask({{"id", 3}, {"type", "dataset.list"}, {"path", "other"}})["code"] == "dataset.not_found");
}

TEST_CASE("a file that the person picks is granted alone, under its own name", "[dialog]") {
  Room room;
  write_file(room.home / "more/x.csv", "c\n3\n");
  write_file(room.home / "more/beside.csv", "c\n3\n");
  for (const char* folder : {"data", "more"}) {
    room.open(1, "file");
    room.portal->say("pick " + room.uri(std::string(folder) + "/x.csv"));
    REQUIRE((*room.host->receive())["granted"] == (std::string(folder) == "data" ? "x.csv" : "x-2.csv"));
    REQUIRE(room.host->wait() == 0);
    room.start();
  }
  const Json listed = entries(*room.host);
  REQUIRE(listed.size() == 2);
  REQUIRE(listed[0]["path"] == "x-2.csv");
  REQUIRE(listed[0]["kind"] == "file");
  REQUIRE(listed[0]["size"] == 4);
  room.host->ask({{"id", 2}, {"type", "dataset.read"}, {"path", "x-2.csv"}, {"credits", 4}});
  REQUIRE(receive_stream(*room.host, 2).bytes == "c\n3\n");
  const auto code = [&](const char* type, const std::string& path) {
    Json request{{"id", 5}, {"type", type}, {"path", path}};
    if (std::string(type) == "dataset.read") request["credits"] = 1;
    return room.host->ask(request).value("code", "ok");
  };
  REQUIRE(code("dataset.read", "x-2.csv/beside.csv") == "dataset.not_found");
  REQUIRE(code("dataset.read", "beside.csv") == "dataset.not_found");
  REQUIRE(code("dataset.list", "x-2.csv") == "dataset.not_a_file");
  // Saved anew, as editors do, it is another file of that name: the next host has it.
  write_file(room.home / "more/new", "e\n5\n6\n");
  fs::rename(room.home / "more/new", room.home / "more/x.csv");
  REQUIRE(code("dataset.read", "x-2.csv") == "host.restart");
  REQUIRE(room.host->wait() == 0);
  room.start();
  REQUIRE(entries(*room.host)[0]["size"] == 6);
  // What has become something else since is not what was granted.
  fs::remove(room.home / "more/x.csv");
  fs::create_symlink(room.home / "more/beside.csv", room.home / "more/x.csv");
  REQUIRE(code("dataset.read", "x-2.csv") == "path.refused");
  fs::remove(room.home / "more/x.csv");
  write_file(room.home / "more/x.csv/inside.csv", "d\n4\n");
  room.start();
  REQUIRE(code("dataset.read", "x-2.csv/inside.csv") != "ok");
  REQUIRE(code("dataset.list", "x-2.csv") != "ok");
  REQUIRE(entries(*room.host).size() == 1);
}

TEST_CASE("a person who cancels, or takes long, is no error", "[dialog]") {
  Room room;
  room.open(1);
  room.portal->say("cancel");
  REQUIRE(*room.host->receive() == Json{{"id", 1}, {"ok", true}, {"granted", nullptr}, {"restart", false}});
  REQUIRE(room.granted_nothing());
  room.open(2);
  REQUIRE(room.host->silent(1500));
  room.portal->say("pick " + room.uri("data"));
  REQUIRE((*room.host->receive())["granted"] == "data");
}

TEST_CASE("one dialog is open at a time, and request.cancel closes it", "[dialog]") {
  Room room;
  room.open(1);
  REQUIRE(room.host->ask({{"id", 2}, {"type", "dialog.open"}, {"kind", "file"}})["code"] == "dialog.busy");
  REQUIRE(room.host->ask({{"id", 3}, {"type", "request.cancel"}, {"target", 1}})["cancelled"] == true);
  REQUIRE(room.portal->line() == "close");
  const auto ended = room.host->receive();
  REQUIRE((*ended)["id"] == 1);
  REQUIRE((*ended)["code"] == "request.cancelled");
  REQUIRE(room.portal->line() == "gone");
  room.portal->say("pick " + room.uri("data"));  // for nobody
  REQUIRE(room.granted_nothing());
  room.open(4);
  room.portal->say("pick " + room.uri("data"));
  REQUIRE((*room.host->receive())["granted"] == "data");
}

TEST_CASE("a message that names a path, a program or an argument is refused, and nothing is shown", "[dialog]") {
  Room room;
  const std::string data = room.home / "data";
  int id = 0;
  for (const char* field :
       {"path", "folder", "program", "argument", "title", "current_folder", "uris", "grant", "root"}) {
    for (const Json& value : {Json(data), Json::array({data}), Json{{"path", data}}, Json("/usr/bin/zenity")}) {
      const Json reply = room.host->ask({{"id", ++id}, {"type", "dialog.open"}, {"kind", "folder"}, {field, value}});
      REQUIRE(reply["code"] == "message.invalid");
      REQUIRE(reply["field"] == field);
    }
  }
  for (const Json& kind : {Json(data), Json("d"), Json(""), Json(nullptr), Json(1), Json::array({"folder"}),
                           Json("folder\n"), Json(std::string(100'000, 'f'))}) {
    REQUIRE(room.host->ask({{"id", ++id}, {"type", "dialog.open"}, {"kind", kind}})["code"] == "message.invalid");
  }
  REQUIRE(room.host->ask({{"id", ++id}, {"type", "dialog.open"}})["code"] == "message.invalid");
  room.open(1000);  // the first that the portal hears of
  REQUIRE(room.granted_nothing());
}

TEST_CASE("what a portal gives that is no single folder of the person's is refused", "[dialog]") {
  Room room;
  fs::create_directories(room.home / "two");
  fs::create_directories(room.home / ".hidden");
  fs::create_directories(room.home / "new\nline");
  fs::create_symlink("/", room.home / "root");
  const std::vector<std::string> answers{"",
                                         room.uri("data") + " " + room.uri("two"),
                                         room.uri("data") + " " + room.uri("data"),
                                         room.uri("nowhere"),
                                         room.uri("data/x.csv"),
                                         room.uri(".hidden"),
                                         room.uri("root"),
                                         room.uri("data/../.hidden"),
                                         room.uri("new%0Aline"),
                                         room.uri("data%2F..%2Ftwo"),
                                         room.uri("data%00"),
                                         room.uri("data%"),
                                         room.uri("data?x"),
                                         room.uri("%FF"),
                                         "file:///",
                                         "file:///proc",
                                         "file:///proc/self/root",
                                         "file:///sys",
                                         "file:///dev/shm",
                                         "file://elsewhere" + (room.home / "data"),
                                         "http://localhost/",
                                         room.home / "data",
                                         "data"};
  int id = 0;
  for (const std::string& answer : answers) {
    INFO(answer);
    room.open(++id);
    room.portal->say("pick " + answer);
    const auto reply = room.host->receive();
    REQUIRE((*reply)["id"] == id);
    REQUIRE((*reply)["code"] == "dialog.refused");
    REQUIRE(room.granted_nothing());
  }
}

TEST_CASE("names are percent-decoded once", "[dialog]") {
  Room room;
  fs::create_directories(room.home / "Zahlen \xC3\xBC 100%41");
  room.open(1);
  room.portal->say("pick " + room.uri("Zahlen%20%c3%BC%20100%2541"));
  REQUIRE((*room.host->receive())["granted"] == "Zahlen \xC3\xBC 100%41");
}

TEST_CASE("a response counts from the portal and for this request alone, early and for old portals too", "[dialog]") {
  Folder folders;
  fs::create_directories(folders / "mine");
  fs::create_directories(folders / "theirs");
  const std::string mine = "file://" + (folders / "mine"), theirs = "file://" + (folders / "theirs");
  SECTION("forged") {
    Room room;
    room.open(1);
    room.portal->say("forge " + theirs);
    REQUIRE(room.host->silent(300));
    room.portal->say("pick " + mine);
    REQUIRE((*room.host->receive())["granted"] == "mine");
  }
  SECTION("before the reply of the call") {
    Room room({"early=" + mine});
    room.open(1);
    REQUIRE((*room.host->receive())["granted"] == "mine");
  }
  SECTION("for a handle that was not expected") {
    Room room({"old"});
    room.open(1);
    room.portal->say("pick " + mine);
    REQUIRE((*room.host->receive())["granted"] == "mine");
  }
  SECTION("a portal too old for folders still picks files") {
    Room room({"version=2"});
    REQUIRE(room.host->ask({{"id", 1}, {"type", "dialog.open"}, {"kind", "folder"}})["code"] == "dialog.unavailable");
    room.open(2, "file");
    room.portal->say("pick " + room.uri("data/x.csv"));
    REQUIRE((*room.host->receive())["granted"] == "x.csv");
  }
}

TEST_CASE("a portal or a bus that dies ends the dialog with a sentence, and the host lives", "[dialog]") {
  Room room;
  room.open(1);
  SECTION("the portal") { room.portal->say("die"); }
  SECTION("the bus") { room.desktop.kill_bus(); }
  SECTION("the desktop itself") { room.portal->say("end"); }
  const auto reply = room.host->receive();
  REQUIRE((*reply)["code"] == "dialog.failed");
  REQUIRE((*reply)["message"].get<std::string>().find("ended before anything was picked") != std::string::npos);
  REQUIRE(entries(*room.host).empty());
  REQUIRE(room.granted_nothing());
}

TEST_CASE("where no dialog can be shown the command to type is named, and the host lives", "[dialog]") {
  Folder home;
  Desktop desktop;
  const int kind = GENERATE(0, 1, 2);
  if (kind == 2) desktop.portal({"refuse"});
  Program host(home.path(), chromium_arguments(), 0, kind == 0 ? std::vector<std::string>{} : desktop.environment());
  host.hello();
  for (int id = 1; id <= 2; ++id) {
    const Json reply = host.ask({{"id", id}, {"type", "dialog.open"}, {"kind", "folder"}});
    REQUIRE(reply["code"] == "dialog.unavailable");
    REQUIRE(reply["message"].get<std::string>().find("shadegrad-host grant DIR") != std::string::npos);
  }
  REQUIRE(entries(host).empty());
}

TEST_CASE("the end of the host ends picker and dialog, however it ends", "[dialog]") {
  Room room;
  room.open(1);
  const int picker = room.picker();
  SECTION("killed") {
    room.host->kill();
    REQUIRE(room.host->wait() == 128 + SIGKILL);
  }
  SECTION("its input ended") {
    room.host->close_input();
    REQUIRE(room.host->wait() == 0);
  }
  REQUIRE(ends(picker));
  std::string line = room.portal->line();
  if (line == "close") line = room.portal->line();
  REQUIRE(line == "gone");
}

TEST_CASE("the end of the picker is said, and the host lives without dialogs", "[dialog]") {
  Room room;
  room.open(1);
  kill(room.picker(), SIGKILL);
  REQUIRE((*room.host->receive())["code"] == "dialog.failed");
  REQUIRE(room.host->ask({{"id", 2}, {"type", "dialog.open"}, {"kind", "folder"}})["code"] == "dialog.unavailable");
  REQUIRE(entries(*room.host).empty());
}

TEST_CASE("the picker is another process: the one that handles frames stays locked and has no socket", "[dialog]") {
  Room room;
  room.open(1);
  const int picker = room.picker();
  const auto status = [](int pid) { return read_file("/proc/" + std::to_string(pid) + "/status"); };
  const auto files = [](int pid) {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator("/proc/" + std::to_string(pid) + "/fd")) {
      std::error_code gone;
      all.push_back(fs::read_symlink(entry.path(), gone));
    }
    return all;
  };
  const auto sockets = [](const std::vector<std::string>& all) {
    return std::count_if(all.begin(), all.end(), [](const std::string& f) { return f.rfind("socket:", 0) == 0; });
  };
  REQUIRE(status(room.host->pid()).find("Seccomp:\t2") != std::string::npos);
  REQUIRE(status(picker).find("Name:\tshadegrad-pick\n") != std::string::npos);
  REQUIRE(status(picker).find("NoNewPrivs:\t1") != std::string::npos);
  REQUIRE(sockets(files(room.host->pid())) == 0);
  REQUIRE(sockets(files(picker)) == 1);  // the bus
  // The browser's pipes end with the host: the picker holds neither of them.
  const auto link = [&](int number) {
    return fs::read_symlink("/proc/" + std::to_string(room.host->pid()) + "/fd/" + std::to_string(number)).string();
  };
  const auto held = files(picker);
  for (const int number : {0, 1}) REQUIRE(std::count(held.begin(), held.end(), link(number)) == 0);
}

#if !defined(__SANITIZE_ADDRESS__)  // its search for leaks is another tracer, and fails where there is one
TEST_CASE("from the dialog to the end of the host, the process that handles frames starts nothing and opens no socket",
          "[dialog]") {
  Room room;
  const auto follow = [&](int pid, const std::string& log) {
    auto tracer = std::make_unique<Puppet>(
        std::vector<std::string>{
            "/usr/bin/strace", "-f", "-q", "-o", log, "-e",
            "trace=execve,execveat,fork,vfork,socket,socketpair,connect,bind,listen,accept,accept4,"
            "sendto,sendmsg,sendmmsg",
            "-p", std::to_string(pid)},
        std::vector<std::string>{});
    REQUIRE(traced(pid));
    return tracer;
  };
  const std::string of_host = room.home / "host.log", of_picker = room.home / "picker.log";
  const auto tracers = std::pair{follow(room.host->pid(), of_host), follow(room.picker(), of_picker)};
  room.open(1);
  REQUIRE(entries(*room.host).empty());
  room.portal->say("pick " + room.uri("data"));
  REQUIRE((*room.host->receive())["granted"] == "data");
  REQUIRE(room.host->wait() == 0);
  // A tracer ends with what it follows; then its log is whole.
  REQUIRE(tracers.first->line().empty());
  REQUIRE(tracers.second->line().empty());
  const auto calls = [](const std::string& log) {
    const std::regex call(R"(\b[a-z0-9]+\()");
    return std::distance(std::sregex_iterator(log.begin(), log.end(), call), std::sregex_iterator());
  };
  const std::string host = read_file(of_host), picker = read_file(of_picker);
  INFO(host);
  REQUIRE(host.find("+++ exited with 0 +++") != std::string::npos);
  REQUIRE(calls(host) == 0);
  REQUIRE(picker.find("socket(AF_UNIX") != std::string::npos);
  REQUIRE(picker.find("exec") == std::string::npos);
}
#endif

TEST_CASE("what was asked for before the person picked is done before the host ends", "[dialog]") {
  Room room;
  const std::string bytes = checkpoint("7");
  room.open(1);
  room.host->ask({{"id", 2}, {"type", "checkpoint.begin"}, {"name", "run/a.safetensors"}, {"size", bytes.size()}});
  room.host->ask({{"id", 3}, {"type", "checkpoint.write"}, {"handle", 1}, {"sequence", 0}, {"bytes", base64(bytes)}});
  room.host->ask({{"id", 4}, {"type", "checkpoint.commit"}, {"handle", 1}});
  room.portal->say("pick " + room.uri("data"));
  REQUIRE((*room.host->receive())["granted"] == "data");
  REQUIRE(room.host->wait() == 0);
  REQUIRE((read_file(room.home / "Shadegrad/checkpoints/run/a.safetensors") == bytes));
}

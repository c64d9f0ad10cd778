// The picker alone, with programs that stand in for zenity and kdialog: what they are started with, and that nothing
// they say grants more than the one thing that a person picked.
#include "native_host/picker.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "native_host/dialog.h"
#include "tests/native_host/desktop.h"

using namespace sg::test;
using namespace sg::host;
namespace fs = std::filesystem;
using Kind = Answer::Kind;

namespace {

/// Sets variables of this process for a while; an empty value takes one away.
class Variables {
 public:
  explicit Variables(const std::map<std::string, std::string>& values) {
    for (const auto& [name, value] : values) {
      const char* before = std::getenv(name.c_str());
      if (before != nullptr) before_[name] = before;
      if (before == nullptr) before_[name] = "";
      set(name, value);
    }
  }
  ~Variables() {
    for (const auto& [name, value] : before_) set(name, value);
  }

 private:
  std::map<std::string, std::string> before_;
  static void set(const std::string& name, const std::string& value) {
    if (value.empty()) unsetenv(name.c_str());
    if (!value.empty()) setenv(name.c_str(), value.c_str(), 1);
  }
};

/// A home with a display, no bus, and a picker of this very process.
struct Room {
  Folder home;
  Variables variables{{{"DBUS_SESSION_BUS_ADDRESS", ""},
                       {"XDG_RUNTIME_DIR", home.path()},
                       {"DISPLAY", ":7"},
                       {"XAUTHORITY", "/a/key"},
                       {"LANG", "de_DE.UTF-8"},
                       {"HOME", home.path()},
                       {"LD_LIBRARY_PATH", "/nowhere"},
                       {"SECRET", "yes"}}};
  Places places{home.path(), home / ".config"};
  Choosers choosers{home / "zenity", home / "kdialog"};
  PickerEnds ends;
  std::optional<Answer> answer;
  AnswerReader reader;

  ~Room() {
    ends = {};
    if (pid_ > 0) waitpid(pid_, nullptr, 0);
  }
  void start() {
    ends = start_picker(places, choosers);
    pid_ = ends.pid;
  }
  void say(char ask) { REQUIRE(write(ends.to.get(), &ask, 1) == 1); }
  /// The next answer, or nothing when the picker has ended.
  std::optional<Answer> hear() {
    answer.reset();
    while (!answer) {
      pollfd p{ends.from.get(), POLLIN, 0};
      char bytes[4096];
      const ssize_t n = poll(&p, 1, 30'000) > 0 ? read(ends.from.get(), bytes, sizeof bytes) : 0;
      if (n <= 0) return std::nullopt;
      reader.feed({bytes, static_cast<std::size_t>(n)}, [this](const Answer& a) { answer = a; });
    }
    return answer;
  }
  Answer ask(char what) {
    if (!ends.to) start();
    say(what);
    const auto heard = hear();
    REQUIRE(heard);
    UNSCOPED_INFO("the answer: " << static_cast<char>(heard->kind) << " " << heard->text);
    return *heard;
  }
  bool granted_nothing() const { return !exists(places.grants()); }

 private:
  int pid_ = -1;
};

std::set<std::string> names_of(const std::string& environment) {
  std::set<std::string> found;
  for (std::size_t at = 0; at < environment.size();) {
    const std::string variable = environment.c_str() + at;
    found.insert(variable.substr(0, variable.find('=')));
    at += variable.size() + 1;
  }
  return found;
}

}  // namespace

TEST_CASE("a folder picked in zenity is granted; the program gets fixed arguments and what a window needs",
          "[dialog]") {
  Room room;
  write_file(room.home / "data/x.csv", "a\n1\n");
  script(room.choosers.zenity, "cp /proc/$$/environ " + room.home.path() + "/env; for w; do echo \"[$w]\"; done > " +
                                   room.home.path() + "/words; readlink /proc/$$/fd/0 > " + room.home.path() +
                                   "/stdin; echo " + room.home.path() + "/data");
  const Answer answer = room.ask('d');
  REQUIRE(answer.kind == Kind::granted);
  REQUIRE(answer.text == "data");
  const std::vector<Root> roots = Grants(room.places).roots();
  REQUIRE(roots.size() == 2);
  REQUIRE(roots[1].path == room.home / "data");
  REQUIRE_FALSE(roots[1].file);
  REQUIRE(read_file(room.home / "words") ==
          "[--file-selection]\n[--directory]\n[--title]\n[Let Shadegrad read a folder]\n");
  REQUIRE(read_file(room.home / "stdin") == "/dev/null\n");
  const auto variables = names_of(read_file(room.home / "env"));
  for (const char* kept : {"DISPLAY", "XAUTHORITY", "HOME", "LANG", "XDG_RUNTIME_DIR"}) REQUIRE(variables.count(kept));
  for (const std::string& name : variables) {
    INFO(name);
    const bool window =
        std::set<std::string>{"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "HOME", "LANG"}.count(name) > 0;
    REQUIRE((window || name.rfind("XDG_", 0) == 0));
  }
}

TEST_CASE("a file picked is granted alone", "[dialog]") {
  Room room;
  write_file(room.home / "data/x.csv", "a\n1\n");
  write_file(room.home / "data/secret.csv", "a\n1\n");
  script(room.choosers.zenity,
         "for w; do echo \"[$w]\"; done > " + room.home.path() + "/words; echo " + room.home.path() + "/data/x.csv");
  REQUIRE(room.ask('f').text == "x.csv");
  REQUIRE(read_file(room.home / "words") == "[--file-selection]\n[--title]\n[Let Shadegrad read a file]\n");
  const Grants grants(room.places);
  REQUIRE(grants.open("x.csv").path == "x.csv");
  for (const char* beside : {"x.csv/secret.csv", "secret.csv", "data/secret.csv", "data", "x.csv/x.csv"}) {
    INFO(beside);
    REQUIRE_THROWS_AS(grants.open(beside), sg::host::Failure);
  }
}

TEST_CASE("a person who cancels grants nothing, and may be asked again", "[dialog]") {
  Room room;
  fs::create_directories(room.home / "data");
  script(room.choosers.zenity,
         "if mkdir " + room.home.path() + "/once; then exit 1; fi; echo " + room.home.path() + "/data");
  script(room.choosers.kdialog, "echo " + room.home.path());
  REQUIRE(room.ask('d').kind == Kind::cancelled);
  REQUIRE(room.granted_nothing());
  REQUIRE(room.ask('d').kind == Kind::granted);
}

TEST_CASE("kdialog is asked where zenity is missing or can't open the display", "[dialog]") {
  Room room;
  fs::create_directories(room.home / "data");
  const bool missing = GENERATE(true, false);
  CAPTURE(missing);
  if (!missing) script(room.choosers.zenity, "echo '(zenity:1): Gtk-WARNING **: cannot open display: :7' >&2; exit 1");
  script(room.choosers.kdialog,
         "for w; do echo \"[$w]\"; done > " + room.home.path() + "/words; echo " + room.home.path() + "/data");
  REQUIRE(room.ask('d').kind == Kind::granted);
  REQUIRE(read_file(room.home / "words") == "[--title]\n[Let Shadegrad read a folder]\n[--getexistingdirectory]\n");
  REQUIRE(room.ask('f').kind == Kind::refused);
  REQUIRE(read_file(room.home / "words") == "[--title]\n[Let Shadegrad read a file]\n[--getopenfilename]\n");
}

TEST_CASE("what a program says is heard although a library does its own at each fork", "[dialog]") {
  // As libuv does once a loop has run: here for the picker's own children, while this test lasts.
  static pid_t tests = 0;
  static bool registered = false;
  tests = getpid();
  if (!registered) {
    pthread_atfork(nullptr, nullptr, [] {
      if (tests != 0 && getppid() != tests) close_range(3, 64, 0);
    });
  }
  registered = true;
  Room room;
  fs::create_directories(room.home / "data");
  script(room.choosers.zenity, "echo 'cannot open display: :7' >&2; exit 1");
  script(room.choosers.kdialog, "echo " + room.home.path() + "/data");
  REQUIRE(room.ask('d').kind == Kind::granted);
  tests = 0;
}

TEST_CASE("without a program that works, or without a display, the answer says what is missing", "[dialog]") {
  Room room;
  SECTION("no program") {
    const Answer answer = room.ask('d');
    REQUIRE(answer.kind == Kind::unavailable);
    REQUIRE(answer.text ==
            "there is no session bus; there is no " + room.choosers.zenity + "; there is no " + room.choosers.kdialog);
  }
  SECTION("no display") {
    const Variables none{{{"DISPLAY", ""}, {"WAYLAND_DISPLAY", ""}}};
    script(room.choosers.zenity, "echo " + room.home.path());
    const Answer answer = room.ask('d');
    REQUIRE(answer.kind == Kind::unavailable);
    REQUIRE(answer.text.find("there is no display") != std::string::npos);
  }
  SECTION("programs that die") {
    script(room.choosers.zenity, "kill -ABRT $$");
    script(room.choosers.kdialog, "exit 127");
    REQUIRE(room.ask('d').kind == Kind::unavailable);
  }
  REQUIRE(room.granted_nothing());
}

TEST_CASE("nothing that a program prints grants what is no single folder of the person's", "[dialog]") {
  Room room;
  const std::string home = room.home.path();
  write_file(home + "/data/x.csv", "a\n1\n");
  fs::create_directories(home + "/.hidden");
  fs::create_directories(home + "/new\nline");
  fs::create_directories(home + "/not\xFFtext");
  fs::create_directories(home + "/not\xFFtext/below");
  fs::create_symlink("/", home + "/root");
  fs::create_symlink(home + "/.hidden", home + "/link");
  mkfifo((home + "/pipe").c_str(), 0600);
  const std::vector<std::string> prints{
      "",
      "\n",
      "data",
      "./data",
      home + "/data\n" + home + "/data",
      home + "/nowhere",
      home + "/data/x.csv",
      home + "/.hidden",
      home + "/link",
      home + "/root",
      home + "/pipe",
      home + "/new\nline",
      home + "/not\xFFtext",
      home + "/not\xFFtext/below",
      "/",
      "//",
      "/proc",
      "/proc/self/root",
      "/proc/self/cwd/../..",
      "/sys/kernel",
      "/dev",
      "/dev/shm",
      "file://" + home + "/data",
      home + std::string("/data\0/x", 8),
      std::string(1 << 20, '/'),
  };
  for (const std::string& print : prints) {
    INFO(print.substr(0, 200));
    write_file(home + "/print", print);
    script(room.choosers.zenity, "cat " + home + "/print");
    const Answer answer = room.ask('d');
    REQUIRE((answer.kind == Kind::refused || answer.kind == Kind::failed));
    REQUIRE_FALSE(answer.text.empty());
    REQUIRE(room.granted_nothing());
  }
  for (const char* print : {"/data", "/pipe", "/.hidden", "/nowhere"}) {
    write_file(home + "/print", home + print);
    REQUIRE(room.ask('f').kind == Kind::refused);
    REQUIRE(room.granted_nothing());
  }
}

TEST_CASE("closing takes the program off the screen, and its end is the answer", "[dialog]") {
  Room room;
  fs::create_directories(room.home / "data");
  const std::string pid_file = room.home / "pid";
  script(room.choosers.zenity,
         "echo $$ > " + pid_file + ".new; mv " + pid_file + ".new " + pid_file + "; exec sleep 1000");
  room.start();
  room.say('d');
  REQUIRE(appears(pid_file));
  const int program = std::stoi(read_file(pid_file));
  SECTION("by the host's word") {
    room.say('c');
    REQUIRE(room.hear()->kind == Kind::cancelled);
    REQUIRE(ends(program));
    room.say('c');  // crosses an answer: nothing is open, and nothing happens
    script(room.choosers.zenity, "echo " + room.home.path() + "/data");
    REQUIRE(room.ask('d').kind == Kind::granted);
  }
  SECTION("by the end of the host's pipes") {
    const int picker = room.ends.pid;
    room.ends.to.reset();
    REQUIRE(ends(picker));
    REQUIRE(ends(program));
  }
  SECTION("by the end of the picker, however it ends") {
    kill(room.ends.pid, SIGKILL);
    REQUIRE(ends(program));
    REQUIRE_FALSE(room.hear());
  }
  SECTION("and a second dialog is what no host asks for") {
    room.say('d');
    REQUIRE_FALSE(room.hear());
    REQUIRE(ends(program));
  }
}

TEST_CASE("the picker ends at words that it does not know", "[dialog]") {
  Room room;
  for (const char word : {'\0', 'D', 'g', '/', '\xFF'}) {
    room.start();
    room.say(word);
    REQUIRE_FALSE(room.hear());
    REQUIRE(ends(room.ends.pid));
    waitpid(room.ends.pid, nullptr, 0);
  }
  REQUIRE(room.granted_nothing());
}

TEST_CASE("the picker holds nothing of the process that forked it but stderr and its two pipes", "[dialog]") {
  Room room;
  const Fd file(open("/etc/hostname", O_RDONLY));
  const Fd high(fcntl(file.get(), F_DUPFD, 200));
  room.start();
  REQUIRE(room.ask('d').kind == Kind::unavailable);  // by now it has let go of the rest
  std::map<int, std::string> open_files;
  for (const auto& entry : fs::directory_iterator("/proc/" + std::to_string(room.ends.pid) + "/fd")) {
    open_files[std::stoi(entry.path().filename())] = fs::read_symlink(entry.path());
  }
  REQUIRE(open_files.size() == 5);
  REQUIRE(open_files[0] == "/dev/null");
  REQUIRE(open_files[1] == "/dev/null");
  for (const auto& [number, what] : open_files) {
    if (number > 2) REQUIRE(what.rfind("pipe:", 0) == 0);
  }
}

TEST_CASE("answers are read in any split, and anything else is refused before it is kept", "[dialog]") {
  const std::string bytes = Answer{Kind::granted, "data"}.encode() + Answer{Kind::cancelled, ""}.encode() +
                            Answer{Kind::failed, std::string(9000, 'x')}.encode();
  for (std::size_t step = 1; step < 9; ++step) {
    AnswerReader reader;
    std::vector<Answer> got;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      reader.feed(std::string_view(bytes).substr(at, step), [&](const Answer& a) { got.push_back(a); });
    }
    REQUIRE(got.size() == 3);
    REQUIRE(got[0].text == "data");
    REQUIRE(got[1].kind == Kind::cancelled);
    REQUIRE(got[2].text == std::string(4096, 'x'));
  }
  for (const std::string& bad : {std::string("z\0\0", 3), std::string("g\x01\x10", 3), std::string("\0\0\0", 3)}) {
    AnswerReader reader;
    REQUIRE_THROWS(reader.feed(bad, [](const Answer&) { FAIL("no answer"); }));
  }
}

TEST_CASE("a URI is a path only when it names a file of this machine", "[dialog]") {
  REQUIRE(path_of_uri("file:///home/a/data") == "/home/a/data");
  REQUIRE(path_of_uri("file://localhost/home/a") == "/home/a");
  REQUIRE(path_of_uri("file:///a%20b%2C%c3%BC%25%3F%23") == "/a b,\xC3\xBC%?#");
  REQUIRE(path_of_uri("file:///a+b") == "/a+b");
  REQUIRE(path_of_uri("file:///%2e%2e/x") == "/../x");  // resolved by whoever opens it
  for (const char* bad : {"", "/home", "file:/home", "file://", "file://host/home", "http://localhost/x", "FILE:///x",
                          "file:///a%2Fb", "file:///a%00b", "file:///a%", "file:///a%4", "file:///a%zz", "file:///a?b",
                          "file:///a#b", "file://localhost", "ssh://h/x", "file:data", "recent:///x"}) {
    INFO(bad);
    REQUIRE(path_of_uri(bad).empty());
  }
  REQUIRE(path_of_uri("file:///" + std::string(100'000, 'a')).empty());
}

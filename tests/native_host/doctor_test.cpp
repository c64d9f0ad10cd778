// What doctor says of each thing that can be wrong, and that the command which it names mends it: the command is run,
// and then doctor is content.
#include "native_host/doctor.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "native_host/build.h"
#include "tests/native_host/program.h"

using namespace sg::test;
namespace fs = std::filesystem;
namespace host = sg::host;

namespace {

const std::string kManifest = ".config/chromium/NativeMessagingHosts/io.shadegrad.host.json";

/// The commands that a report names.
std::vector<std::string> commands(const std::string& text) {
  const std::string mark = "    mend it: ";
  std::vector<std::string> all;
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
    const std::size_t start = at + mark.size();
    all.push_back(text.substr(start, text.find('\n', start) - start));
  }
  return all;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

/// A home in which all is well, and a person's machine around it.
struct Patient {
  Folder home;
  Folder machine;
  host::InstallOptions options;

  Patient() {
    options.places = {home.path(), home / ".config"};
    options.system = {machine.path(), machine / "usr/bin"};
    options.program = machine / "opt/shadegrad-host";
    fs::create_directories(machine / "opt");
    fs::copy_file(SG_HOST_PROGRAM, options.program);
    write_file(machine / "usr/bin/chromium", "");
    REQUIRE(host::install(options).status == 0);
    REQUIRE(examine().status == 0);
  }
  host::Report examine(std::uint64_t little_room = 0) const { return host::doctor(options, little_room); }
  std::string manifest() const { return home / kManifest; }
  void change_manifest(const std::string& key, const Json& value) const {
    Json json = Json::parse(read_file(manifest()));
    json[key] = value;
    write_file(manifest(), json.dump());
  }
  /// Exactly one thing is wrong, it is called that, and its one command mends it.
  void is_mended(const std::string& what) const {
    const host::Report sick = examine();
    INFO(sick.text);
    REQUIRE(sick.status == 1);
    REQUIRE(sick.text.find(what) != std::string::npos);
    REQUIRE(count(sick.text, ": WRONG: ") == 1);
    const auto named = commands(sick.text);
    REQUIRE(named.size() == 1);
    // Root needs no sudo, and a machine for tests may have none.
    std::string command = named[0].rfind("sudo ", 0) == 0 ? named[0].substr(5) : named[0];
    command = "export HOME='" + home.path() + "' XDG_CONFIG_HOME=; " + command + " >/dev/null";
    CAPTURE(command);
    REQUIRE(std::system(command.c_str()) == 0);
    const host::Report well = examine();
    INFO(well.text);
    REQUIRE(well.status == 0);
    REQUIRE(count(well.text, "WRONG") == 0);
  }
};

/// Root may do everything: what a person may not do is tried as somebody else, to whom all of it belongs.
struct AsSomebody {
  explicit AsSomebody(const Patient& p) {
    if (geteuid() != 0) return;
    for (const std::string& folder : {p.home.path(), p.machine.path()}) {
      for (const auto& at : fs::recursive_directory_iterator(folder))
        REQUIRE(chown(at.path().c_str(), 4242, 4242) == 0);
      REQUIRE(chown(folder.c_str(), 4242, 4242) == 0);
    }
    REQUIRE(seteuid(4242) == 0);
  }
  ~AsSomebody() {
    if (getuid() == 0 && seteuid(0) != 0) std::abort();
  }
};

}  // namespace

TEST_CASE("doctor finds what is wrong with a manifest, and its command mends it", "[host][doctor]") {
  const Patient p;
  SECTION("missing") {
    fs::remove(p.manifest());
    p.is_mended("chromium: WRONG: the manifest is missing: " + p.manifest());
  }
  SECTION("damaged") {
    write_file(p.manifest(), "{\"name\": \"io.shadegrad.host\"");
    p.is_mended("it is not JSON");
  }
  SECTION("not an object") {
    write_file(p.manifest(), "[]");
    p.is_mended("it is not a JSON object");
  }
  SECTION("not a file") {
    fs::remove(p.manifest());
    fs::create_directories(p.manifest());
    p.is_mended("the manifest can't be read: " + p.manifest() + ": it is not a regular file");
  }
  SECTION("of another name") {
    p.change_manifest("name", "io.other.host");
    p.is_mended("its 'name' is not io.shadegrad.host");
  }
  SECTION("of another type") {
    p.change_manifest("type", "socket");
    p.is_mended("its 'type' is not stdio");
  }
  SECTION("without the extension's id") {
    p.change_manifest("allowed_origins", {"chrome-extension://" + std::string(32, 'a') + "/"});
    p.is_mended("its list 'allowed_origins' lacks the extension's id, " + chromium_arguments()[0]);
  }
  SECTION("without a list") {
    p.change_manifest("allowed_origins", nullptr);
    p.is_mended("it has no list 'allowed_origins'");
  }
  SECTION("naming a program that is gone") {
    p.change_manifest("path", "/elsewhere/shadegrad-host");
    p.is_mended("names /elsewhere/shadegrad-host, which is not there");
  }
  SECTION("naming a program that can't run") {
    write_file(p.machine / "old/shadegrad-host", "");
    p.change_manifest("path", p.machine / "old/shadegrad-host");
    p.is_mended("old/shadegrad-host, which is not executable");
  }
  SECTION("naming another program") {
    p.change_manifest("path", "/bin/sh");
    p.is_mended("names /bin/sh, which is another than this program");
  }
  SECTION("naming one with a name that would disturb the terminal") {
    p.change_manifest("path", "/x/\x1b[2Jy");
    p.is_mended("names /x/\\u{1B}[2Jy, which is not there");
  }
  SECTION("writable by others") {
    chmod(p.manifest().c_str(), 0666);
    p.is_mended(p.manifest() + " can be changed by everybody");
  }
  SECTION("in a folder that others may change") {
    chmod((p.home / ".config/chromium").c_str(), 0775);
    p.is_mended(p.home / ".config/chromium, above " + p.manifest() + ", can be changed by its group");
  }
  SECTION("belonging to another user") {
    if (geteuid() != 0) return;
    REQUIRE(chown((p.home / ".config").c_str(), 4242, 4242) == 0);
    p.is_mended("belongs to another user (id 4242)");
  }
}

TEST_CASE("a manifest that the person may not read is told as such", "[host][doctor]") {
  const Patient p;
  chmod(p.manifest().c_str(), 0);
  const AsSomebody somebody(p);
  const host::Report sick = p.examine();
  INFO(sick.text);
  REQUIRE(sick.status == 1);
  REQUIRE(sick.text.find("can't be read: " + p.manifest() + ": Permission denied") != std::string::npos);
  REQUIRE(commands(sick.text) == std::vector<std::string>{"chmod u+rw " + p.manifest()});
  chmod(p.manifest().c_str(), 0600);
  REQUIRE(p.examine().status == 0);
}

TEST_CASE("Firefox's stricter manifest is examined by its own rules", "[host][doctor]") {
  Patient p;
  write_file(p.machine / "usr/bin/firefox", "");
  REQUIRE(host::install(p.options).status == 0);
  const std::string file = p.home / ".mozilla/native-messaging-hosts/io.shadegrad.host.json";
  Json json = Json::parse(read_file(file));
  SECTION("a field too many") {
    json["allowed_origins"] = Json::array();
    write_file(file, json.dump());
    p.is_mended("it has a field 'allowed_origins', and Firefox takes no other");
  }
  SECTION("another id") {
    json["allowed_extensions"] = {"other@example.org"};
    write_file(file, json.dump());
    p.is_mended("lacks the extension's id, shadegrad@shadegrad.io");
  }
  SECTION("more ids, by hand, are no fault") {
    json["allowed_extensions"].push_back("mine@example.org");
    json["description"] = "mine";
    write_file(file, json.dump());
    REQUIRE(p.examine().status == 0);
    REQUIRE(p.examine().text.find("which somebody changed by hand") != std::string::npos);
  }
}

TEST_CASE("doctor finds what is wrong with the program itself", "[host][doctor]") {
  const Patient p;
  SECTION("not executable") {
    chmod(p.options.program.c_str(), 0644);
    p.is_mended("program: WRONG: " + p.options.program + " is not executable");
  }
  SECTION("below a folder that others may change") {
    chmod((p.machine / "opt").c_str(), 0777);
    p.is_mended("program: WRONG: " + (p.machine / "opt, above ") + p.options.program + ", can be changed by everybody");
  }
  SECTION("gone") {
    fs::remove(p.options.program);
    const host::Report sick = p.examine();
    REQUIRE(sick.status == 1);
    REQUIRE(sick.text.find(p.options.program + " is not there") != std::string::npos);
  }
}

TEST_CASE("doctor tells where no browser is, and where one is shut in a sandbox", "[host][doctor]") {
  Patient p;
  SECTION("none") {
    fs::remove_all(p.home / ".config");
    fs::remove(p.machine / "usr/bin/chromium");
    p.is_mended("browsers: WRONG: none was found");
  }
  SECTION("as a snap alone") {
    fs::remove(p.machine / "usr/bin/chromium");
    fs::create_directories(p.machine / "snap/chromium");
    const host::Report sick = p.examine();
    INFO(sick.text);
    REQUIRE(sick.status == 1);
    REQUIRE(sick.text.find("this browser is a snap (" + (p.machine / "snap/chromium)")) != std::string::npos);
    REQUIRE(commands(sick.text) == std::vector<std::string>{"sudo apt install chromium"});
    write_file(p.machine / "usr/bin/chromium", "");  // what that command does
    const host::Report well = p.examine();
    INFO(well.text);
    REQUIRE(well.status == 0);
    REQUIRE(well.text.find("there is another one beside it: this browser is a snap") != std::string::npos);
  }
  SECTION("as a flatpak, and only others are asked for") {
    fs::create_directories(p.home / ".var/app/org.mozilla.firefox");
    REQUIRE(p.examine().status == 1);
    p.options.browsers = {"chromium"};
    REQUIRE(p.examine().status == 0);
  }
}

TEST_CASE("doctor finds what is wrong with the grants", "[host][doctor]") {
  Patient p;
  Folder data;
  const std::string grants = p.options.places.grants();
  REQUIRE(run_host(p.home.path(), {"grant", data.path()}).status == 0);
  REQUIRE(p.examine().status == 0);
  SECTION("damaged") {
    write_file(grants, "{\"roots\": 1}");
    p.is_mended("granted folders: WRONG: The list of granted folders, " + grants);
  }
  SECTION("writable by others") {
    chmod(grants.c_str(), 0620);
    p.is_mended("other people may write it");
  }
  SECTION("a granted folder is gone") {
    fs::remove(data.path());
    p.is_mended("granted folder: WRONG: " + data.path() + " is not there");
  }
  SECTION("the person's own folder is gone") {
    fs::remove_all(p.home / "Shadegrad");
    p.is_mended("granted folder: WRONG: " + (p.home / "Shadegrad is not there"));
  }
}

TEST_CASE("doctor finds what is wrong with the place of checkpoints", "[host][doctor]") {
  const Patient p;
  const std::string folder = p.home / "Shadegrad/checkpoints";
  SECTION("not there yet is no fault") {
    fs::remove(folder);
    REQUIRE(p.examine().status == 0);
    REQUIRE(p.examine().text.find("made when it is needed") != std::string::npos);
  }
  SECTION("a file in its place") {
    fs::remove(folder);
    write_file(folder, "");
    p.is_mended("checkpoints: WRONG: " + folder + " is not a folder");
  }
  SECTION("a file in the place of imported data sets") {
    write_file(p.home / "Shadegrad/datasets", "");
    p.is_mended("data sets: WRONG: " + (p.home / "Shadegrad/datasets is not a folder"));
  }
  SECTION("not writable") {
    chmod(folder.c_str(), 0500);
    const AsSomebody somebody(p);
    const host::Report sick = p.examine();
    INFO(sick.text);
    REQUIRE(sick.status == 1);
    REQUIRE(sick.text.find("checkpoints: WRONG: " + folder + " can't be written") != std::string::npos);
    REQUIRE(commands(sick.text) == std::vector<std::string>{"chmod u+rwx " + folder});
    chmod(folder.c_str(), 0700);
    REQUIRE(p.examine().status == 0);
  }
  SECTION("a full disk") {
    const host::Report sick = p.examine(~std::uint64_t{0});
    INFO(sick.text);
    REQUIRE(sick.status == 1);
    REQUIRE(sick.text.find("is nearly full") != std::string::npos);
    REQUIRE(commands(sick.text).size() == 1);
    REQUIRE(commands(sick.text)[0].rfind("ls -lhS " + folder, 0) == 0);
  }
}

TEST_CASE("the program's own doctor says how it stands by its exit status", "[host][doctor]") {
  Folder home;
  REQUIRE(run_host(home.path(), {"doctor"}).status == 1);
  fs::create_directories(home / ".mozilla");
  REQUIRE(run_host(home.path(), {"install"}).status == 0);
  const Result well = run_host(home.path(), {"doctor"});
  INFO(well.out << well.err);
  // The disk of the machine that runs the tests is not the program's fault.
  if (well.out.find("nearly full") == std::string::npos) REQUIRE(well.status == 0);
  fs::remove(home / ".mozilla/native-messaging-hosts/io.shadegrad.host.json");
  REQUIRE(run_host(home.path(), {"doctor"}).status == 1);
}

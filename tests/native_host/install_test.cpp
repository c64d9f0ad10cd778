// Registering with browsers, in a home of its own: the right files with the right bytes, the same again, nothing left
// afterwards, and no trust in places that others may change.
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "native_host/build.h"
#include "tests/native_host/program.h"

using namespace sg::test;
namespace fs = std::filesystem;

namespace {

const char* const kFiles[] = {
    ".config/chromium/NativeMessagingHosts/io.shadegrad.host.json",
    ".config/google-chrome/NativeMessagingHosts/io.shadegrad.host.json",
    ".config/microsoft-edge/NativeMessagingHosts/io.shadegrad.host.json",
    ".config/BraveSoftware/Brave-Browser/NativeMessagingHosts/io.shadegrad.host.json",
    ".mozilla/native-messaging-hosts/io.shadegrad.host.json",
};

bool says(const Result& r, const std::string& text) { return (r.out + r.err).find(text) != std::string::npos; }

}  // namespace

TEST_CASE("install writes one manifest a browser, the same each time, and uninstall leaves nothing", "[host]") {
  Folder home;
  const Result first = run_host(home.path(), {"install", "--browser", "all"});
  INFO(first.out << first.err);
  REQUIRE(first.status == 0);
  std::vector<std::string> bytes;
  for (const char* file : kFiles) {
    const Json manifest = Json::parse(read_file(home / file));
    REQUIRE(manifest["name"] == "io.shadegrad.host");
    REQUIRE(manifest["type"] == "stdio");
    REQUIRE(manifest["path"] == fs::canonical(SG_HOST_PROGRAM).string());
    const bool firefox = std::string(file).find("mozilla") != std::string::npos;
    REQUIRE(manifest.size() == 5);
    if (firefox) {
      REQUIRE(manifest["allowed_extensions"] == Json::array({"shadegrad@shadegrad.io"}));
    } else {
      REQUIRE(manifest["allowed_origins"][0] == chromium_arguments()[0]);
    }
    bytes.push_back(read_file(home / file));
    REQUIRE(names(fs::path(home / file).parent_path()).size() == 1);
  }
  REQUIRE(fs::is_directory(home / "Shadegrad/checkpoints"));
  REQUIRE(run_host(home.path(), {"doctor"}).status == 0);

  const auto written = fs::last_write_time(home / kFiles[0]);
  const Result second = run_host(home.path(), {"install", "--browser", "all"});
  REQUIRE(second.status == 0);
  REQUIRE(says(second, "chromium: unchanged " + (home / kFiles[0])));
  REQUIRE_FALSE(says(second, "wrote"));
  for (std::size_t i = 0; i < bytes.size(); ++i) REQUIRE(read_file(home / kFiles[i]) == bytes[i]);
  REQUIRE(fs::last_write_time(home / kFiles[0]) == written);

  REQUIRE(run_host(home.path(), {"grant", "/usr/share"}).status == 0);
  const Result removed = run_host(home.path(), {"uninstall"});
  REQUIRE(removed.status == 0);
  REQUIRE(says(removed, home / kFiles[4]));
  REQUIRE(names(home.path()).empty());
  REQUIRE(says(run_host(home.path(), {"uninstall"}), "Nothing was installed"));
}

TEST_CASE("uninstall keeps what is the person's", "[host]") {
  Folder home;
  write_file(home / ".config/chromium/Local State", "{}");
  write_file(home / ".mozilla/native-messaging-hosts/other.json", "{}");
  REQUIRE(run_host(home.path(), {"install", "--browser", "chromium", "--browser", "firefox"}).status == 0);
  write_file(home / "Shadegrad/data.csv", "a\n");
  const Result removed = run_host(home.path(), {"uninstall"});
  REQUIRE(says(removed, "kept " + (home / "Shadegrad")));
  REQUIRE(names(home / ".config/chromium") == std::vector<std::string>{"Local State"});
  REQUIRE(names(home / ".mozilla/native-messaging-hosts") == std::vector<std::string>{"other.json"});
  REQUIRE(exists(home / "Shadegrad/data.csv"));
}

TEST_CASE("without a name, the browsers that are there are served; a private profile alone when it is named",
          "[host]") {
  Folder home;
  REQUIRE(run_host(home.path(), {"install"}).status == 1);
  fs::create_directories(home / ".config/chromium");
  REQUIRE(run_host(home.path(), {"install"}).status == 0);
  REQUIRE(exists(home / kFiles[0]));
  REQUIRE_FALSE(exists(home / kFiles[1]));
  Folder profile;
  const Result r = run_host(home.path(), {"install", "--profile", profile / "private"});
  INFO(r.out << r.err);
  REQUIRE(r.status == 0);
  REQUIRE(exists(profile / "private/NativeMessagingHosts/io.shadegrad.host.json"));
  REQUIRE(run_host(home.path(), {"doctor", "--profile", profile / "private"}).status == 0);
  REQUIRE(run_host(home.path(), {"uninstall", "--profile", profile / "private"}).status == 0);
  REQUIRE_FALSE(exists(profile / "private/NativeMessagingHosts"));
  REQUIRE(exists(home / kFiles[0]));
  for (const std::vector<std::string>& bad : {std::vector<std::string>{"install", "--browser", "netscape"},
                                              {"install", "--browser"},
                                              {"install", "--force", "x"}}) {
    REQUIRE(run_host(home.path(), bad).status == 1);
  }
}

TEST_CASE("install refuses places that other people may change, and says which", "[host]") {
  Folder home;
  const auto refused = [&](const std::string& place) {
    const Result r = run_host(home.path(), {"install", "--browser", "chromium"});
    INFO(r.out << r.err);
    REQUIRE(r.status == 1);
    REQUIRE(says(r, place));
    REQUIRE_FALSE(exists(home / kFiles[0]));
  };
  fs::create_directories(home / ".config/chromium/NativeMessagingHosts");
  for (const char* folder : {".config/chromium/NativeMessagingHosts", ".config/chromium", ".config"}) {
    for (const mode_t mode : {0777, 0770}) {
      chmod((home / folder).c_str(), mode);
      refused(home / folder);
      chmod((home / folder).c_str(), 0755);
    }
  }
  chmod(home.path().c_str(), 0777);
  refused(home.path());
  // With the sticky bit nobody can replace what is another's, as in /tmp.
  chmod(home.path().c_str(), 01777);
  REQUIRE(run_host(home.path(), {"install", "--browser", "chromium"}).status == 0);

  // A program that others may replace is not registered.
  Folder away;
  fs::create_directories(away / "open/bin");
  fs::copy_file(SG_HOST_PROGRAM, away / "open/bin/shadegrad-host");
  chmod((away / "open").c_str(), 0777);
  const std::string copy = away / "open/bin/shadegrad-host";
  const Result r = run_program(copy, home.path(), {"install", "--browser", "firefox"});
  REQUIRE(r.status == 1);
  REQUIRE(says(r, away / "open"));
  REQUIRE_FALSE(exists(home / kFiles[4]));
}

TEST_CASE("doctor tells what is wrong with each browser", "[host]") {
  Folder home;
  const Result none = run_host(home.path(), {"doctor"});
  REQUIRE(none.status == 1);
  REQUIRE(says(none, "chromium: not installed"));
  REQUIRE(says(none, "not there; make it"));
  REQUIRE(run_host(home.path(), {"install", "--browser", "all"}).status == 0);
  Json manifest = Json::parse(read_file(home / kFiles[0]));
  manifest["path"] = "/elsewhere/shadegrad-host";
  write_file(home / kFiles[0], manifest.dump());
  manifest = Json::parse(read_file(home / kFiles[1]));
  manifest["allowed_origins"] = {"chrome-extension://" + std::string(32, 'a') + "/"};
  write_file(home / kFiles[1], manifest.dump());
  write_file(home / kFiles[2], "{");
  chmod((home / kFiles[3]).c_str(), 0666);
  fs::create_directories(home / "snap/firefox");
  fs::create_directories(home / ".var/app/org.chromium.Chromium");
  const Result r = run_host(home.path(), {"doctor"});
  INFO(r.out);
  REQUIRE(says(r, "starts another program, \"/elsewhere/shadegrad-host\""));
  REQUIRE(says(r, "ids of the extension are not those"));
  REQUIRE(says(r, "edge: " + (home / kFiles[2]) + ": damaged"));
  REQUIRE(says(r, "brave: " + (home / kFiles[3]) + ": not safe"));
  REQUIRE(says(r, "firefox: " + (home / kFiles[4]) + ": ok"));
  REQUIRE(says(r, "firefox: installed as a snap"));
  REQUIRE(says(r, "chromium: installed as a flatpak"));
  REQUIRE(r.status == 0);
}

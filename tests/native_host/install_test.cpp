// Registering with browsers, in a home of its own: the right files with the right bytes, the same again, nothing left
// afterwards, no file for what lives in a sandbox or is somebody else's, and no trust in places that others may change.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "native_host/browsers.h"
#include "native_host/build.h"
#include "native_host/safety.h"
#include "tests/native_host/program.h"

using namespace sg::test;
namespace fs = std::filesystem;
namespace host = sg::host;

namespace {

/// As the browsers' own pages name them; the table in the program is held against this one.
const std::vector<std::pair<std::string, std::string>> kFiles{
    {"chrome", ".config/google-chrome/NativeMessagingHosts/io.shadegrad.host.json"},
    {"chromium", ".config/chromium/NativeMessagingHosts/io.shadegrad.host.json"},
    {"edge", ".config/microsoft-edge/NativeMessagingHosts/io.shadegrad.host.json"},
    {"brave", ".config/BraveSoftware/Brave-Browser/NativeMessagingHosts/io.shadegrad.host.json"},
    {"vivaldi", ".config/vivaldi/NativeMessagingHosts/io.shadegrad.host.json"},
    {"firefox", ".mozilla/native-messaging-hosts/io.shadegrad.host.json"},
    {"librewolf", ".librewolf/native-messaging-hosts/io.shadegrad.host.json"},
};
const std::string kChromium = kFiles[1].second, kFirefox = kFiles[5].second;

bool says(const Result& r, const std::string& text) { return (r.out + r.err).find(text) != std::string::npos; }

}  // namespace

TEST_CASE("install writes one manifest a browser, the same each time, and uninstall leaves nothing", "[host]") {
  Folder home;
  REQUIRE(host::browsers().size() == kFiles.size());
  const Result first = run_host(home.path(), {"install", "--browser", "all"});
  INFO(first.out << first.err);
  REQUIRE(first.status == 0);
  std::vector<std::string> bytes;
  for (const auto& [browser, file] : kFiles) {
    const Json manifest = Json::parse(read_file(home / file));
    REQUIRE(manifest["name"] == "io.shadegrad.host");
    REQUIRE(manifest["type"] == "stdio");
    REQUIRE(manifest["path"] == fs::canonical(SG_HOST_PROGRAM).string());
    REQUIRE(manifest.size() == 5);
    if (browser == "firefox" || browser == "librewolf") {
      REQUIRE(manifest["allowed_extensions"] == Json::array({"shadegrad@shadegrad.io"}));
    } else {
      REQUIRE(manifest["allowed_origins"][0] == chromium_arguments()[0]);
    }
    bytes.push_back(read_file(home / file));
    REQUIRE(names(fs::path(home / file).parent_path()).size() == 1);
    REQUIRE(says(first, browser + ": wrote " + (home / file)));
  }
  REQUIRE(fs::is_directory(home / "Shadegrad/checkpoints"));

  const auto written = fs::last_write_time(home / kChromium);
  const Result second = run_host(home.path(), {"install", "--browser", "all"});
  REQUIRE(second.status == 0);
  REQUIRE_FALSE(says(second, "wrote"));
  REQUIRE_FALSE(says(second, "replaced"));
  for (std::size_t i = 0; i < kFiles.size(); ++i) {
    REQUIRE(says(second, kFiles[i].first + ": already set up in " + (home / kFiles[i].second)));
    REQUIRE(read_file(home / kFiles[i].second) == bytes[i]);
  }
  REQUIRE(fs::last_write_time(home / kChromium) == written);

  REQUIRE(run_host(home.path(), {"grant", "/usr/share"}).status == 0);
  fs::create_directories(home / "Shadegrad/datasets");  // as every start of the host does
  // What a killed write leaves behind goes as well; a name that only resembles it stays.
  write_file(home / (kChromium.substr(0, kChromium.size() - 22) + ".io.shadegrad.host.json.0123456789abcdef"), "x");
  const Result removed = run_host(home.path(), {"uninstall"});
  INFO(removed.out << removed.err);
  REQUIRE(removed.status == 0);
  for (const auto& [browser, file] : kFiles) REQUIRE(says(removed, browser + ": removed " + (home / file)));
  REQUIRE(names(home.path()).empty());
  const Result again = run_host(home.path(), {"uninstall"});
  REQUIRE(again.status == 0);
  REQUIRE(says(again, "Nothing was installed"));
}

TEST_CASE("uninstall keeps what is the person's, and says where it is", "[host]") {
  Folder home;
  write_file(home / ".config/chromium/Local State", "{}");
  write_file(home / ".mozilla/native-messaging-hosts/other.json", "{}");
  REQUIRE(run_host(home.path(), {"install", "--browser", "chromium", "--browser", "firefox"}).status == 0);
  Folder data;
  REQUIRE(run_host(home.path(), {"grant", data.path()}).status == 0);
  write_file(home / "Shadegrad/data.csv", "a\n");
  const std::string saved = checkpoint("7");
  write_file(home / "Shadegrad/checkpoints/run/one.safetensors", saved);
  write_file(home / "Shadegrad/checkpoints/run/two.safetensors", saved);
  write_file(home / "Shadegrad/checkpoints/run/.partial-0123456789abcdef", "left by a host that was killed");
  const Result removed = run_host(home.path(), {"uninstall"});
  INFO(removed.out << removed.err);
  REQUIRE(removed.status == 0);
  REQUIRE(says(removed, "kept 2 checkpoints (" + std::to_string(2 * saved.size()) + " bytes) in " +
                            (home / "Shadegrad/checkpoints")));
  REQUIRE(says(removed, data.path()));
  REQUIRE(fs::is_directory(data.path()));
  REQUIRE(names(home / ".config/chromium") == std::vector<std::string>{"Local State"});
  REQUIRE_FALSE(exists(home / ".config/shadegrad"));
  REQUIRE(names(home / ".mozilla/native-messaging-hosts") == std::vector<std::string>{"other.json"});
  REQUIRE(read_file(home / "Shadegrad/checkpoints/run/one.safetensors") == saved);
  REQUIRE(names(home / "Shadegrad/checkpoints/run").size() == 2);
  REQUIRE(exists(home / "Shadegrad/data.csv"));
}

TEST_CASE("without a name, the browsers that are there are served; a private profile alone when it is named",
          "[host]") {
  Folder home;
  const Result none = run_host(home.path(), {"install"});
  REQUIRE(none.status == 1);
  REQUIRE(says(none, "install --browser all"));
  fs::create_directories(home / ".config/chromium");
  REQUIRE(run_host(home.path(), {"install"}).status == 0);
  REQUIRE(exists(home / kChromium));
  for (const auto& [browser, file] : kFiles) REQUIRE(exists(home / file) == (browser == "chromium"));
  Folder profile;
  const Result r = run_host(home.path(), {"install", "--profile", profile / "private"});
  INFO(r.out << r.err);
  REQUIRE(r.status == 0);
  REQUIRE(exists(profile / "private/NativeMessagingHosts/io.shadegrad.host.json"));
  REQUIRE(run_host(home.path(), {"doctor", "--profile", profile / "private"}).status == 0);
  REQUIRE(run_host(home.path(), {"uninstall", "--profile", profile / "private"}).status == 0);
  REQUIRE_FALSE(exists(profile / "private/NativeMessagingHosts"));
  REQUIRE(exists(home / kChromium));
  for (const std::vector<std::string>& bad : {std::vector<std::string>{"install", "--browser", "netscape"},
                                              {"install", "--browser"},
                                              {"install", "--browser", "all", "--browser", "netscape"},
                                              {"install", "--force", "x"}}) {
    REQUIRE(run_host(home.path(), bad).status == 1);
  }
}

TEST_CASE("a file that this program did not write is neither replaced nor removed unasked", "[host]") {
  Folder home;
  const Json own = {{"name", "io.shadegrad.host"}, {"path", "/home/me/wrapper.sh"}};
  for (const std::string& theirs : {own.dump(), std::string("{"), std::string()}) {
    write_file(home / kChromium, theirs);
    for (const char* verb : {"install", "uninstall"}) {
      const Result r = run_host(home.path(), {verb, "--browser", "chromium"});
      INFO(r.out << r.err);
      REQUIRE(r.status == 1);
      REQUIRE(says(r, home / kChromium));
      REQUIRE(says(r, "did not write"));
      REQUIRE(read_file(home / kChromium) == theirs);
    }
    REQUIRE(run_host(home.path(), {"install", "--browser", "chromium", "--replace"}).status == 0);
    REQUIRE(Json::parse(read_file(home / kChromium))["path"] == fs::canonical(SG_HOST_PROGRAM).string());
  }

  SECTION("a link to a manifest is somebody's, too") {
    fs::rename(home / kChromium, home / "kept.json");
    Json other = Json::parse(read_file(home / "kept.json"));
    other["path"] = "/elsewhere/shadegrad-host";
    write_file(home / "kept.json", other.dump());
    fs::create_symlink(home / "kept.json", home / kChromium);
    REQUIRE(run_host(home.path(), {"install", "--browser", "chromium"}).status == 1);
    REQUIRE(fs::is_symlink(home / kChromium));
  }

  SECTION("that of another copy is replaced, and that is said") {
    Json other = Json::parse(read_file(home / kChromium));
    other["path"] = "/elsewhere/shadegrad-host";
    write_file(home / kChromium, other.dump());
    const Result r = run_host(home.path(), {"install", "--browser", "chromium"});
    REQUIRE(r.status == 0);
    REQUIRE(says(r, "chromium: replaced " + (home / kChromium) + ", which named /elsewhere/shadegrad-host"));
  }
}

TEST_CASE("browsers in a sandbox are recognised by all of their traces", "[host]") {
  int cases = 0;
  for (const host::Browser& b : host::browsers()) {
    std::vector<std::pair<std::string, std::string>> traces;
    for (const char* place : {"home/.var/app/", "home/.local/share/flatpak/app/", "var/lib/flatpak/app/"})
      traces.emplace_back("flatpak", std::string(place) + b.flatpak);
    for (const char* place : {"snap/", "snap/bin/", "var/lib/snapd/snap/", "home/snap/"}) {
      if (b.snap != nullptr) traces.emplace_back("snap", std::string(place) + b.snap);
    }
    for (const auto& [kind, trace] : traces) {
      Folder root;
      const host::Places places{root / "home", root / "home/.config"};
      const host::System system{root.path(), root / "snap/bin:" + (root / "usr/bin")};
      write_file(root / (trace + "/x"), "");
      // Left from the time before the sandbox.
      fs::create_directories(fs::path(host::target_of(b, places).file).parent_path());
      INFO(b.name << " " << trace);
      const host::Presence boxed = host::presence_of(b, places, system);
      REQUIRE(boxed.only_sandboxed());
      REQUIRE(boxed.sandboxes.size() == 1);
      REQUIRE(boxed.sandboxes[0].kind == kind);
      // Ubuntu's package is a script that starts the snap.
      write_file(root / "usr/bin/" + b.programs[0], "#!/bin/sh\nexec /snap/bin/" + std::string(b.name) + "\n");
      REQUIRE(host::presence_of(b, places, system).only_sandboxed());
      write_file(root / "usr/bin/" + b.programs[0], "#!/bin/sh\nexec /usr/lib/browser\n");
      REQUIRE_FALSE(host::presence_of(b, places, system).only_sandboxed());
      ++cases;
    }
  }
  REQUIRE(cases == 7 * 3 + 4 * 4);
}

TEST_CASE("a browser that lives in a sandbox alone gets an explanation and no file", "[host]") {
  Folder home;
  fs::create_directories(home / ".var/app/com.google.Chrome");
  fs::create_directories(home / "snap/chromium");
  fs::create_directories(home / ".config/chromium");
  for (const std::vector<std::string>& how :
       {std::vector<std::string>{"install"}, {"install", "--browser", "chrome"}}) {
    const Result r = run_host(home.path(), how);
    INFO(r.out << r.err);
    REQUIRE(r.status == 1);
    REQUIRE(
        says(r, "chrome: no file was written: this browser is a flatpak (" + (home / ".var/app/com.google.Chrome)")));
    for (const auto& [browser, file] : kFiles) REQUIRE_FALSE(exists(home / file));
  }
  fs::create_directories(home / ".mozilla");
  const Result r = run_host(home.path(), {"install"});
  REQUIRE(r.status == 0);
  REQUIRE(says(r, "chromium: no file was written: this browser is a snap"));
  for (const auto& [browser, file] : kFiles) REQUIRE(exists(home / file) == (browser == "firefox"));
}

TEST_CASE("install refuses a program and a manifest in places that other people may change", "[host]") {
  Folder home, away;
  fs::create_directories(away / "opt/shadegrad/bin");
  fs::copy_file(SG_HOST_PROGRAM, away / "opt/shadegrad/bin/shadegrad-host");
  fs::create_directories(fs::path(home / kFirefox).parent_path());
  const std::string program = away / "opt/shadegrad/bin/shadegrad-host";
  const auto attempt = [&] { return run_program(program, home.path(), {"install", "--browser", "firefox"}); };
  int refused = 0;
  const auto refuses = [&](const std::string& place, const std::string& command) {
    const Result r = attempt();
    INFO(place << "\n" << r.out << r.err);
    REQUIRE(r.status == 1);
    REQUIRE(says(r, command + " " + place));
    REQUIRE_FALSE(exists(home / kFirefox));
    ++refused;
  };
  for (const std::string& place : {program, away / "opt/shadegrad/bin", away / "opt", home / ".mozilla",
                                   home / ".mozilla/native-messaging-hosts", home.path()}) {
    struct stat before {};
    stat(place.c_str(), &before);
    for (const mode_t mode : {0777, 0775, 0757}) {
      chmod(place.c_str(), mode);
      refuses(place, "chmod go-w");
      chmod(place.c_str(), before.st_mode & 07777);
    }
    // Only root can give a file to somebody else.
    if (geteuid() != 0) continue;
    REQUIRE(chown(place.c_str(), 4242, 4242) == 0);
    refuses(place, "sudo chown 0");
    REQUIRE(chown(place.c_str(), 0, 0) == 0);
  }
  REQUIRE(refused == (geteuid() == 0 ? 24 : 18));
  // With the sticky bit nobody can replace what is another's, as in /tmp.
  chmod((away / "opt").c_str(), 01777);
  REQUIRE(attempt().status == 0);
}

TEST_CASE("danger is looked for through links, and in each folder that a link leads through", "[host]") {
  Folder place;
  fs::create_directories(place / "safe");
  fs::create_directories(place / "open/inner");
  write_file(place / "open/inner/file", "");
  chmod((place / "open").c_str(), 0777);
  fs::create_symlink("../open/inner", place / "safe/relative");
  fs::create_symlink(place / "safe/relative", place / "safe/absolute");
  for (const char* way : {"open/inner/file", "safe/relative/file", "safe/absolute/file", "safe/absolute/../none"}) {
    const auto danger = host::danger_at(place / way);
    INFO(way);
    REQUIRE(danger.has_value());
    REQUIRE(danger->place == place / "open");
  }
  REQUIRE_FALSE(host::danger_at(place / "safe/nothing/here").has_value());
  fs::create_symlink("loop", place / "safe/loop");
  REQUIRE(host::danger_at(place / "safe/loop/file").has_value());
}

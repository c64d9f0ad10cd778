// What only Windows has: the registry that leads to a manifest, and where a person's things are.
#if defined(_WIN32)
#include <catch2/catch.hpp>
#include <cstdlib>

#include "native_host/manifest.h"
#include "native_host/registry.h"

using namespace sg::host;

TEST_CASE("places are those that Windows names, with slashes", "[windows]") {
  _putenv("USERPROFILE=C:\\users\\somebody");
  _putenv("LOCALAPPDATA=C:\\users\\somebody\\AppData\\Local\\");
  REQUIRE(Places::from_environment().home == "C:/users/somebody");
  REQUIRE(Places::from_environment().grants() == "C:/users/somebody/AppData/Local/shadegrad/grants.json");
  _putenv("LOCALAPPDATA=");
  REQUIRE(Places::from_environment().config == "C:/users/somebody/AppData/Local");
  _putenv("USERPROFILE=somebody");
  REQUIRE_THROWS_AS(Places::from_environment(), Failure);
  _putenv("USERPROFILE=C:\\users\\somebody");
}

TEST_CASE("each browser's key leads to a manifest of its family's shape, and can be taken back", "[windows]") {
  const std::string folder = environment("TEMP") + "/shadegrad " + random_name();
  const Places places{folder, folder};
  for (const Browser& browser : browsers()) {
    CAPTURE(browser.name);
    const Target target = target_of(browser, places);
    REQUIRE(target.registry_key.rfind("Software\\", 0) == 0);
    REQUIRE(target.registry_key.find("\\NativeMessagingHosts\\io.shadegrad.host") != std::string::npos);
    const std::string program = "C:\\Program Files\\Shadegrad ä\\shadegrad-host.exe";
    write_whole(target.file, manifest_for(browser.family, program), 0644);
    write_registry(target.registry_key, target.file);
    REQUIRE(read_registry(target.registry_key) == target.file);
    const HostManifest manifest = read_manifest(target);
    REQUIRE(manifest.kind == HostManifest::Kind::own);
    REQUIRE(manifest.program == program);
    REQUIRE(manifest.fault.empty());
  }
  for (const Browser& browser : browsers()) {
    const std::string key = target_of(browser, places).registry_key;
    remove_registry(key);
    REQUIRE_FALSE(remove_registry(key));
    REQUIRE(read_registry(key).empty());
  }
}
#endif

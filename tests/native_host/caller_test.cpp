// Who may start the host, what a message must look like, and that PROTOCOL.md tells the whole truth about errors.
#include "native_host/caller.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <regex>
#include <set>

#include "native_host/build.h"
#include "native_host/framing.h"
#include "native_host/messages.h"
#include "tests/native_host/program.h"

using namespace sg::host;
using sg::test::Json;
using sg::test::Program;
using Arguments = std::vector<std::string>;

namespace {

const std::string kOrigin = "chrome-extension://" + std::string(kChromiumIds[0]) + "/";
const std::string kManifest = "/home/x/.mozilla/native-messaging-hosts/io.shadegrad.host.json";

Json hello(std::int64_t min, std::int64_t max) {
  return {{"id", 1}, {"type", "hello"}, {"protocol", {{"min", min}, {"max", max}}}, {"extension", "9.9.9"}};
}

}  // namespace

TEST_CASE("only the compiled-in extensions may start the host", "[host]") {
  const std::string id(kChromiumIds[0]);
  std::string upper = kOrigin, other = kOrigin;
  upper[20] = static_cast<char>(std::toupper(upper[20]));
  other[20] = other[20] == 'a' ? 'b' : 'a';
  const std::vector<Arguments> wrong{
      {},
      {""},
      {other},
      {upper},
      {kOrigin.substr(0, kOrigin.size() - 1)},
      {kOrigin + "/"},
      {kOrigin + "popup.html"},
      {" " + kOrigin},
      {kOrigin + "\n"},
      {kOrigin, kOrigin},
      {kOrigin, other},
      {other, kOrigin},
      {kOrigin, "extra"},
      {"chrome-extension:///"},
      {"chrome-extension://*/"},
      {"https://" + id + "/"},
      {"moz-extension://" + id + "/"},
      {id},
      {kFirefoxId},
      {kFirefoxId, kManifest},
      {kManifest},
      {kManifest, "other@shadegrad.io"},
      {kManifest, std::string(kFirefoxId) + " "},
      {"relative/io.shadegrad.host.json", kFirefoxId},
      {"/home/x/other.json", kFirefoxId},
      {kManifest, kFirefoxId, "extra"},
      {std::string(65'536, 'a')},
      {"--parent-window=0"},
      {"--" + kOrigin},
      {kOrigin, "--evil\x01"},
      {kOrigin, "-x"},
      {kOrigin, "--"},
  };
  for (const Arguments& a : wrong) {
    INFO(Json(a).dump(-1, ' ', true, Json::error_handler_t::replace));
    REQUIRE_FALSE(refuse_caller(a).empty());
  }
  const std::vector<Arguments> right{{kOrigin},
                                     {kOrigin, "--parent-window=0"},
                                     {"--parent-window=12345", kOrigin},
                                     {kOrigin, "--reconnect-command=abc"},
                                     {kManifest, kFirefoxId}};
  for (const Arguments& a : right) REQUIRE(refuse_caller(a).empty());

  sg::test::Folder home;
  const std::string message = encode_frame(hello(1, 1).dump());
  for (const Arguments& a : wrong) {
    const auto result = sg::test::run_host(home.path(), a, message);
    REQUIRE(result.status == 2);
    REQUIRE(result.unread == message.size());
    REQUIRE(result.out.empty());
    REQUIRE(result.err.rfind("shadegrad-host: ", 0) == 0);
  }
  for (const Arguments& a : right) {
    Program host(home.path(), a);
    REQUIRE(host.hello()["ok"] == true);
  }
}

TEST_CASE("hello agrees on a version, or says which side to update", "[host]") {
  sg::test::Folder home;
  Program host(home.path());
  const Json newer = host.ask(hello(2, 5));
  REQUIRE(newer["code"] == "protocol.unsupported");
  REQUIRE(newer["update"] == "host");
  REQUIRE(newer["message"].get<std::string>().find("Update the native host") != std::string::npos);
  // Still nobody: a refused hello opens nothing.
  REQUIRE(host.ask({{"id", 2}, {"type", "dataset.list"}})["code"] == "protocol.hello_required");
  const Json range = host.ask(hello(1, 7));
  REQUIRE(range["ok"] == true);
  REQUIRE(range["protocol"] == 1);
  REQUIRE(range["os"] == "linux");
  REQUIRE(range["host"] == kVersion);
  REQUIRE(range["frames"] == 0);
  REQUIRE(range["checkpoints"] == home / "Shadegrad/checkpoints");
  REQUIRE(range["roots"] == Json::parse(R"([{"name":"Shadegrad","available":true}])"));
  REQUIRE(host.ask({{"id", 2}, {"type", "dataset.list"}})["ok"] == true);

  // The other direction needs a host that has moved on: the rule itself, with an extension older than version 1.
  Hello old = [] {
    const Values message = read_json(hello(1, 1).dump());
    Fields fields(message[0]);
    fields.whole("id", 1, 1);
    return Hello(fields);
  }();
  old.min = old.max = 0;
  try {
    negotiate(old);
    FAIL("version 0 was accepted");
  } catch (const Failure& e) {
    REQUIRE(e.code() == "protocol.unsupported");
    REQUIRE(e.details()["update"] == "extension");
    REQUIRE(std::string(e.what()).find("Update the extension") != std::string::npos);
  }
}

TEST_CASE("fields are exactly those of the message", "[host]") {
  sg::test::Folder home;
  Program host(home.path());
  host.hello();
  struct Case {
    Json message;
    const char* field;
  };
  const std::vector<Case> cases{
      {{{"type", "dataset.read"}, {"credits", 1}}, "path"},
      {{{"type", "dataset.read"}, {"path", "a"}}, "credits"},
      {{{"type", "dataset.read"}, {"path", 7}, {"credits", 1}}, "path"},
      {{{"type", "dataset.read"}, {"path", "a"}, {"credits", 0}}, "credits"},
      {{{"type", "dataset.read"}, {"path", "a"}, {"credits", 65}}, "credits"},
      {{{"type", "dataset.read"}, {"path", "a"}, {"credits", 1.0}}, "credits"},
      {{{"type", "dataset.read"}, {"path", "a"}, {"credits", true}}, "credits"},
      {{{"type", "dataset.read"}, {"path", "a"}, {"credits", 18446744073709551615u}}, "credits"},
      {{{"type", "dataset.read"}, {"path", "a"}, {"credits", 1}, {"offset", -1}}, "offset"},
      {{{"type", "dataset.read"}, {"path", "a"}, {"credits", 1}, {"root", "/"}}, "root"},
      {{{"type", "dataset.list"}, {"limit", 0}}, "limit"},
      {{{"type", "dataset.list"}, {"recursive", 1}}, "recursive"},
      {{{"type", "dataset.list"}, {"path", nullptr}}, "path"},
      {{{"type", "dataset.describe"}, {"path", "a"}, {"options", Json::array()}}, "options"},
      {{{"type", "hello"}, {"extension", "1"}}, "protocol"},
      {{{"type", "hello"}, {"extension", "1"}, {"protocol", {{"min", 2}, {"max", 1}}}}, "protocol.max"},
      {{{"type", "hello"}, {"extension", "1"}, {"protocol", {{"min", 1}, {"max", 1}, {"x", 1}}}}, "protocol.x"},
      {{{"type", "checkpoint.begin"}, {"name", "run/a.safetensors"}, {"size", 0}}, "size"},
      {{{"type", "checkpoint.begin"}, {"name", "run/a.safetensors"}, {"size", 9007199254740992}}, "size"},
      {{{"type", "checkpoint.write"}, {"handle", 1}, {"sequence", 0}, {"bytes", ""}}, "bytes"},
      {{{"type", "checkpoint.write"}, {"handle", 1}, {"sequence", 0}, {"bytes", "????"}}, "bytes"},
      {{{"type", "checkpoint.write"},
        {"handle", 1},
        {"sequence", 0},
        {"bytes", sg::test::base64(std::string(524'289, 'x'))}},
       "bytes"},
      {{{"type", "checkpoint.commit"}, {"handle", 0}}, "handle"},
      {{{"type", "checkpoint.list"}, {"cursor", "nonsense"}}, "cursor"},
      {{{"type", "request.cancel"}}, "target"},
      {{{"type", 5}}, "type"},
  };
  for (Json message : {Json{{"type", "dataset.write"}}, Json{{"type", ""}}, Json{{"type", "Hello"}}}) {
    message["id"] = 5;
    REQUIRE(host.ask(message)["code"] == "message.unknown");
  }
  for (const Case& c : cases) {
    Json message = c.message;
    message["id"] = 5;
    const Json reply = host.ask(message);
    INFO(message.dump().substr(0, 200) << " -> " << reply.dump());
    REQUIRE(reply["code"] == "message.invalid");
    REQUIRE(reply["field"] == c.field);
  }
}

TEST_CASE("requests are bounded, and an id in use is refused", "[host]") {
  sg::test::Folder home;
  sg::test::write_file(home / "Shadegrad/a.bin", sg::test::noise(200'000));
  Program host(home.path());
  host.hello();
  for (int i = 1; i <= 8; ++i) {
    REQUIRE(host.ask({{"id", i}, {"type", "dataset.read"}, {"path", "Shadegrad/a.bin"}, {"credits", 1}})["ok"] == true);
    REQUIRE((*host.receive())["type"] == "dataset.data");
  }
  REQUIRE(host.ask({{"id", 9}, {"type", "dataset.read"}, {"path", "Shadegrad/a.bin"}, {"credits", 1}})["code"] ==
          "request.busy");
  REQUIRE(host.ask({{"id", 3}, {"type", "dataset.list"}})["code"] == "request.duplicate");
  REQUIRE(host.ask({{"id", 10}, {"type", "request.cancel"}, {"target", 3}})["cancelled"] == true);
  REQUIRE((*host.receive())["code"] == "request.cancelled");
  REQUIRE(host.ask({{"id", 3}, {"type", "dataset.list"}})["ok"] == true);
}

TEST_CASE("every error code stands in PROTOCOL.md, and every code there is used", "[host]") {
  std::set<std::string> thrown, written;
  const std::string folder = std::string(SG_SOURCE_DIR) + "/native_host";
  const auto collect = [](std::set<std::string>& into, const std::string& text, const std::regex& pattern) {
    for (std::sregex_iterator i(text.begin(), text.end(), pattern), end; i != end; ++i) into.insert((*i)[1]);
  };
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
    collect(thrown, sg::test::read_file(entry.path()),
            std::regex(R"re(Failure(?: fault)?\(\s*"([a-z_]+\.[a-z_]+)")re"));
  }
  const std::string page = sg::test::read_file(folder + "/PROTOCOL.md");
  const std::string table = page.substr(page.find("## Error codes"));
  collect(written, table, std::regex(R"re(\n\| `([a-z_.]+)` \|)re"));
  REQUIRE(written.size() > 25);
  REQUIRE(thrown == written);
}

TEST_CASE("every message of the table stands in PROTOCOL.md", "[host]") {
  std::set<std::string> handled, written;
  const std::string folder = std::string(SG_SOURCE_DIR) + "/native_host";
  const auto collect = [](std::set<std::string>& into, const std::string& text, const std::regex& pattern) {
    for (std::sregex_iterator i(text.begin(), text.end(), pattern), end; i != end; ++i) into.insert((*i)[1]);
  };
  collect(handled, sg::test::read_file(folder + "/host.cpp"), std::regex(R"re(\{"([a-z.]+)", &Host::)re"));
  const std::string page = sg::test::read_file(folder + "/PROTOCOL.md");
  collect(written, page.substr(0, page.find("### hello")), std::regex(R"re(\n\| `([a-z.]+)` \|)re"));
  REQUIRE(handled.size() > 10);
  REQUIRE(handled == written);
}

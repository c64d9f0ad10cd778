// What `inspect` tells of a checkpoint: everything that is in it, in tables; what is wrong with a damaged one and
// where; and nothing that could disturb a terminal, whatever the file says.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>

#include "io/safetensors.h"
#include "native_host/terminal.h"
#include "tests/native_host/program.h"

using namespace sg::test;

namespace {

std::string file_of(const std::map<std::string, std::string>& metadata, const std::string& name = "lstm.weight") {
  const std::string raw = noise(24);
  const std::span<const std::uint8_t> bytes{reinterpret_cast<const std::uint8_t*>(raw.data()), raw.size()};
  const std::vector<sg::TensorBytes> tensors{{name, sg::Dtype::I32, {2, 2}, bytes.first(16)},
                                             {"step", sg::Dtype::I64, {}, bytes.first(8)}};
  const auto file = sg::write_safetensors(tensors, metadata);
  return {file.begin(), file.end()};
}

const std::map<std::string, std::string> kRun{
    {"format", std::string(sg::kCheckpointFormat)},
    {"config", R"({"batchSize":32,"features":["a","b"],"model":{"name":"lstm","hidden":64}})"},
    {"state", R"({"step":1200,"epoch":3,"validationLoss":0.0125,"best":{"loss":0.0119,"epoch":2}})"},
    {"dataset", R"({"name":"ETTh1.csv","rows":17420})"},
    {"device", R"({"device":"cpu","detail":"won the race"})"},
    {"history", "null"}};

/// A file as other programs write it, without hashes, of one F32 tensor `w`.
std::string foreign(const std::vector<float>& values) {
  const std::string header = R"({"w":{"dtype":"F32","shape":[)" + std::to_string(values.size()) +
                             R"(],"data_offsets":[0,)" + std::to_string(4 * values.size()) + "]}}";
  std::string file(8, '\0');
  file[0] = static_cast<char>(header.size());
  file += header;
  file.append(reinterpret_cast<const char*>(values.data()), 4 * values.size());
  return file;
}

struct Shelf {
  Folder home;
  Result inspect(const std::string& bytes, const std::vector<std::string>& more = {}) {
    write_file(home / "one.safetensors", bytes);
    std::vector<std::string> arguments{"inspect", home / "one.safetensors"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_host(home.path(), arguments);
  }
};

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

/// Nothing but printable text and line ends.
bool calm(const std::string& text) {
  return std::none_of(text.begin(), text.end(), [](unsigned char c) { return (c < 0x20 && c != '\n') || c == 0x7F; }) &&
         text.find("\u202E") == std::string::npos && text.find("\xC2\x9B") == std::string::npos;
}

}  // namespace

TEST_CASE("inspect shows a checkpoint's run, settings, tensors and checks", "[host][inspect]") {
  Shelf shelf;
  const std::string file = file_of(kRun);
  const Result r = shelf.inspect(file);
  INFO(r.out << r.err);
  REQUIRE(r.status == 0);
  REQUIRE(r.err.empty());
  REQUIRE(has_line(r.out, shelf.home / ("one.safetensors: " + std::to_string(file.size()) + " bytes")));
  for (const char* line : {"  model            lstm",
                           "  step             1200",
                           "  epoch            3",
                           "  validation loss  0.0125",
                           "  best loss        0.0119",
                           "  data set         ETTh1.csv",
                           "  rows             17420",
                           "  device           cpu",
                           "  batchSize     32",
                           "  features      [\"a\",\"b\"]",
                           "  model.hidden  64",
                           "tensors: 2, 24 bytes",
                           "  name         dtype  shape   bytes   share",
                           "  lstm.weight  I32    [2, 2]     16  66.7 %",
                           "  step         I64    []          8  33.3 %",
                           "  layout  ok",
                           "  format  ok",
                           "  hashes  ok",
                           "  finite  ok",
                           "  texts   ok"}) {
    CAPTURE(line);
    REQUIRE(has_line(r.out, line));
  }
}

TEST_CASE("inspect --json gives the same as one JSON text", "[host][inspect]") {
  Shelf shelf;
  const Result r = shelf.inspect(file_of(kRun), {"--json"});
  REQUIRE(r.status == 0);
  const Json json = Json::parse(r.out);
  REQUIRE(json["metadata"]["config"]["model"]["hidden"] == 64);
  REQUIRE(json["tensors"][0] == Json{{"name", "lstm.weight"},
                                     {"dtype", "I32"},
                                     {"shape", {2, 2}},
                                     {"begin", json["tensors"][0]["begin"]},
                                     {"bytes", 16}});
  REQUIRE(json["checks"].size() == 5);
  for (const Json& check : json["checks"]) REQUIRE(check["ok"] == true);
}

TEST_CASE("inspect says of a damaged file what is wrong and at which byte", "[host][inspect]") {
  Shelf shelf;
  const std::string file = file_of(kRun);
  const auto fails = [&](const std::string& bytes, const std::string& check) {
    for (const bool json : {false, true}) {
      const Result r = shelf.inspect(bytes, json ? std::vector<std::string>{"--json"} : std::vector<std::string>{});
      INFO(r.out << r.err);
      REQUIRE(r.status == 1);
      REQUIRE(calm(r.out));
      if (json) continue;
      const std::size_t at = r.out.find("  " + check + "  ");
      REQUIRE(at != std::string::npos);
      const std::string line = r.out.substr(at, r.out.find('\n', at) - at);
      CAPTURE(line);
      REQUIRE(line.find("FAILED: ") != std::string::npos);
      REQUIRE(line.find("byte ") != std::string::npos);
    }
  };
  SECTION("every byte of it") {
    for (std::size_t at = 0; at < file.size(); at += 1 + file.size() / 24) {
      CAPTURE(at);
      std::string bad = file;
      bad[at] ^= 1;
      write_file(shelf.home / "one.safetensors", bad);
      REQUIRE(run_host(shelf.home.path(), {"inspect", shelf.home / "one.safetensors"}).status == 1);
    }
  }
  SECTION("in a tensor") {
    std::string bad = file;
    bad[bad.size() - 3] ^= 4;
    fails(bad, "hashes");
  }
  SECTION("cut") { fails(file.substr(0, file.size() - 1), "layout"); }
  SECTION("cut in its header") { fails(file.substr(0, 40), "layout"); }
  SECTION("longer") { fails(file + "x", "layout"); }
  SECTION("empty") { fails("", "layout"); }
  SECTION("something else") { fails("PK\x03\x04 this is no checkpoint at all", "layout"); }
}

TEST_CASE("inspect judges files of other programs by what they have", "[host][inspect]") {
  Shelf shelf;
  const Result r = shelf.inspect(foreign({1, std::numeric_limits<float>::quiet_NaN()}));
  INFO(r.out << r.err);
  REQUIRE(r.status == 1);
  REQUIRE(has_line(r.out, "  layout  ok"));
  REQUIRE(r.out.find("  format  FAILED") != std::string::npos);
  REQUIRE(r.out.find("  hashes  FAILED") != std::string::npos);
  REQUIRE(r.out.find("  finite  FAILED") != std::string::npos);
  REQUIRE(has_line(shelf.inspect(foreign({1, 2})).out, "  finite  ok"));
}

TEST_CASE("inspect tells metadata that is not the JSON it should be", "[host][inspect]") {
  Shelf shelf;
  auto run = kRun;
  run["state"] = "{";
  const Result r = shelf.inspect(file_of(run));
  INFO(r.out);
  REQUIRE(r.status == 1);
  REQUIRE(r.out.find("  texts   FAILED: 'state'") != std::string::npos);
}

TEST_CASE("nothing in a file reaches the terminal as a control character", "[host][inspect]") {
  Shelf shelf;
  auto run = kRun;
  run["note\x1b]0;title\x07"] = "a\x1b[2Jb\r\n\u202Ec\x7F\u009b31m";
  run["config"] = R"({"a\u001b[1m":"x\u0007","model":{"name":"l\u001b[8m"}})";
  const Result r = shelf.inspect(file_of(run, "w\x1b[31m\u202E"));
  INFO(r.out);
  REQUIRE(r.status == 0);
  REQUIRE(calm(r.out));
  REQUIRE(r.out.find("w\\u{1B}[31m\\u{202E}") != std::string::npos);
  REQUIRE(r.out.find("a\\u{1B}[2Jb\\u{D}\\u{A}\\u{202E}c\\u{7F}\\u{9B}31m") != std::string::npos);
  REQUIRE(calm(shelf.inspect(file_of(run, "w\x1b[31m"), {"--json"}).out));
  const Result none = run_host(shelf.home.path(), {"inspect", "/nothing/\x1b[31m"});
  REQUIRE(none.status == 1);
  REQUIRE(calm(none.err));
}

TEST_CASE("inspect wants a regular file, and does not wait on anything else", "[host][inspect]") {
  Folder home;
  REQUIRE(mkfifo((home / "pipe").c_str(), 0600) == 0);
  for (const std::string& path : {home / "none", home.path(), home / "pipe", std::string("/dev/zero")}) {
    const Result r = run_host(home.path(), {"inspect", path});
    CAPTURE(path);
    REQUIRE(r.status == 1);
    REQUIRE(r.err.find("'" + path + "'") != std::string::npos);
  }
  REQUIRE(run_host(home.path(), {"inspect"}).status == 2);
}

TEST_CASE("text for a terminal is whole words of what can be seen", "[host][inspect]") {
  using sg::host::shown;
  REQUIRE(shown("plain ä€😀 text") == "plain ä€😀 text");
  REQUIRE(shown("\xff\xc0\x80") == "\\xFF\\xC0\\x80");
  REQUIRE(shown("abcdef", 3) == "abc…");
  REQUIRE(shown("ä€", 3) == "ä…");
  REQUIRE(shown(std::string("\0", 1)) == "\\u{0}");
  REQUIRE(sg::host::columns_of("ä€😀") == 3);
  REQUIRE(sg::host::grouped(0) == "0");
  REQUIRE(sg::host::grouped(1234567) == "1,234,567");
  REQUIRE(sg::host::grouped(123) == "123");
  REQUIRE(sg::host::quoted("/a/b-c.d") == "/a/b-c.d");
  REQUIRE(sg::host::quoted("") == "''");
  REQUIRE(sg::host::quoted("a b$(x)'y") == "'a b$(x)'\\''y'");
}

TEST_CASE("inspect says why it can't read a file, and does not call it damaged", "[host][inspect]") {
  Shelf shelf;
  const auto told = [&](const std::vector<std::string>& arguments) {
    const Result r = run_host(shelf.home.path(), arguments);
    CHECK(r.status == 1);
    CHECK(r.out.empty());
    return r.err;
  };
  const std::string fifo = shelf.home / "fifo", loop = shelf.home / "loop", mine = shelf.home / "mine";
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  REQUIRE(symlink("loop", loop.c_str()) == 0);
  CHECK(told({"inspect", shelf.home.path()}).find("is a folder") != std::string::npos);
  CHECK(told({"inspect", fifo}).find("not a regular file") != std::string::npos);
  CHECK(told({"inspect", loop}).find("levels of symbolic links") != std::string::npos);
  CHECK(told({"inspect", shelf.home / "none"}).find("there is no file") != std::string::npos);
  write_file(mine, file_of(kRun));
  CHECK(told({"inspect", mine, "--jsn"}).find("no option '--jsn'") != std::string::npos);
  CHECK(told({"inspect", mine, mine}).find("is a second") != std::string::npos);
  REQUIRE(chmod(mine.c_str(), 0) == 0);
  if (geteuid() != 0) CHECK(told({"inspect", mine}).find("Permission denied") != std::string::npos);
}

TEST_CASE("the program's help is shown to whoever asks for it or mistypes", "[host]") {
  Folder home;
  for (const char* asked : {"help", "-h", "--help"}) {
    const Result r = run_host(home.path(), {asked});
    CHECK(r.status == 0);
    CHECK(r.out.find("shadegrad-host grant DIR") != std::string::npos);
  }
  const Result r = run_host(home.path(), {"instal"});
  CHECK(r.status == 2);
  CHECK(r.err.find("there is no 'instal'") != std::string::npos);
  CHECK(r.err.find("shadegrad-host grant DIR") != std::string::npos);
}

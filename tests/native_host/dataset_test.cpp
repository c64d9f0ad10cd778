// Datasets: what the extension can see and read, that the bytes are the file's, that credit is never exceeded, and that
// a file which changes, vanishes or was never a file ends one request and not the host.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/native_host/program.h"

using namespace sg::test;
namespace fs = std::filesystem;

namespace {

Json read(long id, const std::string& path, long credits) {
  return {{"id", id}, {"type", "dataset.read"}, {"path", path}, {"credits", credits}};
}

struct Setup {
  Folder home;
  Program host{home.path()};
  Setup() {
    fs::create_directories(home / "Shadegrad");
    host.hello();
  }
};

}  // namespace

TEST_CASE("a dataset's bytes arrive whole, counted and summed", "[host]") {
  Setup s;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{65'535}, std::size_t{65'536},
                                 std::size_t{65'537}, std::size_t{1'000'000}}) {
    const std::string bytes = noise(size);
    write_file(s.home / "Shadegrad/data/set.csv", bytes);
    const Json reply = s.host.ask(read(1, "Shadegrad/data/set.csv", 4));
    REQUIRE(reply["ok"] == true);
    REQUIRE(reply["size"] == size);
    const Received got = receive_stream(s.host, 1);
    REQUIRE((got.bytes == bytes));
    REQUIRE(got.frames.size() == (size + 65'535) / 65'536);
    REQUIRE(reply["frames"] == got.frames.size());
    REQUIRE(got.last["type"] == "dataset.end");
    REQUIRE(got.last["frames"] == got.frames.size());
    REQUIRE(got.last["bytes"] == size);
    REQUIRE(got.last["crc32c"] == checksum(bytes));
    for (std::size_t i = 0; i < got.frames.size(); ++i) {
      REQUIRE(got.frames[i]["sequence"] == i);
      REQUIRE(got.frames[i]["type"] == "dataset.data");
      REQUIRE(got.frames[i]["last"] == (i + 1 == got.frames.size()));
    }
  }
  REQUIRE(s.host.hello()["frames"] == 1 + 1 + 1 + 2 + 16);
}

TEST_CASE("a part of a file can be read", "[host]") {
  Setup s;
  const std::string bytes = noise(300'000);
  write_file(s.home / "Shadegrad/a.bin", bytes);
  for (const auto& [offset, length] : {std::pair{0, 10}, std::pair{70'000, 150'000}, std::pair{299'999, 5},
                                       std::pair{300'000, 5}, std::pair{400'000, 1}}) {
    Json request = read(2, "Shadegrad/a.bin", 8);
    request["offset"] = offset;
    request["length"] = length;
    const Json reply = s.host.ask(request);
    const Received got = receive_stream(s.host, 2);
    const std::string part = offset < 300'000 ? bytes.substr(offset, length) : "";
    REQUIRE((got.bytes == part));
    REQUIRE(reply["bytes"] == part.size());
  }
}

TEST_CASE("no frame is sent without credit", "[host]") {
  Setup s;
  write_file(s.home / "Shadegrad/a.bin", noise(65'536 * 20));
  s.host.ask(read(3, "Shadegrad/a.bin", 3));
  long frames = 0, credit = 3;
  while (frames < 20) {
    while (frames < credit) {
      const auto message = s.host.receive();
      REQUIRE(message);
      REQUIRE((*message)["sequence"] == frames++);
    }
    if (frames == 20) break;
    // All credit is spent: other requests are answered, and nothing of the stream comes between.
    REQUIRE(s.host.silent(20));
    s.host.send({{"id", 77}, {"type", "dataset.list"}});
    REQUIRE((*s.host.receive())["id"] == 77);
    const long more = frames % 3 + 1;
    s.host.send({{"id", 3}, {"type", "flow.credit"}, {"frames", more}});
    credit = std::min(20L, credit + more);
  }
  REQUIRE((*s.host.receive())["type"] == "dataset.end");
}

TEST_CASE("hoarded or malformed credit ends the stream", "[host]") {
  Setup s;
  write_file(s.home / "Shadegrad/big.bin", "");
  fs::resize_file(s.home / "Shadegrad/big.bin", 1u << 30);
  s.host.ask(read(1, "Shadegrad/big.bin", 1));
  REQUIRE((*s.host.receive())["type"] == "dataset.data");
  const Json bad = s.host.ask({{"id", 1}, {"type", "flow.credit"}, {"frames", 65}});
  REQUIRE(bad["code"] == "message.invalid");
  REQUIRE(s.host.ask({{"id", 2}, {"type", "request.cancel"}, {"target", 1}})["cancelled"] == false);
  // Credit for a stream that is over is no mistake.
  s.host.send({{"id", 1}, {"type", "flow.credit"}, {"frames", 1}});
  REQUIRE(s.host.silent(20));

  s.host.ask(read(3, "Shadegrad/big.bin", 64));
  for (int i = 0; i < 400; ++i) s.host.send({{"id", 3}, {"type", "flow.credit"}, {"frames", 64}});
  REQUIRE(receive_stream(s.host, 3, 0).last["code"] == "flow.exceeded");
  REQUIRE(s.host.hello()["ok"] == true);
}

TEST_CASE("a stream can be cancelled while it waits for credit", "[host]") {
  Setup s;
  write_file(s.home / "Shadegrad/a.bin", noise(1'000'000));
  s.host.ask(read(1, "Shadegrad/a.bin", 1));
  REQUIRE((*s.host.receive())["sequence"] == 0);
  REQUIRE(s.host.ask({{"id", 2}, {"type", "request.cancel"}, {"target", 1}})["cancelled"] == true);
  const auto end = s.host.receive();
  REQUIRE((*end)["id"] == 1);
  REQUIRE((*end)["code"] == "request.cancelled");
}

TEST_CASE("a file that changes, shrinks or vanishes ends its stream by name", "[host]") {
  Setup s;
  const std::string path = "Shadegrad/run/log.csv";
  const std::string file = s.home / path;
  const auto with = [&](const std::function<void()>& change) {
    write_file(file, noise(65'536 * 6));
    s.host.ask(read(1, path, 2));
    REQUIRE((*s.host.receive())["sequence"] == 0);
    REQUIRE((*s.host.receive())["sequence"] == 1);
    change();
    s.host.send({{"id", 1}, {"type", "flow.credit"}, {"frames", 8}});
    const auto end = s.host.receive();
    REQUIRE(end);
    REQUIRE((*end)["ok"] == false);
    REQUIRE((*end)["path"] == path);
    REQUIRE((*end)["message"].get<std::string>().find(path) != std::string::npos);
    return (*end)["code"].get<std::string>();
  };
  REQUIRE(with([&] { fs::resize_file(file, 65'536 * 3); }) == "dataset.changed");
  REQUIRE(with([&] { fs::resize_file(file, 0); }) == "dataset.changed");
  REQUIRE(with([&] { std::ofstream(file, std::ios::app) << "one more row\n"; }) == "dataset.changed");
  REQUIRE(with([&] { fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(5)); }) ==
          "dataset.changed");
  REQUIRE(with([&] { fs::remove(file); }) == "dataset.vanished");
  REQUIRE(with([&] { fs::remove_all(s.home / "Shadegrad/run"); }) == "dataset.vanished");
  REQUIRE(with([&] {
            write_file(file + ".new", "other");
            fs::rename(file + ".new", file);
          }) == "dataset.vanished");
  REQUIRE(s.host.hello()["ok"] == true);
}

TEST_CASE("folders are listed in pages, files with their size, nothing else", "[host]") {
  Setup s;
  REQUIRE(s.host.ask({{"id", 1}, {"type", "dataset.list"}})["entries"][0]["path"] == "Shadegrad");
  for (int i = 0; i < 25; ++i)
    write_file(s.home / ("Shadegrad/sets/n" + std::to_string(100 + i) + ".csv"), std::string(i, 'x'));
  write_file(s.home / "Shadegrad/sets/deep/er/f.csv", "a,b\n");
  write_file(s.home / "Shadegrad/sets/.hidden", "no");
  write_file(s.home / "Shadegrad/sets/bad\xff", "no");
  fs::create_symlink("/etc/passwd", s.home / "Shadegrad/sets/link");
  fs::create_directory_symlink("/etc", s.home / "Shadegrad/sets/etc");
  std::vector<std::string> paths;
  Json cursor;
  int pages = 0;
  do {
    Json request{{"id", 1}, {"type", "dataset.list"}, {"path", "Shadegrad/sets"}, {"limit", 10}};
    if (!cursor.is_null()) request["cursor"] = cursor;
    const Json reply = s.host.ask(request);
    REQUIRE(reply["ok"] == true);
    REQUIRE(reply["entries"].size() <= 10);
    for (const Json& e : reply["entries"]) paths.push_back(e["path"]);
    cursor = reply["cursor"];
    ++pages;
  } while (!cursor.is_null());
  REQUIRE(pages == 3);
  REQUIRE(paths.size() == 26);
  REQUIRE(paths[0] == "Shadegrad/sets/deep");
  REQUIRE(paths[25] == "Shadegrad/sets/n124.csv");
  const Json all = s.host.ask({{"id", 1}, {"type", "dataset.list"}, {"recursive", true}});
  REQUIRE(all["entries"].size() == 1 + 3 + 26);  // without the host's own two folders, which lie beside sets
  REQUIRE(fs::exists(s.home / "Shadegrad/checkpoints"));
  REQUIRE(fs::exists(s.home / "Shadegrad/datasets"));
  const Json top = s.host.ask({{"id", 1}, {"type", "dataset.list"}, {"path", "Shadegrad"}});
  REQUIRE(top["entries"].size() == 1);
  REQUIRE(top["entries"][0]["path"] == "Shadegrad/sets");
  // A folder of a person's own may have such a name.
  write_file(s.home / "Shadegrad/sets/deep/checkpoints/a.csv", "a\n");
  REQUIRE(s.host.ask({{"id", 1}, {"type", "dataset.list"}, {"path", "Shadegrad/sets/deep"}})["entries"].size() == 2);
  REQUIRE(all["truncated"] == false);
  const Json file = s.host.ask({{"id", 1}, {"type", "dataset.list"}, {"path", "Shadegrad/sets/deep/er"}})["entries"][0];
  REQUIRE(file["path"] == "Shadegrad/sets/deep/er/f.csv");
  REQUIRE(file["kind"] == "file");
  REQUIRE(file["size"] == 4);
  REQUIRE(file["mtime"] > 1'500'000'000'000);
  const auto code = [&](const std::string& path) {
    return s.host.ask({{"id", 1}, {"type", "dataset.list"}, {"path", path}})["code"];
  };
  REQUIRE(code("Shadegrad/none") == "dataset.not_found");
  REQUIRE(code("Shadegrad/sets/n100.csv") == "dataset.not_a_file");
  REQUIRE(code("Shadegrad/sets/etc") == "path.refused");
  REQUIRE(code("Elsewhere") == "dataset.not_found");
}

TEST_CASE("pages end below the outbound cap", "[host]") {
  Setup s;
  for (int i = 0; i < 1000; ++i) {
    std::string name = std::string(150, '"') + std::string(90, 'x') + std::to_string(1000 + i);
    write_file(s.home / ("Shadegrad/" + std::string(200, 'd') + "/" + std::string(200, 'e') + "/" + name), "");
  }
  std::size_t seen = 0, pages = 0;
  for (Json cursor; pages == 0 || !cursor.is_null(); ++pages) {
    Json request{{"id", 1},
                 {"type", "dataset.list"},
                 {"path", "Shadegrad/" + std::string(200, 'd') + "/" + std::string(200, 'e')},
                 {"limit", 1000}};
    if (!cursor.is_null()) request["cursor"] = cursor;
    const Json reply = s.host.ask(request);
    REQUIRE(reply["ok"] == true);
    seen += reply["entries"].size();
    cursor = reply["cursor"];
  }
  REQUIRE(seen == 1000);
  REQUIRE(pages > 1);
}

TEST_CASE("a table is described where it lies", "[host]") {
  Setup s;
  std::string csv = "when;value;kind\n";
  for (int i = 0; i < 5000; ++i)
    csv += "2024-01-" + std::to_string(10 + i % 20) + ";" + std::to_string(i) + ",5;" + (i % 2 ? "a\n" : "b\n");
  write_file(s.home / "Shadegrad/t.csv", csv);
  const Json reply = s.host.ask({{"id", 1}, {"type", "dataset.describe"}, {"path", "Shadegrad/t.csv"}});
  INFO(reply.dump().substr(0, 400));
  REQUIRE(reply["ok"] == true);
  REQUIRE(reply["size"] == csv.size());
  const Json& d = reply["description"];
  REQUIRE(d["rows"] == 5000);
  REQUIRE(d["delimiter"] == ";");
  REQUIRE(d["decimalComma"] == true);
  REQUIRE(d["columns"][1]["type"] == "number");
  REQUIRE(d["columns"][1]["max"] == 4999.5);
  REQUIRE(d["preview"].size() == 50);
  const auto code = [&](const std::string& path, const Json& options) {
    return s.host.ask({{"id", 1}, {"type", "dataset.describe"}, {"path", path}, {"options", options}});
  };
  REQUIRE(code("Shadegrad/t.csv", {{"header", false}})["description"]["rows"] == 5001);
  REQUIRE(code("Shadegrad/t.csv", {{"header", 3}})["code"] == "dataset.malformed");
  write_file(s.home / "Shadegrad/empty.csv", "");
  const Json empty = code("Shadegrad/empty.csv", Json::object());
  REQUIRE(empty["code"] == "dataset.malformed");
  REQUIRE(empty["cause"] == "csv.empty");
  REQUIRE(empty["path"] == "Shadegrad/empty.csv");
  write_file(s.home / "Shadegrad/line.csv", "a,b\n" + std::string(3 << 20, 'x'));
  const Json line = code("Shadegrad/line.csv", Json::object());
  REQUIRE(line["cause"] == "csv.line_too_long");
  REQUIRE(line["line"] == 2);
  REQUIRE(code("Shadegrad/none.csv", Json::object())["code"] == "dataset.not_found");
}

TEST_CASE("a long description leaves the host free and can be cancelled", "[host]") {
  Setup s;
  std::string csv = "a,b\n";
  while (csv.size() < (std::size_t{24} << 20)) csv += "1.5,2.25\n3,4\n5.125,6\n";
  write_file(s.home / "Shadegrad/long.csv", csv);
  s.host.send({{"id", 1}, {"type", "dataset.describe"}, {"path", "Shadegrad/long.csv"}});
  s.host.send({{"id", 2}, {"type", "dataset.list"}});
  s.host.send({{"id", 3}, {"type", "request.cancel"}, {"target", 1}});
  std::vector<Json> got;
  for (int i = 0; i < 3; ++i) got.push_back(*s.host.receive());
  const auto of = [&](int id) {
    return *std::find_if(got.begin(), got.end(), [&](const Json& m) { return m["id"] == id; });
  };
  REQUIRE(of(2)["ok"] == true);
  REQUIRE(of(3)["cancelled"] == true);
  REQUIRE(of(1)["code"] == "request.cancelled");
}

// Imports by the host: what lies on the disk afterwards is the file's content, whole or not at all, and the source is
// not read twice.
#include <fstream>

#include "io/csv.h"
#include "io/shard.h"
#include "native_host/datasets.h"
#include "tests/native_host/imports.h"

using namespace sg::test;
namespace fs = std::filesystem;

namespace {

long peak_kilobytes(int pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmHWM:", 0) == 0) return std::stol(line.substr(6));
  return -1;
}

/// What the host says to one who reads the first shard's first column.
std::string read_shard_code(const ImportHome& s, const std::string& id) {
  return s.ask("shard.read", {{"dataset", id}, {"shard", 0}, {"columns", {0}}, {"credits", 1}}).value("code", "ok");
}

}  // namespace

TEST_CASE("an import leaves shards and a manifest that hold the file", "[host][import]") {
  ImportHome s;
  const std::string csv = two_columns(700'000);
  write_file(s.file("in/wave.csv"), csv);
  const Outcome done = import_file(*s.host, "Shadegrad/in/wave.csv");
  INFO(done.reply.dump());
  REQUIRE(done.reply["ok"] == true);
  const std::string id = done.reply["dataset"];
  CHECK(id.rfind("wave-", 0) == 0);
  CHECK(done.reply["reused"] == false);
  CHECK(done.reply["changed"] == false);
  CHECK(done.reply["rows"] == 700'000);
  CHECK(done.reply["columns"] == 2);
  CHECK(done.reply["name"] == "wave.csv");
  CHECK(done.reply["path"] == "Shadegrad/in/wave.csv");
  CHECK(done.reply["size"] == csv.size());
  CHECK(s.in_sets() == std::vector<std::string>{id});

  const sg::Manifest m = manifest_of(s, id);
  CHECK(m.rows == 700'000);
  CHECK(m.source.size == csv.size());
  CHECK(m.source.tail == sg::sha256({reinterpret_cast<const std::uint8_t*>(csv.data()) + csv.size() - 65'536, 65'536}));
  REQUIRE(m.shards.size() == 2);
  CHECK(names(s.sets() + "/" + id) ==
        std::vector<std::string>{"000000.safetensors", "000001.safetensors", "manifest.json"});
  const sg::Table kept = sg::read_csv(csv);
  std::uint64_t row = 0, bytes = 0;
  for (std::size_t shard = 0; shard < m.shards.size(); ++shard) {
    const std::string file = read_file(s.sets() + "/" + id + "/" + m.shards[shard].file);
    CHECK(sg::sha256({reinterpret_cast<const std::uint8_t*>(file.data()), file.size()}) == m.shards[shard].sha256);
    bytes += file.size();
    const ReadShard b = read_shard(*s.host, {{"dataset", id}, {"shard", shard}, {"columns", {1, 0}}});
    const auto values = as_values<float>(b.plain);
    const std::size_t rows = m.shards[shard].rows;
    REQUIRE(values.size() == 2 * rows);
    CHECK(std::equal(values.begin(), values.begin() + static_cast<long>(rows),
                     kept.columns[1].numbers.begin() + static_cast<long>(row)));
    CHECK(std::equal(values.begin() + static_cast<long>(rows), values.end(),
                     kept.columns[0].numbers.begin() + static_cast<long>(row)));
    row += rows;
  }
  CHECK(done.reply["bytes"] == bytes);
  CHECK(row == 700'000);
}

TEST_CASE("an import tells how far it is, answers others and can be stopped", "[host][import]") {
  ImportHome s;
  write_file(s.file("long.csv"), two_columns(2'000'000));
  s.host->send({{"id", 9}, {"type", "dataset.import"}, {"path", "Shadegrad/long.csv"}});
  std::optional<Json> told;
  while (!told || (*told)["id"] != 9) told = s.host->receive();
  REQUIRE((*told)["type"] == "import.progress");
  CHECK((*told)["bytes"] > 0);
  CHECK((*told)["size"] == fs::file_size(s.file("long.csv")));
  CHECK((*told)["rows"] > 0);
  CHECK(s.ask("dataset.import", {{"path", "Shadegrad/long.csv"}})["code"] == "import.busy");
  CHECK(s.ask("dataset.imports")["imports"].empty());
  CHECK(s.ask("request.cancel", {{"target", 9}})["cancelled"] == true);
  std::optional<Json> end;
  while (!end || (*end)["id"] != 9 || !end->contains("ok")) end = s.host->receive();
  CHECK((*end)["code"] == "request.cancelled");
  CHECK(s.in_sets().empty());
  CHECK(import_file(*s.host, "Shadegrad/long.csv").reply["ok"] == true);
}

TEST_CASE("an unchanged source is not read again, a changed one is told", "[host][import]") {
  ImportHome s;
  write_file(s.file("a.csv"), two_columns(1000));
  const Json first = import_file(*s.host, "Shadegrad/a.csv").reply;
  const Json again = import_file(*s.host, "Shadegrad/a.csv").reply;
  CHECK(again["reused"] == true);
  CHECK(again["dataset"] == first["dataset"]);
  const Json other = import_file(*s.host, "Shadegrad/a.csv", {{"header", false}}).reply;
  CHECK(other["reused"] == false);
  CHECK(other["changed"] == false);
  CHECK(other["rows"] == 1001);
  write_file(s.file("a.csv"), two_columns(1001));
  const Json changed = import_file(*s.host, "Shadegrad/a.csv").reply;
  CHECK(changed["reused"] == false);
  CHECK(changed["changed"] == true);
  CHECK(changed["rows"] == 1001);
  // The same bytes at another time are taken for a change, too.
  fs::last_write_time(s.file("a.csv"), fs::last_write_time(s.file("a.csv")) + std::chrono::seconds(5));
  CHECK(import_file(*s.host, "Shadegrad/a.csv").reply["changed"] == true);
  CHECK(s.ask("dataset.imports")["imports"].size() == 4);
}

TEST_CASE("another file is not taken for one that was imported, however alike their ends", "[host][import]") {
  ImportHome s;
  const std::string text = two_columns(20'000);
  std::string other = text;
  other[other.size() / 2] = '7';
  write_file(s.file("left/a.csv"), text);
  write_file(s.file("right/a.csv"), other);
  fs::last_write_time(s.file("right/a.csv"), fs::last_write_time(s.file("left/a.csv")));
  const Json left = import_file(*s.host, "Shadegrad/left/a.csv").reply;
  const Json right = import_file(*s.host, "Shadegrad/right/a.csv").reply;
  CHECK(right["reused"] == false);
  CHECK(right["changed"] == false);
  CHECK(right["dataset"] != left["dataset"]);
  CHECK(import_file(*s.host, "Shadegrad/left/a.csv").reply["dataset"] == left["dataset"]);
  // A name decides how a file is read.
  fs::rename(s.file("left/a.csv"), s.file("left/a.md"));
  const Json characters = import_file(*s.host, "Shadegrad/left/a.md").reply;
  CHECK(characters["reused"] == false);
  CHECK(characters["columns"] == 1);
}

TEST_CASE("a data set that lacks a shard is damaged, and its source is imported anew", "[host][import]") {
  ImportHome s;
  write_file(s.file("a.csv"), two_columns(1000));
  for (const bool gone : {true, false}) {
    const Json first = import_file(*s.host, "Shadegrad/a.csv").reply;
    const std::string id = first["dataset"], shard = s.sets() + "/" + id + "/000000.safetensors";
    if (gone)
      fs::remove(shard);
    else
      fs::resize_file(shard, fs::file_size(shard) - 1);
    CHECK(read_shard_code(s, id) == "import.damaged");
    const Json list = s.ask("dataset.imports")["imports"];
    REQUIRE(list.size() == 1);
    CHECK(list[0]["ok"] == false);
    CHECK(list[0]["reason"].get<std::string>().find(shard) != std::string::npos);
    const Json again = import_file(*s.host, "Shadegrad/a.csv").reply;
    CHECK(again["ok"] == true);
    CHECK(again["reused"] == false);
    CHECK(again["dataset"] != id);
    CHECK(s.ask("dataset.forget", {{"dataset", id}})["ok"] == true);
    CHECK(import_file(*s.host, "Shadegrad/a.csv").reply["reused"] == true);
  }
}

TEST_CASE("an array with all of its rows on one line is imported", "[host][import]") {
  ImportHome s;
  write_file(s.file("p.json"), R"([{"a":1},{"a":2},{"a":3}])");
  const Json done = import_file(*s.host, "Shadegrad/p.json").reply;
  INFO(done.dump());
  CHECK(done["rows"] == 3);
  CHECK(import_file(*s.host, "Shadegrad/p.json").reply["reused"] == true);
}

TEST_CASE("an import that fails leaves nothing and says where", "[host][import]") {
  ImportHome s;
  write_file(s.file("open.csv"), two_columns(800'000) + "1,\"2\n");
  const Json open = import_file(*s.host, "Shadegrad/open.csv").reply;
  CHECK(open["code"] == "dataset.malformed");
  CHECK(open["cause"] == "csv.unclosed_quote");
  CHECK(open["line"] == 800'002);
  write_file(s.file("empty.csv"), "");
  CHECK(import_file(*s.host, "Shadegrad/empty.csv").reply["cause"] == "csv.empty");
  write_file(s.file("a.csv"), two_columns(10));
  CHECK(import_file(*s.host, "Shadegrad/a.csv", {{"header", 3}}).reply["code"] == "dataset.malformed");
  CHECK(import_file(*s.host, "Shadegrad/a.csv", {{"format", "cvs"}}).reply["cause"] == "format.unknown");
  CHECK(import_file(*s.host, "Shadegrad/none.csv").reply["code"] == "dataset.not_found");
  CHECK(import_file(*s.host, "../a.csv").reply["code"] == "path.refused");
  CHECK(s.in_sets().empty());
  CHECK(s.host->hello()["ok"] == true);
}

TEST_CASE("a source that changes while it is imported ends the import", "[host][import]") {
  ImportHome s;
  write_file(s.file("grows.csv"), two_columns(1'500'000));
  s.host->send({{"id", 9}, {"type", "dataset.import"}, {"path", "Shadegrad/grows.csv"}});
  std::optional<Json> told;
  while (!told || (*told)["id"] != 9) told = s.host->receive();
  std::ofstream(s.file("grows.csv"), std::ios::app) << "1,2\n";
  while (!told->contains("ok")) told = s.host->receive();
  CHECK((*told)["code"] == "dataset.changed");
  CHECK(s.in_sets().empty());
}

TEST_CASE("a host that is killed during an import leaves nothing for the next", "[host][import]") {
  ImportHome s;
  write_file(s.file("long.csv"), two_columns(2'000'000));
  s.host->send({{"id", 9}, {"type", "dataset.import"}, {"path", "Shadegrad/long.csv"}});
  while (s.in_sets().empty() || names(s.sets() + "/" + s.in_sets()[0]).empty()) usleep(1000);
  s.host->kill();
  s.host->wait();
  REQUIRE(s.in_sets().size() == 1);
  CHECK(s.in_sets()[0][0] == '.');
  s.start();
  CHECK(s.ask("dataset.imports")["imports"].empty());
  for (int i = 0; i < 1000 && !s.in_sets().empty(); ++i) usleep(1000);
  CHECK(s.in_sets().empty());
}

TEST_CASE("the hidden folder of an import that goes on is not another host's to remove", "[host][import]") {
  ImportHome s;
  write_file(s.file("long.csv"), two_columns(2'000'000));
  s.host->send({{"id", 9}, {"type", "dataset.import"}, {"path", "Shadegrad/long.csv"}});
  while (s.in_sets().empty()) usleep(1000);
  Program second(s.home.path());
  second.hello();
  second.ask({{"id", 1}, {"type", "dataset.imports"}});
  std::optional<Json> told;
  while (!told || (*told)["id"] != 9 || !told->contains("ok")) told = s.host->receive();
  INFO(told->dump());
  CHECK((*told)["ok"] == true);
}

TEST_CASE("an import that does not fit on the disk leaves nothing and says what it needs", "[host][import]") {
  using sg::host::room_needed;
  CHECK(room_needed(100, 1000, 11'000) == 1050);
  CHECK(room_needed(100, 1000, 1000) == 0);
  CHECK(room_needed(0, 0, 1000) == 0);
  CHECK(room_needed(std::uint64_t{5} << 30, std::uint64_t{10} << 30, std::uint64_t{20} << 30) > std::uint64_t{5} << 30);
  ImportHome s;
  write_file(s.file("a.csv"), two_columns(700'000));
  s.start(1 << 20);  // no file may grow beyond 1 MiB
  const Json full = import_file(*s.host, "Shadegrad/a.csv").reply;
  CHECK(full["code"] == "import.disk_full");
  CHECK(full["needed"] > 1 << 20);
  CHECK(full["free"] > 0);
  CHECK(s.in_sets().empty());
}

TEST_CASE("an import takes little memory however large the file", "[host][import]") {
  ImportHome s;
  {
    std::ofstream out(s.file("big.csv"));
    const std::string rows = two_columns(100'000).substr(4);
    out << "a,b\n";
    for (int i = 0; i < 50; ++i) out << rows;
  }
  const Json reply = import_file(*s.host, "Shadegrad/big.csv").reply;
  REQUIRE(reply["ok"] == true);
  CHECK(reply["rows"] == 5'000'000);
  const long peak = peak_kilobytes(s.host->pid());
  CAPTURE(peak);
  CHECK(peak > 8'000);
#if !defined(__SANITIZE_ADDRESS__)
  CHECK(peak < 128'000);
#endif
}

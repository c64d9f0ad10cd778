// Data sets after their import: listed, told, sent by columns and rows, forgotten; and what is damaged or asked for
// wrongly is refused by name.
#include <set>

#include "tests/native_host/imports.h"

using namespace sg::test;
namespace fs = std::filesystem;

namespace {

/// A number, a date that stays open, a category, a text, and a column without a value before row 50,000 of 60,000.
std::string five_columns() {
  std::string csv = "n,when,kind,note,late\n";
  for (int i = 0; i < 300'000; ++i) {
    csv += (i % 10 == 3 ? "" : std::to_string(i) + ".5") + ",0" + std::to_string(1 + i % 9) + "/05/2021," +
           (i % 4 == 0 ? "NA" : "k" + std::to_string(i % 3)) + ",note " + std::to_string(i) + "," +
           (i < 280'000 ? "" : std::to_string(i)) + "\n";
  }
  return csv;
}

struct Imported : ImportHome {
  std::string id;
  explicit Imported(const std::string& csv, const Json& options = Json::object()) {
    write_file(file("set.csv"), csv);
    const Json reply = import_file(*host, "Shadegrad/set.csv", options).reply;
    INFO(reply.dump());
    REQUIRE(reply["ok"] == true);
    id = reply["dataset"];
  }
  ReadShard read(Json fields) {
    fields["dataset"] = id;
    return read_shard(*host, fields);
  }
  std::string path(const std::string& name) const { return sets() + "/" + id + "/" + name; }
};

/// The same shard as one that is checked as a whole, of as many bytes.
std::string without_hashes(const std::string& shard) {
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(shard.data()), shard.size());
  const sg::SafetensorsFile file(bytes, {.hashes = false, .finite = false});
  std::vector<sg::TensorBytes> tensors;
  for (const sg::TensorEntry& t : file.header().tensors)
    tensors.push_back({t.name, t.dtype, t.shape, file.bytes(t.name)});
  std::map<std::string, std::string> metadata = file.metadata();
  metadata["format"] = sg::kPlainShardFormat;
  const auto write = [&] { return sg::write_safetensors(tensors, metadata, sg::Values::any, sg::Hashes::none); };
  metadata["filler"] = std::string(shard.size() - write().size() - std::string(R"("filler":"",)").size(), ' ');
  const auto plain = write();
  REQUIRE(plain.size() == shard.size());
  return {plain.begin(), plain.end()};
}

}  // namespace

TEST_CASE("rows and columns of a shard come as asked, packed or not", "[host][import]") {
  Imported s(five_columns());
  const sg::Manifest m = manifest_of(s, s.id);
  REQUIRE(m.shards.size() == 2);
  const auto rows = m.shards[0].rows;
  REQUIRE(rows > 100'000);
  for (const bool deflate : {false, true}) {
    const ReadShard all = s.read({{"shard", 0}, {"columns", {0, 1, 2, 4}}, {"deflate", deflate}});
    CHECK(all.reply["encoding"] == (deflate ? "deflate" : "identity"));
    CHECK((deflate ? all.sent < all.plain.size() * 3 / 4 : all.sent == all.plain.size()));
    REQUIRE(all.plain.size() == rows * (4 + 8 + 4 + 4));
    CHECK(all.reply["columns"][1] == Json{{"index", 1}, {"dtype", "F64"}, {"bytes", rows * 8}});
    const auto n = as_values<float>(all.plain.substr(0, rows * 4));
    const auto when = as_values<double>(all.plain.substr(rows * 4, rows * 8));
    const auto kind = as_values<std::int32_t>(all.plain.substr(rows * 12, rows * 4));
    const auto late = as_values<float>(all.plain.substr(rows * 16));
    bool sound = true;
    for (std::size_t i = 0; i < rows; ++i) {
      sound = sound && (i % 10 == 3 ? std::isnan(n[i]) : n[i] == static_cast<float>(i) + 0.5f);
      sound = sound &&
              (i % 4 == 0 ? kind[i] == -1
                          : m.columns[2].categories[static_cast<std::size_t>(kind[i])] == "k" + std::to_string(i % 3));
      sound = sound && std::isnan(late[i]);
    }
    CHECK(sound);
    CHECK(when[0] == 1609804800);  // the month first, 2021-01-05: nothing in the file says otherwise
    const ReadShard part =
        s.read({{"shard", 0}, {"columns", {2}}, {"first", 70'001}, {"rows", 1000}, {"deflate", deflate}});
    CHECK(as_values<std::int32_t>(part.plain) ==
          std::vector<std::int32_t>(kind.begin() + 70'001, kind.begin() + 71'001));
    CHECK(part.reply["first"] == 70'001);
    CHECK(part.reply["rows"] == 1000);
    const ReadShard none = s.read({{"shard", 0}, {"columns", {2}}, {"first", rows}, {"deflate", deflate}});
    CHECK(none.plain.empty());
    CHECK(s.read({{"shard", 0}, {"columns", Json::array()}, {"deflate", deflate}}).plain.empty());
  }
  const ReadShard last = s.read({{"shard", 1}, {"columns", {4}}});
  CHECK(as_values<float>(last.plain).back() == 299'999);
}

TEST_CASE("the reading of a date that holds is the one that is sent", "[host][import]") {
  std::string csv = "when,n\n";
  for (int i = 0; i < 600'000; ++i)
    csv += (i < 599'990 ? "0" + std::to_string(1 + i % 9) : "25") + "/03/2021," + std::to_string(i) + "\n";
  Imported s(csv);
  const sg::Manifest m = manifest_of(s, s.id);
  REQUIRE(m.shards.size() == 2);
  CHECK(m.columns[0].day_first);
  CHECK(as_values<double>(s.read({{"shard", 0}, {"columns", {0}}, {"rows", 2}}).plain) ==
        std::vector<double>{1614556800, 1614643200});  // 2021-03-01 and -02
}

TEST_CASE("noise is not packed", "[host][import]") {
  std::string csv = "a\n";
  const std::string bytes = noise(400'000);
  for (std::size_t i = 0; i + 4 <= bytes.size(); i += 4) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, bytes.data() + i, 4);
    bits = (bits & 0xbfffffffu) | 0x08000000u;  // finite
    float value = 0;
    std::memcpy(&value, &bits, 4);
    char text[32];
    csv.append(text, static_cast<std::size_t>(snprintf(text, sizeof text, "%.9g\n", static_cast<double>(value))));
  }
  Imported s(csv);
  const ReadShard got = s.read({{"shard", 0}, {"columns", {0}}, {"deflate", true}});
  CHECK(got.reply["encoding"] == "identity");
  CHECK(got.plain.size() == 400'000);
}

TEST_CASE("what can't be asked of a shard is refused by field", "[host][import]") {
  Imported s(five_columns());
  const auto refused = [&](const Json& fields) {
    const Json reply = s.read(fields).reply;
    INFO(reply.dump());
    REQUIRE(reply["ok"] == false);
    return reply.value("code", "") + " " + reply.value("field", "");
  };
  CHECK(refused({{"shard", 2}, {"columns", {0}}}) == "message.invalid shard");
  CHECK(refused({{"shard", 0}, {"columns", {5}}}) == "message.invalid columns");
  CHECK(refused({{"shard", 0}, {"columns", {3}}}) == "message.invalid columns");  // text is not kept
  CHECK(refused({{"shard", 0}, {"columns", {-1}}}) == "message.invalid columns");
  CHECK(refused({{"shard", 0}, {"columns", {0.5}}}) == "message.invalid columns");
  CHECK(refused({{"shard", 0}, {"columns", {{{"a", 1}}}}}) == "message.invalid columns");
  CHECK(refused({{"shard", 0}, {"columns", 0}}) == "message.invalid columns");
  CHECK(refused({{"shard", 0}, {"columns", std::vector<int>(10'001)}}) == "message.invalid columns");
  CHECK(refused({{"shard", 0}, {"columns", {0}}, {"first", 1'000'000}}) == "message.invalid first");
  CHECK(refused({{"shard", 0}, {"columns", {0}}, {"first", 1}, {"rows", 1'000'000}}) == "message.invalid rows");
  CHECK(refused({{"shard", 0}, {"columns", {0}}, {"deflate", 1}}) == "message.invalid deflate");
  for (const char* id : {"..", ".", "", "a/b", "/etc", "set.csv", ".partial-0", "\xc3\xa4"})
    for (const char* type : {"dataset.manifest", "dataset.forget"})
      CHECK(s.ask(type, {{"dataset", id}})["code"] == "import.id_refused");
  CHECK(s.ask("dataset.manifest", {{"dataset", "none"}})["code"] == "import.not_found");
  CHECK(s.ask("dataset.forget", {{"dataset", "none"}})["code"] == "import.not_found");
  CHECK(read_shard(*s.host, {{"dataset", "none"}, {"shard", 0}, {"columns", {0}}}).reply["code"] == "import.not_found");
}

TEST_CASE("a data set that was damaged on the disk is told as such and hides no other", "[host][import]") {
  Imported s(five_columns());
  const std::string shard = read_file(s.path("000000.safetensors"));
  const sg::Manifest m = manifest_of(s, s.id);
  // A value: found by the column's hash, in a stream of the whole column.
  const std::string_view text(shard);
  std::string changed = shard;
  changed[changed.size() / 2] ^= 1;
  write_file(s.path("000000.safetensors"), changed);
  int failed = 0;
  for (const int column : {0, 1, 2})
    failed += s.read({{"shard", 0}, {"columns", {column}}}).end.value("code", "") == "import.damaged";
  CHECK(failed == 1);
  // The header, the size.
  changed = shard;
  changed[100] ^= 1;
  write_file(s.path("000000.safetensors"), changed);
  CHECK(s.read({{"shard", 0}, {"columns", {0}}}).reply["code"] == "import.damaged");
  write_file(s.path("000000.safetensors"), shard.substr(1));
  CHECK(s.read({{"shard", 0}, {"columns", {0}}}).reply["code"] == "import.damaged");
  // Another shard in its place.
  fs::copy_file(s.path("000001.safetensors"), s.path("000000.safetensors"), fs::copy_options::overwrite_existing);
  CHECK(s.read({{"shard", 0}, {"columns", {0}}}).reply["code"] == "import.damaged");
  // A sound one without hashes, whose columns can't be checked one by one.
  write_file(s.path("000000.safetensors"), without_hashes(shard));
  const Json refused = s.read({{"shard", 0}, {"columns", {0}}}).reply;
  CHECK(refused["code"] == "import.damaged");
  CHECK(refused["message"].get<std::string>().find("no hashes") != std::string::npos);
  fs::remove(s.path("000000.safetensors"));
  CHECK(s.read({{"shard", 0}, {"columns", {0}}}).reply["code"] == "import.damaged");
  fs::create_symlink("/etc/passwd", s.path("000000.safetensors"));
  CHECK(s.read({{"shard", 0}, {"columns", {0}}}).reply["code"] == "import.denied");
  // The manifest; the other data set is still there.
  write_file(s.file("other.csv"), two_columns(100));
  REQUIRE(import_file(*s.host, "Shadegrad/other.csv").reply["ok"] == true);
  write_file(s.path("manifest.json"), "{}");
  fs::last_write_time(s.sets() + "/" + s.id, fs::file_time_type::clock::now() - std::chrono::hours(1));
  CHECK(s.ask("dataset.manifest", {{"dataset", s.id}})["code"] == "import.damaged");
  const Json list = s.ask("dataset.imports")["imports"];
  REQUIRE(list.size() == 2);
  CHECK(list[0]["name"] == "other.csv");
  CHECK(list[1]["ok"] == false);
  CHECK(list[1]["reason"].get<std::string>().find("manifest") != std::string::npos);
  CHECK(s.ask("dataset.forget", {{"dataset", s.id}})["ok"] == true);
  CHECK(s.in_sets().size() == 1);
}

TEST_CASE("a manifest larger than a message comes in pieces, the list in pages", "[host][import]") {
  std::string csv, row;
  for (int i = 0; i < 3000; ++i) {
    csv += (i ? "," : "") + std::string("\"column \xc3\xa4\xe2\x82\xac ") + std::to_string(i) + "\"";
    row += (i ? "," : "") + std::to_string(i);
  }
  Imported s(csv + "\n" + row + "\n" + row + "\n");
  const sg::Manifest m = manifest_of(s, s.id);
  CHECK(m.columns.size() == 3000);
  CHECK(m.columns[2999].name == "column \xc3\xa4\xe2\x82\xac 2999");
  CHECK(s.ask("dataset.manifest", {{"dataset", s.id}})["next"] > 100'000);
  for (int i = 0; i < 4; ++i) {
    write_file(s.file("n" + std::to_string(i) + ".csv"), two_columns(static_cast<std::size_t>(i) + 2));
    import_file(*s.host, "Shadegrad/n" + std::to_string(i) + ".csv");
  }
  std::set<std::string> seen;
  Json cursor;
  do {
    Json fields{{"limit", 2}};
    if (!cursor.is_null()) fields["cursor"] = cursor;
    const Json page = s.ask("dataset.imports", fields);
    REQUIRE(page["ok"] == true);
    CHECK(page["imports"].size() <= 2);
    for (const Json& set : page["imports"]) CHECK(seen.insert(set["dataset"]).second);
    cursor = page["cursor"];
  } while (!cursor.is_null());
  CHECK(seen.size() == 5);
  CHECK(s.ask("dataset.imports", {{"cursor", "gone"}})["code"] == "message.invalid");
}

TEST_CASE("a shard that is being sent stays whole when its data set is forgotten", "[host][import]") {
  Imported s(five_columns());
  Json request{{"id", 3}, {"type", "shard.read"}, {"dataset", s.id}, {"shard", 0}, {"columns", {0, 1}}, {"credits", 1}};
  REQUIRE(s.host->ask(request)["ok"] == true);
  REQUIRE((*s.host->receive())["sequence"] == 0);
  REQUIRE(s.ask("dataset.forget", {{"dataset", s.id}})["ok"] == true);
  CHECK(s.in_sets().empty());
  s.host->send({{"id", 3}, {"type", "flow.credit"}, {"frames", 1}});
  // The file has no name any more: told, as for any file that vanishes.
  CHECK((*s.host->receive())["code"] == "dataset.vanished");
}

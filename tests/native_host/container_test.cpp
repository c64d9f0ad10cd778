// Sources that hold other files: unpacked while they are read, bounded, and refused in words where the host is not the
// one to read them.
#include "tests/native_host/imports.h"

using namespace sg::test;

namespace {

Json import_bytes(ImportHome& s, const std::string& name, const std::string& bytes) {
  write_file(s.file(name), bytes);
  return import_file(*s.host, "Shadegrad/" + name).reply;
}

}  // namespace

TEST_CASE("a gzip is imported as the file in it", "[host][import]") {
  ImportHome s;
  const std::string csv = two_columns(200'000);
  const Json reply = import_bytes(s, "a.csv.gz", gzip(csv));
  INFO(reply.dump());
  REQUIRE(reply["ok"] == true);
  CHECK(reply["rows"] == 200'000);
  const sg::Manifest m = manifest_of(s, reply["dataset"]);
  CHECK(m.source.name == "a.csv.gz");
  REQUIRE(m.source.parts.size() == 1);
  CHECK(m.source.parts[0] == sg::SourcePart{"a.csv", csv.size()});
  // Several members are one file; zeros after the last are padding.
  const Json members = import_bytes(
      s, "b.csv.gz", gzip(csv.substr(0, 1000)) + gzip("") + gzip(csv.substr(1000)) + std::string(512, '\0'));
  CHECK(members["rows"] == 200'000);
}

TEST_CASE("a gzip that is cut, changed or followed by something else is refused", "[host][import]") {
  ImportHome s;
  const std::string packed = gzip(two_columns(100'000));
  const auto cause = [&](const std::string& bytes) {
    const Json reply = import_bytes(s, "a.csv.gz", bytes);
    CHECK(reply["code"] == "dataset.malformed");
    return reply.value("cause", "");
  };
  CHECK(cause(packed.substr(0, packed.size() / 2)) == "container.damaged");
  CHECK(cause(packed.substr(0, packed.size() - 4)) == "container.damaged");
  std::string changed = packed;
  changed[packed.size() - 6] ^= 1;  // its checksum
  CHECK(cause(changed) == "container.damaged");
  CHECK(cause(packed + "more") == "container.damaged");
  CHECK(s.in_sets().empty());
}

TEST_CASE("the files of a zip stand side by side", "[host][import]") {
  ImportHome s;
  std::string labels = "kind\n";
  for (int i = 0; i < 50'000; ++i) labels += i % 3 ? "cat\n" : "dog\n";
  zip(s.file("pair.zip"), {{"data/", ""},
                           {"data/x.csv", two_columns(50'000)},
                           {"__MACOSX/x.csv", "junk"},
                           {"data/.DS_Store", "j"},
                           {"y.csv", labels}});
  const Json reply = import_file(*s.host, "Shadegrad/pair.zip").reply;
  INFO(reply.dump());
  REQUIRE(reply["ok"] == true);
  CHECK(reply["columns"] == 3);
  CHECK(reply["rows"] == 50'000);
  const sg::Manifest m = manifest_of(s, reply["dataset"]);
  REQUIRE(m.source.parts.size() == 2);
  CHECK(m.source.parts[1] == sg::SourcePart{"y.csv", labels.size()});
  CHECK(m.columns[2].categories == std::vector<std::string>{"dog", "cat"});
  zip(s.file("uneven.zip"), {{"x.csv", two_columns(50)}, {"y.csv", "kind\na\n"}});
  const Json uneven = import_file(*s.host, "Shadegrad/uneven.zip").reply;
  CHECK(uneven["cause"] == "import.rows");
  CHECK(uneven["message"].get<std::string>().find("x.csv") != std::string::npos);
  CHECK(uneven["message"].get<std::string>().find("y.csv") != std::string::npos);
}

TEST_CASE("a zip that is damaged, empty or holds too much is refused", "[host][import]") {
  ImportHome s;
  const std::string good = zip(s.file("z.zip"), {{"x.csv", two_columns(50'000)}});
  const auto cause = [&](const std::string& bytes) {
    const Json reply = import_bytes(s, "z.zip", bytes);
    INFO(reply.dump());
    CHECK(reply["code"] == "dataset.malformed");
    return reply.value("cause", "");
  };
  std::string changed = good;
  changed[good.size() / 2] ^= 1;
  CHECK(cause(changed) == "container.damaged");
  CHECK(cause(good.substr(0, good.size() - 10)) == "container.damaged");
  CHECK(cause(good.substr(0, 100)) == "container.damaged");
  // Its end claims a list of 2 GB.
  changed = good;
  const std::size_t end = good.rfind("PK\5\6");
  changed[end + 15] = 0x7f;
  CHECK(cause(changed) == "container.too_many");
  CHECK(cause(std::string("PK\5\6", 4) + std::string(18, '\0')) == "container.empty");
  std::vector<std::pair<std::string, std::string>> many;
  for (int i = 0; i < 1001; ++i) many.emplace_back(std::to_string(i), "a\n1\n");
  zip(s.file("z.zip"), many);
  CHECK(import_file(*s.host, "Shadegrad/z.zip").reply["cause"] == "container.too_many");
  zip(s.file("z.zip"), {{"[Content_Types].xml", "<x/>"}});
  CHECK(import_file(*s.host, "Shadegrad/z.zip").reply["cause"] == "container.spreadsheet");
  CHECK(s.in_sets().empty());
}

TEST_CASE("a file that was packed to fill the disk is refused on the way", "[host][import]") {
  ImportHome s;
  const std::string zeros = "a\n" + [] {
    std::string rows;
    for (int i = 0; i < 50 << 20; ++i) rows += "0\n";
    return rows;
  }();
  CHECK(import_bytes(s, "bomb.csv.gz", gzip(zeros))["cause"] == "container.bomb");
  zip(s.file("bomb.zip"), {{"bomb.csv", zeros}});
  CHECK(import_file(*s.host, "Shadegrad/bomb.zip").reply["cause"] == "container.bomb");
  CHECK(s.in_sets().empty());
}

TEST_CASE("what the host does not read is refused with what does", "[host][import]") {
  ImportHome s;
  const auto told = [&](const std::string& name, const std::string& bytes) {
    const Json reply = import_bytes(s, name, bytes);
    CHECK(reply["code"] == "import.unsupported");
    return reply.value("message", "");
  };
  const std::string rest(100, 'x');
  for (const auto& [name, bytes] : {std::pair{"a.parquet", "?" + rest},
                                    {"renamed.csv", "PAR1" + rest},
                                    {"a.arrow", rest},
                                    {"b.csv", "ARROW1" + rest},
                                    {"c.FEATHER", rest},
                                    {"d.png", rest},
                                    {"e.csv", "\x89PNG" + rest}})
    CHECK(told(name, bytes).find("browser") != std::string::npos);
  CHECK(told("a.tar.gz", gzip(rest)).find("tar xf") != std::string::npos);
  CHECK(told("a.csv.zst", "\x28\xb5\x2f\xfd" + rest).find("unzstd") != std::string::npos);
  CHECK(told("a.xlsx", rest).find("CSV") != std::string::npos);
}

TEST_CASE("the arrays of an NPZ stand side by side", "[host][import]") {
  ImportHome s;
  const auto npy = [](const std::string& type, const std::string& shape, const std::string& values) {
    const std::string head = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
    std::string file("\x93NUMPY\x01\x00", 8);
    return file + std::string{static_cast<char>(118), '\0'} + head + std::string(117 - head.size(), ' ') + "\n" +
           values;
  };
  zip(s.file("set.npz"),
      {{"x.npy", npy("|u1", "(40, 5, 5)", noise(1000))}, {"y.npy", npy("<i8", "(40,)", std::string(320, '\1'))}});
  const Json reply = import_file(*s.host, "Shadegrad/set.npz").reply;
  INFO(reply.dump());
  REQUIRE(reply["ok"] == true);
  const sg::Manifest m = manifest_of(s, reply["dataset"]);
  REQUIRE(m.columns.size() == 2);
  CHECK(m.columns[0].shape == std::vector<std::size_t>{5, 5});
  const ReadShard images =
      read_shard(*s.host, {{"dataset", reply["dataset"]}, {"shard", 0}, {"columns", {0}}, {"deflate", true}});
  CHECK(images.plain == noise(1000));
  // A list of another length, and a single value, are told and left out.
  zip(s.file("more.npz"), {{"names.npy", npy("<f4", "(3,)", noise(12))},
                           {"x.npy", npy("<f4", "(40, 2)", std::string(320, '\0'))},
                           {"scale.npy", npy("<f4", "()", noise(4))},
                           {"y.npy", npy("<f4", "(40,)", std::string(160, '\0'))}});
  const Json more = import_file(*s.host, "Shadegrad/more.npz").reply;
  INFO(more.dump());
  REQUIRE(more["ok"] == true);
  CHECK(more["rows"] == 40);
  const sg::Manifest told = manifest_of(s, more["dataset"]);
  CHECK(told.source.parts.size() == 2);
  CHECK(told.source.parts[1].name == "y.npy");
  REQUIRE(told.columns.size() == 3);
  CHECK(told.columns[1].name == "x_1");
  CHECK(told.columns[2].name == "y");
  CHECK(told.description["repairs"]["byKind"]["left_out"] == 2);
  CHECK_THAT(told.description["repairs"]["first"][0]["text"].get<std::string>(), Catch::Contains("'names.npy'"));
  // Others are read where they are asked for by name, and it is another import.
  const Json chosen = import_file(*s.host, "Shadegrad/more.npz", {{"arrays", {"names"}}}).reply;
  INFO(chosen.dump());
  REQUIRE(chosen["ok"] == true);
  CHECK(chosen["reused"] == false);
  CHECK(chosen["rows"] == 3);
  const sg::Manifest names = manifest_of(s, chosen["dataset"]);
  CHECK(names.source.parts.size() == 1);
  CHECK(names.options == Json{{"arrays", {"names"}}});
  CHECK(names.description["repairs"]["byKind"]["left_out"] == 3);
  CHECK(import_file(*s.host, "Shadegrad/more.npz", {{"arrays", {"names"}}}).reply["reused"] == true);
  const auto cause = [&](const Json& names_of) {
    const Json refused = import_file(*s.host, "Shadegrad/more.npz", {{"arrays", names_of}}).reply;
    CHECK(refused["code"] == "dataset.malformed");
    return refused["cause"];
  };
  CHECK(cause({"x", "z"}) == "npy.bad_option");
  CHECK(cause({"x", "names"}) == "import.rows");
  // One that says more than the zip has is refused before it is read.
  zip(s.file("bad.npz"), {{"x.npy", npy("<f4", "(400000, 5)", noise(1000))}});
  CHECK(import_file(*s.host, "Shadegrad/bad.npz").reply["cause"] == "npy.truncated");
}

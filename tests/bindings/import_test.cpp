// The module's door for imports: shards come out while bytes go in, none is lost between calls, and a manifest opens
// the data set again.
#include <catch2/catch.hpp>
#include <map>

#include "bindings/data_exports.h"
#include "io/shard.h"
#include "tests/bindings/module.h"

using namespace sg::test;

namespace {

using Files = std::map<std::string, std::vector<uint8_t>>;

/// Copies the shards of a reply, as the worker does before its next call.
void keep_shards(const json& r, Files& files) {
  INFO(r.dump().substr(0, 300));
  REQUIRE(r["ok"]);
  for (const json& shard : r["shards"]) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(shard["pointer"].get<uintptr_t>());
    REQUIRE(files.emplace(shard["file"], std::vector<uint8_t>(bytes, bytes + shard["length"].get<size_t>())).second);
  }
}

json feed(int import, const std::string& bytes) {
  return reply(
      sg_import_feed(import, reinterpret_cast<const uint8_t*>(bytes.data()), static_cast<uint32_t>(bytes.size())));
}

/// Enough rows for several shards of 8 MiB.
std::string long_series(size_t rows) {
  std::string csv = "load,temperature\n";
  for (size_t i = 0; i < rows; ++i) csv += std::to_string(i % 997) + "," + std::to_string(i % 31) + "\n";
  return csv;
}

}  // namespace

TEST_CASE("an import gives every shard once and a manifest that opens the data set", "[bindings]") {
  const std::string first = long_series(1'200'000), second = "kind\n" + [] {
    std::string lines;
    for (size_t i = 0; i < 1'200'000; ++i) lines += i % 2 ? "a\n" : "b\n";
    return lines;
  }();
  const json source{{"name", "pair"}, {"size", first.size() + second.size()}, {"options", {{"delimiter", ","}}}};
  const int import = reply(sg_import_open(source.dump().c_str()))["import"];
  Files files;
  uint64_t rows = 0;
  for (const auto& [name, text] : {std::pair{"a.csv", first}, {"b.csv", second}}) {
    CHECK(reply(sg_import_part(import, name))["ok"]);
    for (size_t at = 0; at < text.size(); at += 1'000'000) {
      const json fed = feed(import, text.substr(at, 1'000'000));
      keep_shards(fed, files);
      CHECK(fed["rows"] <= 1'200'000);
      rows = fed["rows"];
    }
    CHECK(rows > 1'000'000);
  }
  CHECK(files.size() > 1);  // they come before the end
  const json finished = reply(sg_import_finish(import));
  keep_shards(finished, files);
  json manifest = finished["manifest"];
  CHECK(manifest["rows"] == 1'200'000);
  REQUIRE(manifest["shards"].size() == files.size());
  for (json& shard : manifest["shards"]) {
    const auto& bytes = files.at(shard["file"]);
    CHECK(bytes.size() == shard["bytes"]);
    CHECK_FALSE(shard.contains("sha256"));  // the storage takes it, of what it stores
    CHECK_FALSE(sg::ShardIndex(bytes, bytes.size()).hashed());
    shard["sha256"] = sg::to_hex(sg::sha256(bytes));
  }
  CHECK(reply(sg_import_close(import))["closed"] == 1);
  CHECK(feed(import, "1")["code"] == "handle.unknown");

  const json attached = reply(sg_dataset_attach(manifest.dump().c_str()));
  REQUIRE(attached["ok"]);
  CHECK(attached["description"] == manifest["description"]);
  const int dataset = attached["dataset"];
  CHECK(reply(sg_dataset_feed(dataset, nullptr, 0))["code"] == "dataset.attached");
  CHECK(reply(sg_dataset_finish(dataset))["code"] == "dataset.attached");
  CHECK(reply(sg_dataset_close(dataset))["closed"] == 1);
}

TEST_CASE("what is wrong with an import or a manifest is told by its code", "[bindings]") {
  CHECK(reply(sg_import_open("{}"))["code"] == "import.bad_source");
  CHECK(reply(sg_import_open("[]"))["code"] == "config.bad_json");
  const int import = reply(sg_import_open(R"({"name": "a", "size": 10, "mtime": null})"))["import"];
  CHECK(feed(import, "1")["code"] == "import.order");
  CHECK(reply(sg_import_close(import))["ok"]);
  const int uneven = reply(sg_import_open(R"({"name": "a", "size": 10})"))["import"];
  CHECK(reply(sg_import_part(uneven, "a.csv"))["ok"]);
  CHECK(feed(uneven, "x\n1\n2\n")["ok"]);
  CHECK(reply(sg_import_part(uneven, "b.csv"))["ok"]);
  CHECK(feed(uneven, "y\n1\n")["ok"]);
  CHECK(reply(sg_import_finish(uneven))["code"] == "import.rows");
  CHECK(reply(sg_import_close(uneven))["ok"]);
  const int bad = reply(sg_import_open(R"({"name": "a", "size": 10, "options": {"format": "cvs"}})"))["import"];
  CHECK(reply(sg_import_part(bad, "a.csv"))["ok"]);
  CHECK(feed(bad, "x\n1\n")["ok"]);
  CHECK(reply(sg_import_finish(bad))["code"] == "format.unknown");
  CHECK(reply(sg_import_close(bad))["ok"]);
  CHECK(reply(sg_dataset_attach("{}"))["code"] == "manifest.invalid");
  CHECK(reply(sg_dataset_attach("no"))["code"] == "manifest.invalid");
}

// See data_exports.h. Each function is one call of `reply`, as in exports.cpp.
#include "bindings/data_exports.h"

#include <vector>

#include "bindings/reply.h"
#include "io/importer.h"

#ifdef __EMSCRIPTEN__
#include <emscripten/emscripten.h>
#define SG_EXPORT extern "C" EMSCRIPTEN_KEEPALIVE
#else
#define SG_EXPORT extern "C"
#endif

namespace sg::bindings {
namespace {

/// An import with the shards that its caller has not taken yet.
struct Import : ShardSink {
  struct Shard {
    std::string file;
    std::vector<uint8_t> bytes;
  };
  std::vector<Shard> fresh, told;
  std::unique_ptr<Importer> importer;
  bool in_part = false;

  void take(const std::string& file, std::vector<uint8_t> bytes) override { fresh.push_back({file, std::move(bytes)}); }

  /// What came since the last time; it lives until the next.
  json tell() {
    told = std::exchange(fresh, {});
    json list = json::array();
    for (const Shard& shard : told) {
      list.push_back({{"file", shard.file},
                      {"pointer", reinterpret_cast<uintptr_t>(shard.bytes.data())},
                      {"length", shard.bytes.size()}});
    }
    return list;
  }

  void end_part() {
    if (std::exchange(in_part, false)) importer->end_part();
  }
};

std::map<int, std::unique_ptr<Import>> imports;

Import& find_import(int handle) { return *find(imports, handle, "import"); }

}  // namespace
}  // namespace sg::bindings

using namespace sg;
using namespace sg::bindings;

SG_EXPORT const char* sg_import_open(const char* text) {
  return reply([&] {
    json source = parse(text);
    json options = json::object();
    if (const auto given = source.find("options"); given != source.end()) {
      options = *given;
      source.erase("options");
    }
    auto import = std::make_unique<Import>();
    import->importer =
        std::make_unique<Importer>(std::move(options), source, *import, ReadTarget{}.chunk_bytes, Hashing::sink);
    const int handle = next_handle++;
    imports.emplace(handle, std::move(import));
    return json{{"import", handle}};
  });
}

SG_EXPORT const char* sg_import_part(int handle, const char* name) {
  return reply([&] {
    Import& import = find_import(handle);
    import.told = {};
    import.end_part();
    import.importer->begin_part(name);
    import.in_part = true;
    return json::object();
  });
}

SG_EXPORT const char* sg_import_feed(int handle, const uint8_t* bytes, uint32_t length) {
  return reply([&] {
    Import& import = find_import(handle);
    import.told = {};
    import.importer->feed({bytes, length});
    return json{{"rows", import.importer->rows()}, {"shards", import.tell()}};
  });
}

SG_EXPORT const char* sg_import_finish(int handle) {
  return reply([&] {
    Import& import = find_import(handle);
    import.told = {};
    import.end_part();
    const Manifest manifest = import.importer->finish();
    return json{{"manifest", to_json(manifest)}, {"shards", import.tell()}};
  });
}

SG_EXPORT const char* sg_import_close(int handle) {
  return reply([&] { return json{{"closed", imports.erase(handle)}}; });
}

SG_EXPORT const char* sg_dataset_attach(const char* text) {
  return reply([&] {
    Manifest manifest = parse_manifest(text);
    json description = manifest.description;
    Dataset dataset{nullptr, manifest.source.name, std::make_unique<Table>(table_of(manifest)), std::nullopt};
    dataset.manifest = std::move(manifest);
    const int handle = next_handle++;
    datasets.emplace(handle, std::move(dataset));
    return json{{"dataset", handle}, {"description", std::move(description)}};
  });
}

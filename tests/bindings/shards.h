// The shards of an imported file in memory, and their rows as the training worker serves them to what asks for them.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "bindings/data_exports.h"
#include "io/shard.h"
#include "tests/bindings/module.h"

namespace sg::test {

/// What the worker does: keeps the shards of an import, and serves rows from them.
struct Shards {
  json manifest;
  std::map<std::string, std::vector<uint8_t>> files;

  explicit Shards(const std::string& csv) {
    const json source{{"name", "wave.csv"}, {"size", csv.size()}};
    const int import = reply(sg_import_open(source.dump().c_str()))["import"];
    keep(reply(sg_import_part(import, "wave.csv")));
    keep(
        reply(sg_import_feed(import, reinterpret_cast<const uint8_t*>(csv.data()), static_cast<uint32_t>(csv.size()))));
    const json finished = reply(sg_import_finish(import));
    keep(finished);
    manifest = finished["manifest"];
    for (json& shard : manifest["shards"]) shard["sha256"] = sg::to_hex(sg::sha256(files.at(shard["file"])));
    sg_import_close(import);
  }
  void keep(const json& r) {
    if (!r["ok"]) throw std::runtime_error(r.dump());
    for (const json& shard : r.value("shards", json::array())) {
      const auto* bytes = reinterpret_cast<const uint8_t*>(shard["pointer"].get<uintptr_t>());
      files[shard["file"]] = std::vector<uint8_t>(bytes, bytes + shard["length"].get<size_t>());
    }
  }
  int attach() const {
    const json attached = reply(sg_dataset_attach(manifest.dump().c_str()));
    if (!attached["ok"]) throw std::runtime_error(attached.dump());
    return attached["dataset"];
  }
  void serve(const json& needs) const {
    auto* to = reinterpret_cast<float*>(needs["pointer"].get<uintptr_t>());
    const uint64_t first = needs["first"], rows = needs["rows"];
    for (const json& column : needs["columns"]) {
      std::fill_n(to, rows, std::nanf(""));
      for (const json& shard : manifest["shards"]) {
        const uint64_t begin = std::max<uint64_t>(first, shard["first"]);
        const uint64_t end = std::min(first + rows, shard["first"].get<uint64_t>() + shard["rows"].get<uint64_t>());
        if (begin >= end) continue;
        const auto& bytes = files.at(shard["file"]);
        const sg::ShardIndex index(bytes, bytes.size());
        const auto range = index.values(column, false, begin - index.first_row(), end - begin);
        if (!range) continue;
        const uint8_t* from = bytes.data() + range->begin;
        if (index.dtype(column) == sg::Dtype::I32)
          put_codes(from, end - begin, to + (begin - first));
        else
          std::memcpy(to + (begin - first), from, range->size());
      }
      to += rows;
    }
  }
  /// A category's codes become floats, and -1, which stands for a missing value, NaN.
  static void put_codes(const uint8_t* from, uint64_t rows, float* to) {
    for (uint64_t r = 0; r < rows; ++r) {
      int32_t code = 0;
      std::memcpy(&code, from + 4 * r, 4);
      to[r] = code < 0 ? std::nanf("") : static_cast<float>(code);
    }
  }
  /// Serves a session until it wants nothing; its last reply.
  json feed(int session, json last) const {
    while (last["ok"] && !last["needs"].is_null()) {
      serve(last["needs"]);
      last = reply(sg_session_fed(session));
    }
    return last;
  }
};

}  // namespace sg::test

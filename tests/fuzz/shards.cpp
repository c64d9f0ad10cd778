// Shards and manifests from outside: what is accepted points into the file and covers every row once.
#include "io/manifest.h"
#include "io/shard.h"
#include "tests/fuzz/targets.h"

namespace sg::fuzz {
namespace {

void run_shard(Bytes bytes) {
  try {
    const std::uint64_t header = safetensors_header_size(bytes, bytes.size());
    const ShardIndex index(bytes.first(header), bytes.size());
    for (std::size_t column = 0; column < 4; ++column) {
      for (const bool day_first : {false, true}) {
        const auto all = index.values(column, day_first, 0, index.rows());
        if (!all) continue;
        hold(all->begin >= header && all->begin <= all->end && all->end <= bytes.size(),
             "values lie outside of the file");
        const auto last = index.values(column, day_first, index.rows(), 0);
        hold(last->begin == all->end && last->end == all->end, "rows do not end where the values do");
      }
      if (const auto bits = index.missing(column)) hold(bits->end <= bytes.size(), "a bitmap lies outside of the file");
    }
  } catch (const Error&) {
  }
}

void run_manifest(Bytes bytes) {
  try {
    const Manifest m = parse_manifest(text_of(bytes));
    std::vector<std::uint64_t> rows(m.columns.size());
    for (const ManifestShard& shard : m.shards) {
      hold(shard.file.find('/') == std::string::npos, "a shard's name is a path");
      for (std::size_t c = shard.first_column; c < shard.first_column + shard.column_count; ++c) {
        hold(rows.at(c) == shard.first, "a row of a column is missing or comes twice");
        rows[c] += shard.rows;
      }
    }
    for (const std::uint64_t n : rows) hold(n == m.rows, "a column has not all rows");
    hold(table_of(m).columns.size() == m.columns.size(), "the table has other columns");
    hold(to_json(manifest_from_json(to_json(m))) == to_json(m),
         "a manifest that was accepted is not written as it is read");
  } catch (const Error&) {
  }
}

const Registered shard("shard", run_shard), manifest("manifest", run_manifest);

}  // namespace
}  // namespace sg::fuzz

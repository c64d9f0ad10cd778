// How much memory an import takes at most, counted where memory is given out. With the sanitizers that place is theirs.
#if !defined(__SANITIZE_ADDRESS__)

#include "tests/io/memory.h"
#include "tests/io/shards.h"

using namespace sg;

namespace {

struct Forgotten : ShardSink {
  uint64_t bytes = 0;
  void take(const std::string&, std::vector<uint8_t> shard) override { bytes += shard.size(); }
};

}  // namespace

TEST_CASE("An import of 300 MB takes less than 64 MiB of memory", "[io][import]") {
  std::string block;
  for (size_t i = 0; block.size() < (1 << 20); ++i)
    block += "2024-01-" + std::to_string(10 + i % 20) + " 10:00," + std::to_string(i % 977) + ".25," +
             std::to_string(i * 7 % 1000) + ",kind" + std::to_string(i % 40) + ",text " + std::to_string(i) + "\n";
  Forgotten shards;
  const MemoryWatch watch;
  Importer importer({}, source_named("big.csv", block.size() * 300), shards);
  importer.begin_part("big.csv");
  importer.feed(as_bytes("when,a,b,kind,note\n"));
  for (int i = 0; i < 300; ++i) importer.feed(as_bytes(block));
  importer.end_part();
  const Manifest manifest = importer.finish();
  const size_t most = watch.peak();
  CHECK(manifest.rows > 5'000'000);
  CHECK(shards.bytes > (size_t{100} << 20));
  CAPTURE(most);
  CHECK(most > (8 << 20));  // it was counted
  CHECK(most < (64 << 20));
}

#endif

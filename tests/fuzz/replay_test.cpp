// Every input that was kept goes through its target again, and so does a bounded number of mutations of it: what was
// found once stays mended, whichever compiler and sanitizer built this.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <random>

#include "tests/fuzz/targets.h"

namespace fs = std::filesystem;
using sg::fuzz::Bytes;

namespace {

constexpr int kMutations = 20;

std::vector<std::uint8_t> read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// One change of the kinds that readers stumble over.
void mutate(std::vector<std::uint8_t>& bytes, std::mt19937& random) {
  const std::size_t at = bytes.empty() ? 0 : random() % bytes.size();
  const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
  switch (random() % 4) {
    case 0:
      if (!bytes.empty()) *place = static_cast<std::uint8_t>(random());
      break;
    case 1:
      bytes.insert(place, static_cast<std::uint8_t>(random()));
      break;
    case 2:
      bytes.erase(place, bytes.end());
      break;
    default:
      if (!bytes.empty()) *place ^= static_cast<std::uint8_t>(1u << random() % 8);
  }
}

}  // namespace

TEST_CASE("no input of the corpora breaks its target, nor does one near it", "[fuzz]") {
  const fs::path corpora = fs::path(SG_SOURCE_DIR) / "tests/fuzz/corpus";
  for (const sg::fuzz::Target& target : sg::fuzz::targets()) {
    INFO(target.name);
    std::vector<fs::path> inputs;
    for (const auto& entry : fs::directory_iterator(corpora / target.name)) inputs.push_back(entry.path());
    std::sort(inputs.begin(), inputs.end());
    REQUIRE(inputs.size() >= 5);
    std::mt19937 random(1);
    for (const fs::path& path : inputs) {
      INFO(path);
      std::vector<std::uint8_t> bytes = read_file(path);
      REQUIRE_NOTHROW(target.run(bytes));
      for (int i = 0; i < kMutations; ++i) {
        mutate(bytes, random);
        CAPTURE(i);
        REQUIRE_NOTHROW(target.run(bytes));
      }
    }
  }
}

TEST_CASE("a target that is broken is noticed", "[fuzz]") {
  REQUIRE_THROWS_AS(sg::fuzz::hold(false, "so"), sg::fuzz::Broken);
  std::vector<std::uint8_t> bytes(100'000, 7), joined;
  std::size_t pieces = 0;
  sg::fuzz::in_pieces(bytes, [&](Bytes piece) {
    joined.insert(joined.end(), piece.begin(), piece.end());
    ++pieces;
  });
  REQUIRE(joined == bytes);
  REQUIRE(pieces > 100);
}

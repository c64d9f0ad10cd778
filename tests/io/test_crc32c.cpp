// The checksum of streams, against its published check values.

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "io/crc32c.h"

using namespace sg;

namespace {

std::span<const uint8_t> as_bytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

}  // namespace

TEST_CASE("crc32c gives the published check values", "[io]") {
  CHECK(crc32c(as_bytes("123456789")) == 0xE3069283u);
  CHECK(crc32c(std::vector<uint8_t>(32, 0)) == 0x8A9136AAu);
  CHECK(crc32c(std::vector<uint8_t>(32, 0xFF)) == 0x62A8AB43u);
  CHECK(crc32c({}) == 0);
  const std::string text = "the quick brown fox jumps over the lazy dog";
  for (size_t i = 0; i <= text.size(); ++i) {
    CHECK(crc32c(as_bytes(text.substr(i)), crc32c(as_bytes(text.substr(0, i)))) == crc32c(as_bytes(text)));
  }
}

// SHA-256 against the digests that NIST publishes, and in pieces of every size.

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "io/sha256.h"
#include "io/sha256_blocks.h"

using namespace sg;

namespace {

std::span<const uint8_t> as_bytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

std::string hex_of(const std::string& text) { return to_hex(sha256(as_bytes(text))); }

}  // namespace

TEST_CASE("sha256 gives the digests of NIST's examples", "[io]") {
  // FIPS 180-2, appendix B, and the CAVP short messages of 0, 8 and 512 bits.
  CHECK(hex_of("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(hex_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(hex_of(std::string(1'000'000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  CHECK(hex_of("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(hex_of("\xd3") == "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1");
  CHECK(hex_of("\x5a\x86\xb7\x37\xea\xea\x8e\xe9\x76\xa0\xa2\x4d\xa6\x3e\x7e\xd7\xee\xfa\xd1\x8a\x10\x1c\x12\x11\xe2"
               "\xb3\x65\x0c\x51\x87\xc2\xa8\xa6\x50\x54\x72\x08\x25\x1f\x6d\x42\x37\xe6\x61\xc7\xbf\x4c\x77\xf3\x35"
               "\x39\x03\x94\xc3\x7f\xa1\xa9\xf9\xbe\x83\x6a\xc2\x85\x09") ==
        "42e61e174fbb3897d6dd6cef3dd2802fe67b331953b06114a65c772859dfc1aa");
}

TEST_CASE("sha256 does not care how its bytes are cut", "[io]") {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * 7 + i / 5);
  for (size_t length = 0; length <= text.size(); ++length) {
    const std::string whole = hex_of(text.substr(0, length));
    for (const size_t piece : {size_t{1}, size_t{3}, size_t{63}, size_t{64}, size_t{65}, size_t{129}}) {
      Sha256 hash;
      for (size_t at = 0; at < length; at += piece) hash.feed(as_bytes(text.substr(at, std::min(piece, length - at))));
      REQUIRE(to_hex(hash.finish()) == whole);
    }
  }
}

#if defined(__x86_64__)
TEST_CASE("the processor's instructions take blocks into the state as the portable code does", "[io]") {
  if (!has_sha256_instructions()) {
    WARN("this processor has no SHA extensions");
    return;
  }
  std::mt19937 random(256);
  std::vector<uint8_t> bytes(64 * 9 + 16);
  for (int round = 0; round < 400; ++round) {
    // Every alignment, every number of blocks, and a state that is anything.
    const size_t offset = round % 16, blocks = round % 10;
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    Sha256State portable;
    for (uint32_t& word : portable) word = static_cast<uint32_t>(random());
    Sha256State quick = portable;
    sha256_blocks(portable, bytes.data() + offset, blocks);
    sha256_blocks_by_instructions(quick, bytes.data() + offset, blocks);
    REQUIRE(quick == portable);
  }
}

TEST_CASE("the portable SHA-256 alone gives the digest of NIST's example", "[io]") {
  Sha256State state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::vector<uint8_t> block(64);
  block[0] = 'a', block[1] = 'b', block[2] = 'c', block[3] = 0x80, block[63] = 24;
  sha256_blocks(state, block.data(), 1);
  CHECK(state ==
        Sha256State{0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223, 0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad});
}
#endif

TEST_CASE("a digest is read from 64 lower-case hex digits alone", "[io]") {
  const Digest digest = sha256({});
  const std::string text = to_hex(digest);
  CHECK(digest_from_hex(text) == digest);
  CHECK_FALSE(digest_from_hex(text.substr(1)));
  CHECK_FALSE(digest_from_hex(text + "0"));
  CHECK_FALSE(digest_from_hex("E" + text.substr(1)));
  CHECK_FALSE(digest_from_hex("g" + text.substr(1)));
}

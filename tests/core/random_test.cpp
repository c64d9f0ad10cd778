// Random numbers: known answers of Philox, and that streams, draws and seeds keep apart.
#include "core/random.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "core/step_values.h"
#include "ops/ops.h"
#include "tests/ops/devices.h"
#include "tests/reference/reference.h"

namespace sg::tests {
namespace {

/// The test vectors that come with Random123 (kat_vectors, "philox4x32 10").
struct Answer {
  Philox counter;
  uint32_t key0, key1;
  Philox out;
};
const Answer kAnswers[]{
    {{0, 0, 0, 0}, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     0xffffffff,
     0xffffffff,
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     0xa4093822,
     0x299f31d0,
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

TEST_CASE("Philox gives its published answers, in the core and in the reference", "[core]") {
  for (const Answer& a : kAnswers) {
    CHECK(philox(a.counter, a.key0, a.key1) == a.out);
    const reference::Words words =
        reference::philox4x32({{a.counter[0], a.counter[1], a.counter[2], a.counter[3]}}, a.key0, a.key1);
    for (size_t i = 0; i < 4; ++i) CHECK(words.word[i] == a.out[i]);
  }
}

TEST_CASE("a random word becomes a float in [0, 1) by its 24 high bits", "[core]") {
  CHECK(uniform01(0) == 0);
  CHECK(uniform01(0xff) == 0);
  CHECK(uniform01(0x100) == 0x1p-24f);
  CHECK(uniform01(0x80000000) == 0.5f);
  CHECK(uniform01(0xffffffff) == 1 - 0x1p-24f);
}

TEST_CASE("a generator's seed is split into its halves", "[core]") {
  const Generator g{0x123456789abcdef0, 3};
  CHECK(g.low() == 0x9abcdef0);
  CHECK(g.high() == 0x12345678);
}

TEST_CASE("draws, streams and seeds give different numbers, and the same ones again", "[core]") {
  Device& d = device("cpu");
  const auto numbers = [&](uint64_t seed, Stream stream, uint32_t draw) {
    return ops::uniform(d, Shape{64}, 0, 1, {seed, 0}, stream, draw).values();
  };
  const std::set<std::vector<float>> all{numbers(1, Stream::weights, 0),
                                         numbers(1, Stream::weights, 1),
                                         numbers(1, Stream::shuffle, 0),
                                         numbers(1, Stream::dropout, 0),
                                         numbers(2, Stream::weights, 0),
                                         numbers(1ull << 32, Stream::weights, 0),
                                         numbers((1ull << 32) + 1, Stream::weights, 0)};
  CHECK(all.size() == 7);
  CHECK(numbers(1, Stream::weights, 0) == numbers(1, Stream::weights, 0));
}

TEST_CASE("uniform numbers fill their range evenly", "[core]") {
  const std::vector<float> x = ops::uniform(device("cpu"), Shape{16384}, -3, 5, {7, 0}, Stream::weights, 0).values();
  double mean = 0, square = 0;
  for (const float v : x) {
    REQUIRE((v >= -3 && v < 5));
    mean += v / 16384.0;
    square += v * v / 16384.0;
  }
  CHECK(mean == Approx(1).margin(0.1));
  CHECK(square - mean * mean == Approx(64.0 / 12).epsilon(0.05));
}

TEST_CASE("dropout keeps its share, and another draw drops others", "[core]") {
  Device& d = device("cpu");
  const Tensor ones = Tensor::full(d, Shape{16384}, 1);
  for (const float p : {0.1f, 0.5f, 0.8f}) {
    const std::vector<float> y = ops::dropout(ones, p, {5, 0}, 2).values();
    const auto dropped = static_cast<double>(std::count(y.begin(), y.end(), 0.0f));
    CHECK(dropped / 16384 == Approx(p).margin(0.02));
    CHECK(y == ops::dropout(ones, p, {5, 0}, 2).values());
    CHECK(y != ops::dropout(ones, p, {5, 0}, 3).values());
  }
}

TEST_CASE("a step's draws come out of its floats as they went in, and without any they are none", "[core]") {
  CHECK(StepValues{}.draws() == 0);
  for (const uint32_t draws : {0u, 1u, 0xffffu, 0x10000u, 0x1234567u, 0x80000000u, 0xffffffffu}) {
    StepValues values{.learning_rate = 0.5f};
    values.set_draws(draws);
    const StepValues read = StepValues::from(values.floats().data());
    CHECK(read.draws() == draws);
    CHECK(read.floats() == values.floats());
    CHECK(read.learning_rate == 0.5f);
  }
}

}  // namespace
}  // namespace sg::tests

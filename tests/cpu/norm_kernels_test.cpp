// The kernels of normalisation and attention trust no parameters: what does not fit the buffers is refused by name.
#include <catch2/catch.hpp>

#include "io/error.h"
#include "tests/cpu/runner.h"

namespace sg::cpu_test {
namespace {

template <class P>
void refuses(const P& p, std::vector<size_t> sizes, size_t floats, const std::string& said) {
  Runner runner;
  std::vector<Floats> inputs;
  for (const size_t size : sizes) inputs.emplace_back(size, 1.0f);
  inputs.resize(info(P::kernel).inputs.size(), Floats(1, 1.0f));
  try {
    runner.run(p, inputs, floats);
    FAIL_CHECK("nothing was thrown");
  } catch (const Error& error) {
    INFO(error.message());
    CHECK(error.code() == "device.arguments");
    CHECK(error.message().find(std::string(info(P::kernel).name)) != std::string::npos);
    CHECK(error.message().find(said) != std::string::npos);
  }
}

params::attention attention_of_two_heads() {
  params::attention p{};
  p.batch = 1, p.heads = 2, p.share = 1, p.queries = 3, p.keys = 3, p.width = 4;
  p.q_row = p.kv_row = 24, p.k_at = 8, p.v_at = 16, p.scale = 0.5f;
  return p;
}

TEST_CASE("softmax's kernels refuse buffers that are too small", "[cpu]") {
  const params::softmax_statistics s{.outer = 2, .reduce = 3, .inner = 4};
  refuses(s, {23, 24}, 8, "x holds 23");
  refuses(s, {24, 24}, 7, "holds 7");
  refuses(params::softmax{.outer = 2, .reduce = 3, .inner = 4, .logarithmic = 0}, {24, 7, 8}, 24, "maximum holds 7");
  refuses(params::dot{.outer = 2, .reduce = -1, .inner = 4}, {24, 24}, 8, "negative");
}

TEST_CASE("the norm's kernels refuse channels that do not fit the groups", "[cpu]") {
  params::norm p{};
  p.repeat = 1, p.groups = 2, p.extent = 6, p.channels = 6, p.span = 1, p.eps = 1;
  const std::vector<size_t> sizes{12, 2, 2, 6, 6};
  Runner runner;
  std::vector<Floats> inputs;
  for (const size_t size : sizes) inputs.emplace_back(size, 1.0f);
  CHECK_NOTHROW(runner.run(p, inputs, 12));
  p.channels = 4;
  refuses(p, sizes, 12, "do not fit");
  p.channels = 6, p.span = 0;
  refuses(p, sizes, 12, "below 1");
  p.span = 5;
  refuses(p, sizes, 12, "do not fit");
  p.span = 1, p.weighted = 1, p.channels = 6;
  refuses(p, {12, 2, 2, 5, 6}, 12, "weight holds 5");
  params::norm_sums s{};
  s.repeat = 1, s.groups = 2, s.extent = 6, s.stat_groups = 2, s.stat_extent = 6, s.channels = 6, s.span = 4;
  refuses(s, {12, 12, 2, 2, 6}, 2, "do not fit");
  s.span = 1, s.stat_extent = 0;
  refuses(s, {12, 12, 2, 2, 6}, 2, "below 1");
}

TEST_CASE("attention's kernels refuse heads beside the rows, and rotary an odd width", "[cpu]") {
  const std::vector<size_t> sizes{72, 72, 72, 1, 6, 6, 24};
  params::attention p = attention_of_two_heads();
  Runner runner;
  std::vector<Floats> inputs;
  for (const size_t size : sizes) inputs.emplace_back(size, 1.0f);
  const Floats result = runner.run(p, inputs, 24)[0];
  for (const float y : result) CHECK(y == Approx(3 * std::exp(4 * 0.5 - 1)));
  p.v_at = 17;
  refuses(p, sizes, 24, "within the rows");
  p = attention_of_two_heads(), p.q_at = -1;
  refuses(p, sizes, 24, "within the rows");
  p = attention_of_two_heads(), p.share = 0;
  refuses(p, sizes, 24, "within the rows");
  p = attention_of_two_heads(), p.padded = 1;
  refuses(p, sizes, 24, "padding holds 1");
  p = attention_of_two_heads(), p.keys = 4;
  refuses(p, sizes, 24, "k holds 72");
  refuses(params::rotary{.batch = 1, .positions = 2, .heads = 1, .width = 3, .rotated = 1, .backward = 0}, {6, 6}, 6,
          "odd");
}

}  // namespace
}  // namespace sg::cpu_test

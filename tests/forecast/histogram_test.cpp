// How errors are counted for a picture: few bins for few values, bounded ones for any, and every value in its own.
#include "forecast/histogram.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numeric>

namespace sg {
namespace {

/// Bell shaped: each the sum of twelve numbers from 0 to 1, less 6.
std::vector<double> bell(size_t count, double scale = 1) {
  uint32_t state = 7;
  const auto draw = [&] { return static_cast<double>((state = state * 1664525 + 1013904223) >> 8) / (1 << 24); };
  std::vector<double> values(count);
  for (double& v : values) {
    v = -6;
    for (int i = 0; i < 12; ++i) v += draw();
    v *= scale;
  }
  return values;
}

uint64_t total(const Histogram& h) { return std::accumulate(h.counts.begin(), h.counts.end(), uint64_t{0}); }

}  // namespace

TEST_CASE("a histogram has few bins for few values and more for many, all of them counted", "[histogram]") {
  for (const double scale : {1e-6, 1.0, 37.0, 1e9}) {
    const Histogram few = histogram(bell(60, scale), 40), many = histogram(bell(20000, scale), 40);
    INFO(scale << ": " << few.counts.size() << ", " << many.counts.size());
    CHECK(few.counts.size() >= 5);
    CHECK(few.counts.size() <= 13);
    CHECK(many.counts.size() > 2 * few.counts.size());
    CHECK(many.counts.size() <= 41);
    CHECK(total(few) == 60);
    CHECK(total(many) == 20000);
  }
}

TEST_CASE("a histogram's bins have a round width and their edges are its multiples, so that none spans 0",
          "[histogram]") {
  const std::vector<double> values = bell(500, 3);
  const Histogram h = histogram(values, 40);
  const double digit = h.width / std::pow(10, std::floor(std::log10(h.width) + 1e-9));
  const std::vector<double> round{1, 2, 2.5, 5};
  CHECK(std::any_of(round.begin(), round.end(), [&](double r) { return std::abs(digit - r) < 1e-9; }));
  const auto below = std::count_if(values.begin(), values.end(), [](double v) { return v < 0; });
  CHECK(std::accumulate(h.counts.begin(), h.counts.begin() - h.first, int64_t{0}) == below);
  CHECK(h.counts.front() > 0);
  CHECK(h.counts.back() > 0);
}

TEST_CASE("a histogram of what is far apart, all the same, not finite or nothing has no more bins than it may",
          "[histogram]") {
  std::vector<double> far = bell(1000);
  far.push_back(1e7);
  CHECK(histogram(far, 40).counts.size() <= 41);
  std::vector<double> few = bell(60);
  few.push_back(20);
  CHECK(histogram(few, 40).counts.size() <= 17);
  CHECK(histogram(std::vector<double>(50, 0), 40).counts == std::vector<uint64_t>{50});
  CHECK(histogram(std::vector<double>(50, -2.5e30), 40).counts == std::vector<uint64_t>{50});
  std::vector<double> mostly_alike(50, 0);
  mostly_alike[7] = 1;
  const Histogram alike = histogram(mostly_alike, 40);
  CHECK(total(alike) == 50);
  CHECK(alike.counts.size() <= 12);
  const double huge = std::numeric_limits<double>::max(), infinite = std::numeric_limits<double>::infinity();
  CHECK(total(histogram({1, 2, infinite, std::nan("")}, 40)) == 2);
  CHECK(total(histogram({1e10, 1e10 + 1e-6, 5e9}, 40)) == 3);
  CHECK(total(histogram({-huge / 4, huge / 4}, 40)) == 2);
  CHECK(histogram({}, 40).counts.empty());
}

}  // namespace sg

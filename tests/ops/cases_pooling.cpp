// Cases of pooling: windows that overlap, that leave gaps, that reach into the padding, of one element and of all; and
// adaptive ones to sizes that divide the input's, that do not, and that are larger.
#include <limits>

#include "tests/op_cases.h"
#include "tests/reference/convolution.h"

namespace sg::tests {
namespace {

using reference::Pooling;

struct Fixed {
  Sizes x;
  Pooling how;
};

constexpr int kFar = std::numeric_limits<int>::max();

const std::vector<Fixed> kFixed2d{{{1, 1, 1, 1}, {1, 1, 1, 1}},          {{1, 1, 2, 2}, {2, 2, 2, 2}},
                                  {{1, 1, 4, 4}, {2, 2, 2, 2}},          {{2, 3, 8, 8}, {2, 2, 2, 2}},
                                  {{2, 3, 7, 9}, {2, 2, 2, 2}},          {{1, 2, 7, 9}, {3, 3, 2, 2, 1, 1}},
                                  {{2, 2, 5, 6}, {3, 2, 1, 1}},          {{1, 3, 6, 5}, {3, 3, 1, 1, 1, 1}},
                                  {{2, 1, 9, 11}, {2, 3, 4, 5}},         {{1, 2, 10, 7}, {1, 1, 3, 2}},
                                  {{1, 2, 8, 13}, {4, 5, 2, 3, 2, 2}},   {{1, 4, 3, 3}, {3, 3, 1, 1}},
                                  {{2, 5, 1, 17}, {1, 4, 1, 2, 0, 1}},   {{2, 5, 17, 1}, {4, 1, 3, 1, 2, 0}},
                                  {{1, 1, 2, 2}, {4, 4, 2, 2, 2, 2}},    {{1, 1, 11, 13}, {5, 7, 5, 7}},
                                  {{2, 2, 6, 14}, {2, 2, 2, 2}},         {{1, 3, 5, 11}, {2, 2, 2, 2}},
                                  {{3, 7, 4, 4}, {2, 2, 1, 2}},          {{1, 33, 3, 5}, {2, 3, 1, 1, 1, 0}},
                                  {{1, 1, 31, 29}, {7, 7, 3, 3, 3, 3}},  {{1, 2, 16, 65}, {2, 2, 2, 2}},
                                  {{2, 3, 38, 38}, {2, 2, 1, 1}},  // beyond 8192 floats
                                  {{4, 5, 6, 7}, {6, 7, 1, 1}},          {{2, 2, 5, 7}, {3, 2, kFar, 2}},
                                  {{1, 2, 6, 7}, {3, 5, 2, kFar, 1, 1}},    // strides beyond all of x
                                  {{1, 2, 68, 70}, {65, 66, 2, 3, 1, 2}}};  // a window of more than 4096

const std::vector<Fixed> kFixed1d{
    {{1, 1, 1}, {1, 1, 1, 1}},         {{1, 1, 2}, {1, 2, 1, 2}},        {{1, 2, 4}, {1, 2, 1, 2}},
    {{2, 3, 8}, {1, 2, 1, 2}},         {{2, 3, 9}, {1, 2, 1, 2}},        {{2, 2, 7}, {1, 3, 1, 1, 0, 1}},
    {{1, 5, 11}, {1, 3, 1, 2}},        {{1, 4, 13}, {1, 3, 1, 5}},       {{3, 2, 10}, {1, 1, 1, 3}},
    {{1, 1, 17}, {1, 5, 1, 3, 0, 2}},  {{2, 7, 5}, {1, 5, 1, 1}},        {{1, 1, 3}, {1, 6, 1, 3, 0, 3}},
    {{1, 3, 16}, {1, 4, 1, 4}},        {{2, 4, 33}, {1, 4, 1, 2, 0, 1}}, {{5, 5, 6}, {1, 2, 1, 1}},
    {{1, 17, 19}, {1, 3, 1, 3, 0, 1}}, {{1, 1, 65}, {1, 8, 1, 8}},       {{1, 2, 129}, {1, 7, 1, 5, 0, 3}},
    {{2, 1, 255}, {1, 16, 1, 16}},     {{3, 3, 31}, {1, 31, 1, 1}},      {{2, 3, 1500}, {1, 3, 1, 1}},
    {{1, 1, 600}, {1, 300, 1, 150}}};

struct Adaptive {
  Sizes x;
  ops::Pair size;
};

const std::vector<Adaptive> kAdaptive2d{
    {{1, 1, 1, 1}, {1, 1}},    {{1, 1, 4, 4}, {2, 2}},   {{2, 3, 7, 5}, {1, 1}},     {{2, 3, 8, 6}, {4, 3}},
    {{2, 2, 7, 5}, {3, 2}},    {{1, 2, 5, 7}, {5, 7}},   {{1, 2, 2, 3}, {4, 5}},     {{1, 3, 9, 1}, {4, 1}},
    {{1, 3, 1, 11}, {1, 4}},   {{3, 1, 10, 13}, {7, 6}}, {{1, 1, 17, 16}, {5, 8}},   {{2, 5, 3, 3}, {2, 2}},
    {{1, 4, 6, 6}, {1, 3}},    {{1, 4, 6, 6}, {3, 1}},   {{2, 1, 1, 1}, {3, 2}},     {{1, 17, 4, 5}, {3, 3}},
    {{1, 1, 31, 29}, {6, 4}},  {{5, 2, 8, 8}, {1, 1}},   {{1, 2, 33, 12}, {1, 1}},   {{1, 1, 23, 37}, {23, 5}},
    {{4, 3, 5, 5}, {4, 4}},    {{1, 1, 3, 2}, {66, 65}}, {{2, 2, 45, 50}, {44, 49}}, {{1, 1, 70, 131}, {1, 2}},
    {{1, 1, 2, 2}, {300, 300}}};

const std::vector<std::pair<Sizes, int>> kAdaptive1d{
    {{1, 1, 1}, 1}, {{1, 1, 4}, 2},   {{2, 3, 7}, 1},   {{2, 3, 8}, 4},       {{2, 2, 7}, 3},  {{1, 2, 5}, 5},
    {{1, 2, 2}, 5}, {{1, 3, 11}, 4},  {{3, 1, 13}, 6},  {{1, 1, 17}, 16},     {{2, 5, 3}, 2},  {{1, 4, 6}, 3},
    {{2, 1, 1}, 3}, {{1, 17, 5}, 3},  {{1, 1, 31}, 7},  {{5, 2, 64}, 8},      {{1, 2, 65}, 1}, {{1, 1, 129}, 50},
    {{4, 3, 5}, 4}, {{1, 1, 700}, 1}, {{1, 1, 700}, 3}, {{2, 2, 2100}, 2049}, {{1, 3, 20}, 19}};

std::string described(const Pooling& p) {
  return "kernel " + std::to_string(p.kernel_h) + " " + std::to_string(p.kernel_w) + " stride " +
         std::to_string(p.stride_h) + " " + std::to_string(p.stride_w) + " padding " + std::to_string(p.pad_h) + " " +
         std::to_string(p.pad_w);
}

/// x[N, C, L] with a height of 1, and back.
Array raised(const Array& x) { return Array({x.sizes[0], x.sizes[1], 1, x.sizes[2]}, x.values); }
Array flattened(Array y) {
  y.sizes.erase(y.sizes.begin() + 2);
  return y;
}

/// terms is 0 for maxima, whose gradient has no slope where two elements are equal: they are drawn distinct.
void add(std::vector<OpCase>& table, const std::string& op, const std::string& detail, const Sizes& x, int terms,
         const std::function<Tensor(const Tensor&)>& on_device,
         const std::function<Array(const Array&)>& in_reference) {
  const Draw draw = terms == 0 ? Draw::distinct : Draw::spread;
  table.push_back({op,
                   text(x) + " " + detail,
                   {{x, -2, 2, draw}},
                   [=](Device&, const Tensors& t) { return on_device(t[0]); },
                   [=](const Arrays& t) { return in_reference(t[0]); },
                   std::max(terms, 1)});
}

void add_fixed(std::vector<OpCase>& table, const Fixed& c) {
  const Pooling p = c.how;
  const ops::Pair kernel{p.kernel_h, p.kernel_w}, stride{p.stride_h, p.stride_w}, pad{p.pad_h, p.pad_w};
  const int terms = kernel.h * kernel.w;
  if (c.x.size() == 4) {
    add(
        table, "max_pool2d", described(p), c.x, 0,
        [=](const Tensor& x) { return ops::max_pool2d(x, kernel, stride, pad); },
        [=](const Array& x) { return reference::max_pool2d(x, p); });
    add(
        table, "avg_pool2d", described(p), c.x, terms,
        [=](const Tensor& x) { return ops::avg_pool2d(x, kernel, stride, pad); },
        [=](const Array& x) { return reference::avg_pool2d(x, p); });
    return;
  }
  add(
      table, "max_pool1d", described(p), c.x, 0,
      [=](const Tensor& x) { return ops::max_pool1d(x, kernel.w, stride.w, pad.w); },
      [=](const Array& x) { return flattened(reference::max_pool2d(raised(x), p)); });
  add(
      table, "avg_pool1d", described(p), c.x, terms,
      [=](const Tensor& x) { return ops::avg_pool1d(x, kernel.w, stride.w, pad.w); },
      [=](const Array& x) { return flattened(reference::avg_pool2d(raised(x), p)); });
}

void add_adaptive2d(std::vector<OpCase>& table, const Sizes& sizes, ops::Pair to) {
  const std::string detail = "to " + std::to_string(to.h) + " " + std::to_string(to.w);
  const int terms = (sizes[2] / to.h + 2) * (sizes[3] / to.w + 2);
  add(
      table, "adaptive_max_pool2d", detail, sizes, 0, [=](const Tensor& x) { return ops::adaptive_max_pool2d(x, to); },
      [=](const Array& x) { return reference::adaptive_max_pool2d(x, to.h, to.w); });
  add(
      table, "adaptive_avg_pool2d", detail, sizes, terms,
      [=](const Tensor& x) { return ops::adaptive_avg_pool2d(x, to); },
      [=](const Array& x) { return reference::adaptive_avg_pool2d(x, to.h, to.w); });
}

void add_adaptive1d(std::vector<OpCase>& table, const Sizes& sizes, int to) {
  const std::string detail = "to " + std::to_string(to);
  add(
      table, "adaptive_max_pool1d", detail, sizes, 0, [=](const Tensor& x) { return ops::adaptive_max_pool1d(x, to); },
      [=](const Array& x) { return flattened(reference::adaptive_max_pool2d(raised(x), 1, to)); });
  add(
      table, "adaptive_avg_pool1d", detail, sizes, sizes[2] / to + 2,
      [=](const Tensor& x) { return ops::adaptive_avg_pool1d(x, to); },
      [=](const Array& x) { return flattened(reference::adaptive_avg_pool2d(raised(x), 1, to)); });
}

}  // namespace

const CaseFile cases([](std::vector<OpCase>& table) {
  for (const Fixed& c : kFixed2d) add_fixed(table, c);
  for (const Fixed& c : kFixed1d) add_fixed(table, c);
  for (const Adaptive& c : kAdaptive2d) add_adaptive2d(table, c.x, c.size);
  for (const auto& [sizes, to] : kAdaptive1d) add_adaptive1d(table, sizes, to);
});

}  // namespace sg::tests

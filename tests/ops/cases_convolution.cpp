// Cases of convolutions along one axis and two: strides beyond the kernel, dilations, groups, depthwise multipliers,
// paddings beyond the kernel, planes of one element, rows that straddle texels and sums that a device cuts into pieces.
#include <limits>

#include "tests/op_cases.h"
#include "tests/reference/convolution.h"

namespace sg::tests {
namespace {

constexpr int kFar = std::numeric_limits<int>::max();

struct Case2d {
  Sizes x, weight;
  ops::Convolution how = {};
  bool bias = true;
  Sizes zeros = {0, 0, 0, 0};  // padded beforehand: left, right, top, bottom
};

std::string both(ops::Pair p) { return std::to_string(p.h) + " " + std::to_string(p.w); }

reference::Convolution reference_of(const ops::Convolution& how, const Sizes& zeros) {
  return {.stride_h = how.stride.h,
          .stride_w = how.stride.w,
          .top = zeros[2] + how.padding.h,
          .left = zeros[0] + how.padding.w,
          .bottom = zeros[3] + how.padding.h,
          .right = zeros[1] + how.padding.w,
          .dilation_h = how.dilation.h,
          .dilation_w = how.dilation.w,
          .groups = how.groups};
}

int taps_of(const Sizes& weight) { return reference::count(weight) / weight[0]; }

void add_conv2d(std::vector<OpCase>& table, const Case2d& c) {
  std::vector<Input> inputs{{c.x}, {c.weight, -1, 1}};
  if (c.bias) inputs.push_back({{c.weight[0]}});
  const std::string detail = text(c.x) + " by " + text(c.weight) + " stride " + both(c.how.stride) + " padding " +
                             both(c.how.padding) + " dilation " + both(c.how.dilation) + " groups " +
                             std::to_string(c.how.groups) + (c.bias ? " with bias" : "");
  table.push_back({"conv2d", detail, inputs,
                   [c](Device&, const Tensors& t) {
                     return ops::conv2d(ops::pad(t[0], c.zeros), t[1], c.bias ? t[2] : Tensor(), c.how);
                   },
                   [c](const Arrays& t) {
                     return reference::conv2d(t[0], t[1], c.bias ? &t[2] : nullptr, reference_of(c.how, c.zeros));
                   },
                   taps_of(c.weight)});
}

const std::vector<Case2d> kCases2d{
    {{1, 1, 1, 1}, {1, 1, 1, 1}},
    {{1, 1, 3, 3}, {1, 1, 3, 3}},
    {{2, 3, 5, 4}, {5, 3, 1, 1}},
    {{3, 4, 4, 4}, {8, 4, 1, 1}, {}, false},
    {{2, 3, 5, 7}, {4, 3, 3, 3}, {.padding = {1, 1}}},
    {{2, 4, 8, 8}, {8, 4, 3, 3}, {.padding = {1, 1}}, false},
    {{1, 5, 9, 6}, {7, 5, 2, 3}},
    {{2, 2, 7, 11}, {3, 2, 5, 1}, {.padding = {2, 0}}},
    {{1, 2, 4, 6}, {5, 2, 1, 4}, {.padding = {0, 3}}},
    {{2, 3, 9, 9}, {4, 3, 3, 3}, {.stride = {2, 2}, .padding = {1, 1}}},
    {{1, 2, 10, 13}, {5, 2, 2, 2}, {.stride = {3, 4}}},
    {{1, 1, 8, 9}, {4, 1, 1, 1}, {.stride = {2, 3}}, false},
    {{2, 2, 9, 10}, {4, 2, 3, 2}, {.padding = {2, 1}, .dilation = {2, 3}}},
    {{1, 3, 11, 8}, {6, 3, 3, 3}, {.stride = {2, 1}, .padding = {3, 2}, .dilation = {3, 2}}},
    {{1, 1, 2, 2}, {4, 1, 3, 3}, {.padding = {3, 4}}},
    {{2, 4, 5, 6}, {8, 2, 3, 3}, {.padding = {1, 1}, .groups = 2}},
    {{1, 9, 4, 5}, {15, 3, 2, 2}, {.groups = 3}, false},
    {{2, 5, 6, 7}, {5, 1, 3, 3}, {.padding = {1, 1}, .groups = 5}},
    {{1, 3, 9, 17}, {6, 1, 3, 3}, {.stride = {2, 2}, .padding = {1, 1}, .groups = 3}},
    {{2, 3, 6, 5}, {9, 1, 2, 3}, {.dilation = {2, 2}, .groups = 3}, false},
    {{1, 4, 5, 20}, {16, 1, 3, 5}, {.padding = {1, 2}, .groups = 4}},
    {{2, 3, 7, 19}, {2, 3, 3, 3}, {.padding = {1, 1}}},
    {{1, 2, 5, 6}, {3, 2, 2, 2}, {.stride = {4, 3}}},
    {{2, 2, 5, 6}, {3, 2, 3, 2}, {.stride = {kFar, 3}}},  // strides beyond all of x
    {{2, 2, 5, 6}, {4, 1, 2, 3}, {.stride = {2, kFar}, .padding = {1, 1}, .groups = 2}},
    {{1, 4, 3, 5}, {8, 4, 3, 3}, {.stride = {kFar, kFar}}},
    {{1, 6, 3, 40}, {1, 6, 3, 3}, {.padding = {0, 1}, .dilation = {1, 2}}},
    {{1, 17, 4, 4}, {16, 17, 3, 3}, {.padding = {1, 1}}},
    {{2, 9, 3, 4}, {5, 9, 3, 3}, {.padding = {1, 1}}, false},  // taps in two parts
    {{2, 70, 2, 3}, {4, 70, 1, 1}},
    {{2, 40, 3, 3}, {8, 20, 2, 2}, {.groups = 2}},
    {{2, 16, 3, 3}, {33, 16, 3, 3}},
    {{1, 70, 3, 4}, {5, 70, 3, 3}, {.padding = {1, 1}}},         // a sum of 630 taps, cut
    {{1, 5, 3, 4}, {66, 5, 3, 3}, {.padding = {1, 1}}, false},   // its gradient's
    {{3, 2, 16, 15}, {5, 2, 3, 3}, {.padding = {1, 1}}},         // 720 positions, cut
    {{1, 1, 1, 497}, {4, 1, 1, 3}, {.padding = {0, 1}}},         // blocks of positions, the last not whole
    {{1, 3, 23, 23}, {5, 3, 2, 2}},                              // the same, in the midst of rows
    {{2, 4, 32, 33}, {4, 4, 3, 3}, {.padding = {1, 1}}, false},  // beyond 8192 floats
    {{1, 9, 31, 31}, {9, 1, 3, 3}, {.padding = {1, 1}, .groups = 9}},
    {{1, 8, 33, 32}, {8, 8, 1, 1}},
    {{3, 16, 16, 16}, {24, 16, 3, 3}, {.padding = {1, 1}}},  // work enough to be a product of columns
    {{8, 16, 31, 32}, {16, 8, 3, 3}, {.stride = {2, 2}, .padding = {1, 1}, .groups = 2}, false},  // the same, apart
    {{2, 3, 5, 6}, {4, 3, 3, 3}, {}, true, {1, 0, 0, 2}},                                         // unlike on its sides
    {{1, 4, 4, 7}, {4, 1, 3, 2}, {.groups = 4}, true, {0, 1, 2, 0}},
    {{1, 2, 6, 5}, {5, 2, 2, 3}, {.stride = {2, 2}, .padding = {1, 0}}, false, {2, 1, 0, 1}},
};

struct Case1d {
  Sizes x, weight;
  int stride = 1, padding = 0, dilation = 1, groups = 1;
  bool causal = false, bias = true;
};

Array reference_conv1d(const Case1d& c, const Arrays& t) {
  const int before = c.causal ? c.dilation * (c.weight[2] - 1) : c.padding;
  const reference::Convolution how{.stride_w = c.stride,
                                   .left = before,
                                   .right = c.causal ? 0 : c.padding,
                                   .dilation_w = c.dilation,
                                   .groups = c.groups};
  const Array x({c.x[0], c.x[1], 1, c.x[2]}, t[0].values);
  const Array weight({c.weight[0], c.weight[1], 1, c.weight[2]}, t[1].values);
  Array y = reference::conv2d(x, weight, c.bias ? &t[2] : nullptr, how);
  y.sizes.erase(y.sizes.begin() + 2);
  return y;
}

void add_conv1d(std::vector<OpCase>& table, const Case1d& c) {
  std::vector<Input> inputs{{c.x}, {c.weight, -1, 1}};
  if (c.bias) inputs.push_back({{c.weight[0]}});
  const std::string detail = text(c.x) + " by " + text(c.weight) + " stride " + std::to_string(c.stride) + " padding " +
                             std::to_string(c.padding) + " dilation " + std::to_string(c.dilation) + " groups " +
                             std::to_string(c.groups) + (c.causal ? " causal" : "") + (c.bias ? " with bias" : "");
  table.push_back({"conv1d", detail, inputs,
                   [c](Device&, const Tensors& t) {
                     return ops::conv1d(t[0], t[1], c.bias ? t[2] : Tensor(), c.stride, c.padding, c.dilation, c.groups,
                                        c.causal);
                   },
                   [c](const Arrays& t) { return reference_conv1d(c, t); }, taps_of(c.weight)});
}

const std::vector<Case1d> kCases1d{
    {{1, 1, 1}, {1, 1, 1}},
    {{1, 1, 5}, {1, 1, 5}},
    {{2, 3, 7}, {4, 3, 1}, 1, 0, 1, 1, false, false},
    {{2, 3, 8}, {5, 3, 3}, 1, 1},
    {{3, 2, 17}, {4, 2, 4}, 2, 1},
    {{1, 2, 19}, {3, 2, 2}, 5},
    {{2, 2, 19}, {3, 2, 2}, kFar},
    {{1, 3, 9}, {6, 1, 4}, kFar, 0, 2, 3, true},
    {{2, 4, 13}, {8, 4, 3}, 1, 4, 4},
    {{2, 4, 12}, {6, 2, 3}, 1, 1, 1, 2, false, false},
    {{1, 5, 23}, {10, 1, 7}, 1, 3, 1, 5},
    {{2, 7, 33}, {7, 1, 3}, 3, 2, 2, 7},
    {{1, 1, 3}, {4, 1, 3}},
    {{1, 1, 1}, {1, 1, 2}, 1, 0, 1, 1, true},
    {{2, 3, 6}, {4, 3, 2}, 1, 0, 1, 1, true},
    {{2, 4, 16}, {4, 4, 3}, 1, 0, 2, 1, true},
    {{1, 3, 11}, {5, 3, 3}, 1, 0, 8, 1, true},
    {{1, 2, 9}, {2, 2, 5}, 1, 0, 4, 1, true, false},
    {{2, 6, 15}, {6, 1, 4}, 1, 0, 3, 6, true},
    {{2, 2, 20}, {6, 1, 3}, 2, 0, 2, 2, true},
    {{1, 17, 31}, {16, 17, 3}, 1, 0, 1, 1, true},
    {{1, 180, 4}, {5, 180, 3}, 1, 1},
    {{2, 1, 301}, {5, 1, 3}, 1, 0, 16, 1, true},
    {{1, 3, 2053}, {5, 3, 3}, 1, 1},
    {{32, 4, 24}, {4, 4, 3}, 1, 0, 1, 1, true},
};

}  // namespace

const CaseFile cases([](std::vector<OpCase>& table) {
  for (const Case2d& c : kCases2d) add_conv2d(table, c);
  for (const Case1d& c : kCases1d) add_conv1d(table, c);
});

}  // namespace sg::tests

// Cases of sums, means, extremes and variances over one axis, over several and over everything.
#include "tests/op_cases.h"

namespace sg::tests {
namespace {

/// Numbers that may be negative, which no shape's are.
std::string list(const std::vector<int>& numbers) {
  std::string all;
  for (const int n : numbers) all += " " + std::to_string(n);
  return all;
}

/// Every axis of these is reduced, counted from either end.
const std::vector<Sizes> kShapes{{1},
                                 {2},
                                 {4},
                                 {5},
                                 {17},
                                 {64},
                                 {129},
                                 {1, 1},
                                 {3, 5},
                                 {8, 4},
                                 {5, 33},
                                 {2, 3, 4},
                                 {7, 1, 5},
                                 {4, 8, 4},
                                 {2, 3, 5, 7},
                                 {2, 1, 3, 2, 2},
                                 {2, 3, 1, 2, 2, 2}};

template <class OnDevice, class InReference>
void add(std::vector<OpCase>& table, const std::string& op, const Sizes& sizes, int axis, bool keepdim, Draw draw,
         OnDevice on_device, InReference in_reference) {
  const std::string detail = text(sizes) + " axis " + std::to_string(axis) + (keepdim ? " kept" : "");
  table.push_back({op,
                   detail,
                   {{sizes, -2, 2, draw}},
                   [=](Device&, const Tensors& t) { return on_device(t[0], axis, keepdim); },
                   [=](const Arrays& t) { return in_reference(t[0], axis, keepdim); },
                   sizes[reference::axis_of(sizes, axis)]});
}

void add_each(std::vector<OpCase>& table, const Sizes& sizes, int axis, bool keepdim) {
  add(
      table, "sum", sizes, axis, keepdim, Draw::spread,
      [](const Tensor& x, int a, bool k) { return ops::sum(x, a, k); },
      [](const Array& x, int a, bool k) { return reference::sum(x, a, k); });
  add(
      table, "mean", sizes, axis, keepdim, Draw::spread,
      [](const Tensor& x, int a, bool k) { return ops::mean(x, a, k); },
      [](const Array& x, int a, bool k) { return reference::mean(x, a, k); });
  add(
      table, "amax", sizes, axis, keepdim, Draw::distinct,
      [](const Tensor& x, int a, bool k) { return ops::amax(x, a, k); },
      [](const Array& x, int a, bool k) { return reference::amax(x, a, k); });
}

using OnDevice = Tensor (*)(const Tensor& x, const std::vector<int>& axes, bool keepdim);
using InReference = Array (*)(const Array& x, const std::vector<int>& axes, bool keepdim);

void add_over(std::vector<OpCase>& table, const std::string& op, const Sizes& sizes, const std::vector<int>& axes,
              bool keepdim, Draw draw, OnDevice on_device, InReference in_reference) {
  int terms = 1;
  for (const int axis : axes) terms *= sizes[reference::axis_of(sizes, axis)];
  table.push_back({op,
                   text(sizes) + " over" + list(axes) + (keepdim ? " kept" : ""),
                   {{sizes, -2, 2, draw}},
                   [=](Device&, const Tensors& t) { return on_device(t[0], axes, keepdim); },
                   [=](const Arrays& t) { return in_reference(t[0], axes, keepdim); },
                   terms});
}

/// Runs of axes at the end, at the start, between others, and several runs.
void add_over_axes(std::vector<OpCase>& table, const Sizes& sizes, const std::vector<int>& axes, bool keepdim) {
  using Axes = std::vector<int>;
  add_over(
      table, "sum", sizes, axes, keepdim, Draw::spread,
      [](const Tensor& x, const Axes& a, bool k) { return ops::sum(x, a, k); },
      [](const Array& x, const Axes& a, bool k) { return reference::sum(x, a, k); });
  add_over(
      table, "mean", sizes, axes, keepdim, Draw::spread,
      [](const Tensor& x, const Axes& a, bool k) { return ops::mean(x, a, k); },
      [](const Array& x, const Axes& a, bool k) { return reference::mean(x, a, k); });
  add_over(
      table, "amax", sizes, axes, keepdim, Draw::distinct,
      [](const Tensor& x, const Axes& a, bool k) { return ops::amax(x, a, k); },
      [](const Array& x, const Axes& a, bool k) { return reference::amax(x, a, k); });
  add_over(
      table, "amin", sizes, axes, keepdim, Draw::distinct,
      [](const Tensor& x, const Axes& a, bool k) { return ops::amin(x, a, k); },
      [](const Array& x, const Axes& a, bool k) { return reference::amin(x, a, k); });
  add_over(
      table, "var", sizes, axes, keepdim, Draw::spread,
      [](const Tensor& x, const Axes& a, bool k) { return ops::var(x, a, k ? 0 : 1, k); },
      [](const Array& x, const Axes& a, bool k) { return reference::var(x, a, k ? 0 : 1, k); });
}

}  // namespace

const CaseFile cases([](std::vector<OpCase>& table) {
  for (const Sizes& sizes : kShapes) {
    const int rank = static_cast<int>(sizes.size());
    for (int axis = 0; axis < rank; ++axis) {
      const bool from_end = axis % 2 == 1;
      add_each(table, sizes, from_end ? axis - rank : axis, from_end);
      if (rank < 3) add_each(table, sizes, axis - rank, !from_end);
    }
  }
  for (const auto& [sizes, axes, keepdim] :
       std::vector<std::tuple<Sizes, Sizes, bool>>{{{1}, {0}, true},
                                                   {{2}, {0}, false},
                                                   {{5}, {-1}, true},
                                                   {{17}, {0}, false},
                                                   {{65}, {0}, true},
                                                   {{3, 5}, {0, 1}, false},
                                                   {{3, 5}, {1, 0}, true},
                                                   {{8, 4}, {-1}, false},
                                                   {{5, 33}, {0, -1}, false},
                                                   {{2, 3, 4}, {0, 1}, true},
                                                   {{2, 3, 4}, {1, 2}, false},
                                                   {{2, 3, 4}, {0, 2}, false},
                                                   {{2, 3, 4}, {2, 0}, true},
                                                   {{7, 1, 5}, {0, 2}, true},
                                                   {{4, 8, 4}, {-3, -1}, false},
                                                   {{2, 3, 5, 7}, {1, 3}, false},
                                                   {{2, 3, 5, 7}, {0, 2, 3}, true},
                                                   {{2, 3, 5, 7}, {1, 2}, true},
                                                   {{2, 1, 3, 2, 2}, {0, 2, 4}, false},
                                                   {{2, 3, 2, 2, 1, 2}, {5, 0, 2}, true},
                                                   {{3, 2, 700}, {0, 2}, false},
                                                   {{2, 4099}, {0}, false}})
    add_over_axes(table, sizes, axes, keepdim);
  for (int axis = 0; axis < 3; ++axis)
    add(
        table, "amin", {3, 4, 5}, axis, axis == 1, Draw::distinct,
        [](const Tensor& x, int a, bool k) { return ops::amin(x, a, k); },
        [](const Array& x, int a, bool k) { return reference::amin(x, std::vector<int>{a}, k); });
  add_each(table, {3, 2999}, 1, false);  // a long sum
  add_each(table, {700, 3}, 0, false);
  add_each(table, {2, 700, 5}, 1, true);
  for (const Sizes& sizes : std::vector<Sizes>{{1, 32}, {63, 32}, {64, 36}, {65, 33}, {129, 71}})  // many columns
    add_each(table, sizes, 0, false);
  add_each(table, {2, 65, 35}, 1, false);
  add_each(table, {2, 4099}, 0, false);  // beyond a row of 2048 texels
  for (const Sizes& sizes : std::vector<Sizes>{{},
                                               {1},
                                               {2},
                                               {3},
                                               {4},
                                               {5},
                                               {7},
                                               {8},
                                               {17},
                                               {31},
                                               {64},
                                               {65},
                                               {1, 1},
                                               {3, 5},
                                               {33, 4},
                                               {2, 3, 4},
                                               {5, 1, 7},
                                               {2, 3, 5, 7},
                                               {2, 1, 3, 1, 2, 2},
                                               {1023},
                                               {32, 32},
                                               {1031},
                                               {8197},
                                               {96, 96}}) {
    const int terms = reference::count(sizes);
    table.push_back({"sum",
                     text(sizes) + " of all",
                     {{sizes}},
                     [](Device&, const Tensors& t) { return ops::sum(t[0]); },
                     [](const Arrays& t) { return reference::sum(t[0]); },
                     terms});
    table.push_back({"mean",
                     text(sizes) + " of all",
                     {{sizes}},
                     [](Device&, const Tensors& t) { return ops::mean(t[0]); },
                     [](const Arrays& t) { return reference::mean(t[0]); },
                     terms});
  }
});

}  // namespace sg::tests

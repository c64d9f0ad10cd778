// Cases of slices with steps, of reversed axes and of padding.
#include <limits>

#include "tests/op_cases.h"
#include "tests/reference/indexing.h"

namespace sg::tests {
namespace {

/// Numbers that may be negative, which no shape's are.
std::string list(const std::vector<int>& numbers) {
  std::string all;
  for (const int n : numbers) all += " " + std::to_string(n);
  return all;
}

constexpr int kEnd = std::numeric_limits<int>::max();

void add_slice(std::vector<OpCase>& table, const Sizes& sizes, int axis, int start, int stop, int step) {
  table.push_back({"slice",
                   text(sizes) + " axis " + std::to_string(axis) + " " + std::to_string(start) + ":" +
                       (stop == kEnd ? "" : std::to_string(stop)) + ":" + std::to_string(step),
                   {{sizes}},
                   [=](Device&, const Tensors& t) { return ops::slice(t[0], axis, start, stop, step); },
                   [=](const Arrays& t) { return reference::slice(t[0], axis, start, stop, step); }});
}

void add_flip(std::vector<OpCase>& table, const Sizes& sizes, const Sizes& axes) {
  table.push_back({"flip",
                   text(sizes) + " axes" + list(axes),
                   {{sizes}},
                   [axes](Device&, const Tensors& t) { return ops::flip(t[0], axes); },
                   [axes](const Arrays& t) { return reference::flip(t[0], axes); }});
}

void add_pad(std::vector<OpCase>& table, const Sizes& sizes, const Sizes& by, double value) {
  table.push_back({"pad",
                   text(sizes) + " by" + list(by) + " of " + std::to_string(value),
                   {{sizes}},
                   [=](Device&, const Tensors& t) { return ops::pad(t[0], by, static_cast<float>(value)); },
                   [=](const Arrays& t) { return reference::pad(t[0], by, value); }});
}

}  // namespace

const CaseFile cases([](std::vector<OpCase>& table) {
  for (const auto& [sizes, axis, start, stop, step] :
       std::vector<std::tuple<Sizes, int, int, int, int>>{{{1}, 0, 0, 1, 1},
                                                          {{5}, 0, 1, 4, 1},
                                                          {{5}, 0, 0, kEnd, 2},
                                                          {{8}, 0, 1, kEnd, 2},
                                                          {{17}, 0, 2, -1, 3},
                                                          {{17}, 0, -9, kEnd, 4},
                                                          {{65}, 0, 0, 64, 5},
                                                          {{5}, 0, -99, 99, 3},
                                                          {{5}, 0, 3, kEnd, 7},
                                                          {{3, 5}, 0, 0, kEnd, 2},
                                                          {{3, 5}, 1, 0, kEnd, 2},
                                                          {{3, 5}, -1, 1, -1, 2},
                                                          {{4, 8}, 1, 3, kEnd, 4},
                                                          {{4, 8}, -2, 1, kEnd, 2},
                                                          {{2, 3, 4}, 1, 0, kEnd, 2},
                                                          {{2, 3, 4}, 2, 1, kEnd, 3},
                                                          {{2, 9, 4}, 1, 1, 8, 3},
                                                          {{5, 1, 7}, 2, 6, kEnd, 1},
                                                          {{2, 3, 5, 7}, 2, 0, kEnd, 4},
                                                          {{2, 1, 3, 1, 2, 4}, 5, 1, kEnd, 2},
                                                          {{2, 1, 3, 1, 2, 2}, 2, 0, kEnd, 2},
                                                          {{4, 3, 5}, 0, 2, kEnd, kEnd},  // a step beyond all of x
                                                          {{3, 8197}, 1, 1, kEnd, 3}})
    add_slice(table, sizes, axis, start, stop, step);

  for (const auto& [sizes, axes] : std::vector<std::pair<Sizes, Sizes>>{{{1}, {0}},
                                                                        {{2}, {0}},
                                                                        {{4}, {0}},
                                                                        {{5}, {-1}},
                                                                        {{17}, {0}},
                                                                        {{64}, {0}},
                                                                        {{65}, {0}},
                                                                        {{3, 5}, {0}},
                                                                        {{3, 5}, {1}},
                                                                        {{3, 5}, {0, 1}},
                                                                        {{4, 8}, {-2}},
                                                                        {{8, 4}, {1, 0}},
                                                                        {{1, 7}, {0}},
                                                                        {{2, 3, 4}, {1}},
                                                                        {{2, 3, 4}, {0, 2}},
                                                                        {{2, 3, 4}, {-1, -2, -3}},
                                                                        {{5, 1, 7}, {1, 2}},
                                                                        {{2, 3, 5, 7}, {2}},
                                                                        {{2, 3, 5, 7}, {3, 1}},
                                                                        {{2, 1, 3, 1, 2, 2}, {0, 2, 5}},
                                                                        {{3, 4099}, {1}}})
    add_flip(table, sizes, axes);

  for (const auto& [sizes, by, value] :
       std::vector<std::tuple<Sizes, Sizes, double>>{{{1}, {1, 1}, 0},
                                                     {{1}, {0, 3}, 0},
                                                     {{4}, {3, 0}, 0},
                                                     {{5}, {2, 1}, -1.5},
                                                     {{5}, {0, 0}, 2},
                                                     {{17}, {4, 5}, 0.25},
                                                     {{64}, {1, 0}, 0},
                                                     {{65}, {0, 1}, 3},
                                                     {{3, 5}, {1, 2}, 0},
                                                     {{3, 5}, {1, 2, 3, 0}, 0.5},
                                                     {{3, 5}, {0, 0, 2, 1}, 1},
                                                     {{4, 8}, {4, 4}, 0},
                                                     {{4, 8}, {0, 0, 1, 0}, 0},
                                                     {{1, 7}, {1, 0, 0, 2}, -2},
                                                     {{2, 3, 4}, {1, 1, 1, 1, 1, 1}, 0.75},
                                                     {{2, 3, 4}, {0, 0, 2, 0}, 0},
                                                     {{5, 1, 7}, {3, 2, 0, 1}, 0},
                                                     {{2, 3, 5, 7}, {1, 2, 2, 1}, 0},
                                                     {{2, 3, 5, 7}, {0, 0, 0, 0, 1, 0}, 4},
                                                     {{2, 1, 3, 1, 2, 2}, {1, 0, 0, 0, 1, 0, 0, 2, 0, 0, 1, 1}, 0.5},
                                                     {{3, 4099}, {2, 1}, 0}})
    add_pad(table, sizes, by, value);
});

}  // namespace sg::tests

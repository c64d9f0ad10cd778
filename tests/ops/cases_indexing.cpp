// Cases of ops that pick elements by a condition, by where the maximum is or by indices, and of running sums.
#include "tests/op_cases.h"
#include "tests/reference/indexing.h"

namespace sg::tests {
namespace {

Input whole(const Sizes& sizes, int below) { return {sizes, 0, static_cast<double>(below), Draw::whole, false}; }

void add_where(std::vector<OpCase>& table, const Sizes& condition, const Sizes& a, const Sizes& b) {
  table.push_back({"where",
                   text(condition) + " " + text(a) + " " + text(b),
                   {whole(condition, 2), {a}, {b}},
                   [](Device&, const Tensors& t) { return ops::where(t[0], t[1], t[2]); },
                   [](const Arrays& t) { return reference::where(t[0], t[1], t[2]); }});
}

void add_argmax(std::vector<OpCase>& table, const Sizes& sizes, int axis, bool keepdim, bool equal) {
  const Input x = equal ? Input{sizes, -2, 2, Draw::whole} : Input{sizes, -2, 2, Draw::distinct};
  table.push_back({"argmax",
                   text(sizes) + " axis " + std::to_string(axis) + (equal ? " with equal ones" : ""),
                   {x},
                   [=](Device&, const Tensors& t) { return ops::argmax(t[0], axis, keepdim); },
                   [=](const Arrays& t) { return reference::argmax(t[0], axis, keepdim); },
                   1,
                   false});
}

void add_cumsum(std::vector<OpCase>& table, const Sizes& sizes, int axis) {
  table.push_back({"cumsum",
                   text(sizes) + " axis " + std::to_string(axis),
                   {{sizes}},
                   [axis](Device&, const Tensors& t) { return ops::cumsum(t[0], axis); },
                   [axis](const Arrays& t) { return reference::cumsum(t[0], axis); },
                   sizes[reference::axis_of(sizes, axis)]});
}

void add_gather(std::vector<OpCase>& table, const Sizes& sizes, int axis, const Sizes& index) {
  const int below = sizes[reference::axis_of(sizes, axis)];
  table.push_back({"gather",
                   text(sizes) + " axis " + std::to_string(axis) + " by " + text(index),
                   {{sizes}, whole(index, below)},
                   [axis](Device&, const Tensors& t) { return ops::gather(t[0], axis, t[1]); },
                   [axis](const Arrays& t) { return reference::gather(t[0], axis, t[1]); }});
}

void add_embedding(std::vector<OpCase>& table, const Sizes& indices, int rows, int width) {
  table.push_back({"embedding",
                   text(indices) + " into " + text({rows, width}),
                   {whole(indices, rows), {{rows, width}}},
                   [](Device&, const Tensors& t) { return ops::embedding(t[0], t[1]); },
                   [](const Arrays& t) { return reference::embedding(t[0], t[1]); },
                   1 + reference::count(indices) / rows});
}

/// Windows of a series of `rows` at starts below `below`, or below that many times 4097.
void add_windows(std::vector<OpCase>& table, int rows, int width, int count, int below, int first, int time,
                 bool far = false) {
  table.push_back({"windows",
                   text({rows, width}) + " " + std::to_string(count) + " of " + std::to_string(time) + " after " +
                       std::to_string(first) + (far ? " far" : ""),
                   {{{rows, width}, -2, 2, Draw::spread, false}, whole({count}, below)},
                   [=](Device&, const Tensors& t) {
                     const std::vector<Tensor> halves{ops::mul_scalar(t[1], far ? 1.0f : 0.0f), t[1]};
                     return ops::windows(t[0], ops::stack(halves, 1), first, time);
                   },
                   [=](const Arrays& t) {
                     std::vector<int> starts;
                     for (const double n : t[1].values) starts.push_back(static_cast<int>(n) * (far ? 4097 : 1));
                     return reference::windows(t[0], starts, first, time);
                   },
                   1,
                   false});
}

}  // namespace

const CaseFile cases([](std::vector<OpCase>& table) {
  const std::vector<Sizes> same{{}, {1}, {3}, {4}, {17}, {65}, {5, 7}, {2, 3, 4}, {2, 1, 3, 1, 2, 2}, {8197}};
  for (const Sizes& sizes : same) add_where(table, sizes, sizes, sizes);
  for (const auto& [condition, a, b] : std::vector<std::array<Sizes, 3>>{{{{}, {5}, {5}}},
                                                                         {{{5}, {}, {5}}},
                                                                         {{{5}, {5}, {}}},
                                                                         {{{3, 5}, {}, {}}},
                                                                         {{{3, 1}, {3, 5}, {5}}},
                                                                         {{{4}, {2, 4}, {2, 1}}},
                                                                         {{{1, 5}, {3, 1}, {}}},
                                                                         {{{3, 4}, {2, 1, 4}, {2, 3, 1}}},
                                                                         {{{2, 1, 5, 1}, {3, 1, 2}, {1}}},
                                                                         {{{7, 1}, {1, 3}, {7, 3}}},
                                                                         {{{1}, {2, 2, 2, 3, 1, 2}, {3, 2, 2}}},
                                                                         {{{4099}, {2, 4099}, {}}}})
    add_where(table, condition, a, b);

  const std::vector<Sizes> shapes{{1},       {2},       {4},       {5},       {17},         {64},
                                  {65},      {129},     {3, 5},    {8, 4},    {5, 33},      {1, 7},
                                  {2, 3, 4}, {7, 1, 5}, {4, 8, 4}, {3, 9, 8}, {2, 3, 5, 7}, {2, 1, 3, 1, 2, 2}};
  for (const Sizes& sizes : shapes) {
    const int rank = static_cast<int>(sizes.size());
    for (int axis = 0; axis < rank; ++axis) {
      add_argmax(table, sizes, axis % 2 == 0 ? axis : axis - rank, axis % 2 == 0, false);
      add_argmax(table, sizes, axis, axis % 2 == 1, true);
      add_cumsum(table, sizes, axis % 2 == 0 ? axis : axis - rank);
    }
  }
  add_argmax(table, {3, 2999}, 1, false, false);
  add_argmax(table, {2, 8197}, 0, false, false);
  add_argmax(table, {3, 16385}, 1, true, false);  // in pieces
  add_argmax(table, {2, 40000}, 1, false, true);
  add_argmax(table, {66001, 3}, 0, false, false);
  add_cumsum(table, {2, 2999}, 1);
  add_cumsum(table, {700, 3}, 0);
  add_cumsum(table, {2, 131, 9}, 1);
  add_cumsum(table, {3, 4099}, 0);

  for (const auto& [sizes, axis, index] :
       std::vector<std::tuple<Sizes, int, Sizes>>{{{1}, 0, {1}},
                                                  {{5}, 0, {3}},
                                                  {{5}, 0, {17}},
                                                  {{64}, 0, {65}},
                                                  {{1}, 0, {9}},
                                                  {{3, 5}, 0, {4, 5}},
                                                  {{3, 5}, 1, {3, 1}},
                                                  {{3, 5}, -1, {3, 8}},
                                                  {{3, 5}, 1, {2, 6}},
                                                  {{7, 4}, 0, {2, 3}},
                                                  {{4, 8}, -2, {9, 8}},
                                                  {{1, 7}, 1, {1, 13}},
                                                  {{2, 3, 4}, 0, {5, 3, 4}},
                                                  {{2, 3, 4}, 1, {2, 7, 4}},
                                                  {{2, 3, 4}, 2, {2, 3, 9}},
                                                  {{4, 3, 5}, 1, {3, 2, 4}},
                                                  {{5, 1, 7}, -1, {5, 1, 2}},
                                                  {{2, 3, 5, 7}, 2, {2, 3, 4, 7}},
                                                  {{2, 3, 1, 2, 2, 3}, 1, {2, 8, 1, 2, 2, 3}},
                                                  {{3, 2}, 0, {700, 2}},
                                                  {{2, 4}, 1, {2, 4099}}})
    add_gather(table, sizes, axis, index);

  for (const auto& [indices, rows, width] : std::vector<std::tuple<Sizes, int, int>>{{{}, 3, 4},
                                                                                     {{1}, 1, 1},
                                                                                     {{1}, 5, 7},
                                                                                     {{4}, 3, 4},
                                                                                     {{5}, 3, 1},
                                                                                     {{5}, 7, 2},
                                                                                     {{7}, 2, 3},
                                                                                     {{8}, 8, 8},
                                                                                     {{13}, 5, 5},
                                                                                     {{17}, 11, 4},
                                                                                     {{65}, 1, 3},
                                                                                     {{3, 5}, 4, 6},
                                                                                     {{3, 5}, 64, 16},
                                                                                     {{2, 9}, 5, 17},
                                                                                     {{2, 3, 4}, 7, 5},
                                                                                     {{1, 33}, 3, 33},
                                                                                     {{2, 1, 3, 1, 2}, 5, 3},
                                                                                     {{12, 64}, 65, 8},
                                                                                     {{700}, 3, 2},
                                                                                     {{4, 131}, 9, 3},
                                                                                     {{8201}, 2, 1}})
    add_embedding(table, indices, rows, width);
  add_embedding(table, {513}, 129, 129);  // more outputs than a cut is worth

  for (const auto& [rows, width, count, below, first, time] : std::vector<std::array<int, 6>>{
           {1, 1, 1, 1, 0, 1},       {5, 1, 3, 5, 0, 1},      {9, 1, 5, 4, 2, 3},       {9, 1, 8, 5, 1, 4},
           {7, 2, 1, 3, 0, 5},       {12, 2, 7, 6, 3, 3},     {12, 3, 4, 8, 0, 5},      {13, 3, 9, 8, 5, 1},
           {16, 4, 8, 9, 0, 8},      {16, 4, 5, 9, 3, 4},     {20, 5, 6, 16, 0, 4},     {33, 7, 3, 10, 0, 24},
           {40, 7, 11, 13, 24, 3},   {64, 8, 32, 33, 0, 32},  {65, 17, 2, 60, 1, 5},    {30, 33, 5, 29, 0, 2},
           {300, 2, 64, 250, 0, 50}, {130, 21, 4, 1, 0, 130}, {700, 1, 700, 699, 1, 1}, {200, 6, 33, 100, 0, 96}})
    add_windows(table, rows, width, count, below, first, time);
  add_windows(table, 8230, 1, 9, 3, 5, 30, true);
  add_windows(table, 4130, 3, 5, 2, 0, 17, true);
});

}  // namespace sg::tests

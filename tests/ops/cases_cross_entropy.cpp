// Cases of cross_entropy: rows and classes around the tiles, and each of its options alone and with the others.
#include <cmath>

#include "tests/op_cases.h"
#include "tests/reference/loss.h"

namespace sg::tests {
namespace {

struct Options {
  float smoothing = 0;
  bool class_weights = false, sample_weights = false;
  int ignored = ops::kIgnoreIndex;
};

void add(std::vector<OpCase>& table, int rows, int classes, const Options& o) {
  std::vector<Input> inputs{{{rows, classes}, -4, 4}, {{rows}, 0, static_cast<double>(classes), Draw::whole, false}};
  if (o.class_weights) inputs.push_back({{classes}, 0.25, 2, Draw::spread, false});
  if (o.sample_weights) inputs.push_back({{rows}, 0.25, 2, Draw::spread, false});
  const size_t samples = o.class_weights ? 3 : 2;
  std::string detail = text({rows, classes});
  if (o.smoothing > 0) detail += " smoothing " + std::to_string(o.smoothing);
  if (o.class_weights) detail += " class weights";
  if (o.sample_weights) detail += " sample weights";
  if (o.ignored >= 0) detail += " ignoring " + std::to_string(o.ignored);
  table.push_back({"cross_entropy", detail, inputs,
                   [=](Device&, const Tensors& t) {
                     return ops::cross_entropy(t[0], t[1],
                                               {.label_smoothing = o.smoothing,
                                                .class_weight = o.class_weights ? t[2] : Tensor(),
                                                .ignore_index = o.ignored,
                                                .sample_weight = o.sample_weights ? t[samples] : Tensor()});
                   },
                   [=](const Arrays& t) {
                     return reference::cross_entropy(t[0], t[1],
                                                     {.label_smoothing = o.smoothing,
                                                      .ignore_index = o.ignored,
                                                      .class_weight = o.class_weights ? &t[2] : nullptr,
                                                      .sample_weight = o.sample_weights ? &t[samples] : nullptr});
                   },
                   rows * classes});
}

}  // namespace

const CaseFile cases([](std::vector<OpCase>& table) {
  const int sizes[][2]{{1, 1},  {1, 2},   {2, 1},   {2, 3},   {3, 2},    {3, 4},    {4, 4},   {5, 5},  {7, 3},
                       {8, 8},  {9, 7},   {13, 5},  {16, 16}, {17, 15},  {31, 2},   {2, 31},  {33, 9}, {64, 4},
                       {5, 64}, {65, 65}, {4, 257}, {257, 4}, {3, 1030}, {130, 65}, {1500, 3}};
  for (const auto& [rows, classes] : sizes) {
    add(table, rows, classes, {});
    add(table, rows, classes, {.smoothing = 0.125f, .class_weights = true, .sample_weights = true});
  }
  for (const auto& [rows, classes] : {std::pair(5, 3), std::pair(8, 4), std::pair(17, 9)}) {
    add(table, rows, classes, {.smoothing = 0.25f});
    add(table, rows, classes, {.smoothing = 1});
    add(table, rows, classes, {.class_weights = true});
    add(table, rows, classes, {.sample_weights = true});
    add(table, rows, classes, {.ignored = 1});
    add(table, rows, classes, {.smoothing = 0.125f, .class_weights = true, .sample_weights = true, .ignored = 0});
  }
});

}  // namespace sg::tests

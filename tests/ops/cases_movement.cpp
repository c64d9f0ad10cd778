// Cases of the ops that move elements.
#include "tests/op_cases.h"

namespace sg::tests {
namespace {

void add_reshape(std::vector<OpCase>& table, const Sizes& from, const Sizes& to) {
  std::string detail = text(from) + " to";
  for (const int s : to) detail += " " + std::to_string(s);
  table.push_back({"reshape",
                   detail,
                   {{from}},
                   [to](Device&, const Tensors& t) { return ops::reshape(t[0], to); },
                   [to](const Arrays& t) { return reference::reshape(t[0], to); }});
}

void add_permute(std::vector<OpCase>& table, const Sizes& sizes, const std::vector<int>& axes) {
  std::string detail = text(sizes) + " by";
  for (const int a : axes) detail += " " + std::to_string(a);
  table.push_back({"permute",
                   detail,
                   {{sizes}},
                   [axes](Device&, const Tensors& t) { return ops::permute(t[0], axes); },
                   [axes](const Arrays& t) { return reference::permute(t[0], axes); }});
}

void add_transpose(std::vector<OpCase>& table, const Sizes& sizes, int first, int second) {
  table.push_back({"transpose",
                   text(sizes) + " " + std::to_string(first) + " " + std::to_string(second),
                   {{sizes}},
                   [=](Device&, const Tensors& t) { return ops::transpose(t[0], first, second); },
                   [=](const Arrays& t) { return reference::transpose(t[0], first, second); }});
}

void add_expand(std::vector<OpCase>& table, const Sizes& from, const Sizes& to) {
  table.push_back({"expand",
                   text(from) + " to " + text(to),
                   {{from}},
                   [to](Device&, const Tensors& t) { return ops::expand(t[0], shape_of(to)); },
                   [to](const Arrays& t) { return reference::expand(t[0], to); },
                   reference::count(to) / reference::count(from)});
}

void add_narrow(std::vector<OpCase>& table, const Sizes& sizes, int axis, int start, int length) {
  table.push_back({"narrow",
                   text(sizes) + " axis " + std::to_string(axis) + " at " + std::to_string(start) + " for " +
                       std::to_string(length),
                   {{sizes}},
                   [=](Device&, const Tensors& t) { return ops::narrow(t[0], axis, start, length); },
                   [=](const Arrays& t) { return reference::narrow(t[0], axis, start, length); }});
}

void add_select(std::vector<OpCase>& table, const Sizes& sizes, int axis, int index) {
  table.push_back({"select",
                   text(sizes) + " axis " + std::to_string(axis) + " at " + std::to_string(index),
                   {{sizes}},
                   [=](Device&, const Tensors& t) { return ops::select(t[0], axis, index); },
                   [=](const Arrays& t) { return reference::select(t[0], axis, index); }});
}

/// Parts of these lengths along the axis, whose size in `sizes` is ignored.
void add_cat(std::vector<OpCase>& table, Sizes sizes, int axis, const std::vector<int>& lengths) {
  std::vector<Input> inputs;
  std::string detail = text(sizes) + " axis " + std::to_string(axis) + " of";
  for (const int length : lengths) {
    sizes[reference::axis_of(sizes, axis)] = length;
    inputs.push_back({sizes});
    detail += " " + std::to_string(length);
  }
  table.push_back({"cat", detail, inputs, [axis](Device&, const Tensors& t) { return ops::cat(t, axis); },
                   [axis](const Arrays& t) { return reference::cat(t, axis); }});
}

void add_stack(std::vector<OpCase>& table, const Sizes& sizes, int axis, size_t parts) {
  table.push_back({"stack", std::to_string(parts) + " of " + text(sizes) + " axis " + std::to_string(axis),
                   std::vector<Input>(parts, Input{sizes}),
                   [axis](Device&, const Tensors& t) { return ops::stack(t, axis); },
                   [axis](const Arrays& t) { return reference::stack(t, axis); }});
}

}  // namespace

const CaseFile cases([](std::vector<OpCase>& table) {
  const std::vector<std::pair<Sizes, Sizes>> reshapes{{{}, {}},
                                                      {{}, {1}},
                                                      {{1}, {}},
                                                      {{1}, {1, 1}},
                                                      {{4}, {2, 2}},
                                                      {{5}, {5, 1}},
                                                      {{5}, {-1}},
                                                      {{2, 3}, {6}},
                                                      {{2, 3}, {3, 2}},
                                                      {{2, 3}, {-1, 2}},
                                                      {{2, 3, 4}, {24}},
                                                      {{2, 3, 4}, {6, -1}},
                                                      {{2, 3, 4}, {4, 3, 2}},
                                                      {{7, 1, 5}, {5, 7}},
                                                      {{13}, {1, 13, 1}},
                                                      {{2, 2, 2, 2}, {-1}},
                                                      {{2, 1, 3, 1, 2, 2}, {4, 6}},
                                                      {{24}, {1, 2, 3, 4, 1, 1}},
                                                      {{8197}, {7, 1171}},
                                                      {{17, 3}, {3, -1}}};
  for (const auto& [from, to] : reshapes) add_reshape(table, from, to);

  const std::vector<std::pair<Sizes, std::vector<int>>> permutes{{{1}, {0}},
                                                                 {{5}, {0}},
                                                                 {{3, 5}, {0, 1}},
                                                                 {{3, 5}, {1, 0}},
                                                                 {{4, 8}, {1, 0}},
                                                                 {{1, 7}, {1, 0}},
                                                                 {{2, 3, 4}, {0, 2, 1}},
                                                                 {{2, 3, 4}, {1, 0, 2}},
                                                                 {{2, 3, 4}, {1, 2, 0}},
                                                                 {{2, 3, 4}, {2, 0, 1}},
                                                                 {{2, 3, 4}, {2, 1, 0}},
                                                                 {{2, 3, 4}, {-1, 0, -2}},
                                                                 {{5, 1, 7}, {2, 1, 0}},
                                                                 {{2, 3, 5, 7}, {0, 2, 1, 3}},
                                                                 {{2, 3, 5, 7}, {3, 2, 1, 0}},
                                                                 {{2, 3, 5, 7}, {1, 3, 0, 2}},
                                                                 {{4, 4, 4, 4}, {2, 3, 0, 1}},
                                                                 {{2, 1, 3, 1, 2}, {4, 2, 0, 3, 1}},
                                                                 {{2, 3, 1, 2, 2, 3}, {5, 3, 1, 0, 2, 4}},
                                                                 {{2, 3, 1, 2, 2, 3}, {1, 2, 3, 4, 5, 0}},
                                                                 {{67, 123}, {1, 0}}};
  for (const auto& [sizes, axes] : permutes) add_permute(table, sizes, axes);

  const std::vector<Sizes> swapped{{1, 1},    {3, 5},    {4, 4},       {1, 9},
                                   {2, 3, 4}, {5, 1, 7}, {2, 3, 5, 7}, {2, 1, 3, 1, 2, 2}};
  for (const Sizes& sizes : swapped) {
    add_transpose(table, sizes, 0, 1);
    add_transpose(table, sizes, -1, 0);
    if (sizes.size() > 2) add_transpose(table, sizes, 1, -1);
  }

  const std::vector<std::pair<Sizes, Sizes>> expands{{{}, {1}},
                                                     {{}, {5}},
                                                     {{1}, {4}},
                                                     {{1}, {7}},
                                                     {{5}, {5}},
                                                     {{5}, {3, 5}},
                                                     {{4}, {2, 4}},
                                                     {{3, 1}, {3, 5}},
                                                     {{3, 1}, {3, 8}},
                                                     {{1, 5}, {3, 5}},
                                                     {{3, 1}, {2, 3, 4}},
                                                     {{1, 1, 1}, {2, 3, 4}},
                                                     {{2, 1, 4}, {2, 3, 4}},
                                                     {{2, 3, 1}, {2, 3, 4}},
                                                     {{1, 3, 1}, {2, 3, 4}},
                                                     {{3, 4}, {2, 3, 4}},
                                                     {{2, 1, 5, 1}, {2, 3, 5, 7}},
                                                     {{1, 3, 1, 7}, {2, 3, 5, 7}},
                                                     {{1, 2, 1}, {2, 1, 3, 1, 2, 2}},
                                                     {{2, 1, 1, 2, 1, 2}, {2, 3, 1, 2, 2, 2}},
                                                     {{4099}, {2, 4099}}};
  for (const auto& [from, to] : expands) add_expand(table, from, to);

  const std::vector<Sizes> cut{{1},    {5},       {8},       {17},         {3, 5},
                               {4, 8}, {2, 3, 4}, {5, 1, 7}, {2, 3, 5, 7}, {2, 1, 3, 1, 2, 2}};
  for (const Sizes& sizes : cut) {
    const int rank = static_cast<int>(sizes.size());
    for (int axis = 0; axis < rank; ++axis) {
      const int size = sizes[static_cast<size_t>(axis)];
      add_narrow(table, sizes, axis, size / 3, size - size / 3);
      if (size > 1) add_narrow(table, sizes, axis - rank, 0, size - 1);
      add_select(table, sizes, axis, size / 2);
      add_select(table, sizes, axis - rank, -1);
    }
  }
  add_narrow(table, {3, 4099}, 1, 2, 4095);

  const std::vector<int> many{1, 2, 3, 1, 4, 1, 2, 5, 3}, seventeen(17, 2);
  for (const Sizes& sizes : std::vector<Sizes>{{0}, {3, 0}, {0, 3}, {2, 0, 4}, {2, 3, 0, 5}, {0, 1, 2, 1, 3, 1}}) {
    int axis = 0;
    while (sizes[static_cast<size_t>(axis)] != 0) ++axis;
    add_cat(table, sizes, axis, {3});
    add_cat(table, sizes, axis, {1, 1});
    add_cat(table, sizes, axis, {4, 8, 4});
    add_cat(table, sizes, axis, {5, 1, 2, 7});
    add_cat(table, sizes, axis - static_cast<int>(sizes.size()), {1, 1, 1, 1, 1, 1, 1, 1});
    add_cat(table, sizes, axis, many);
  }
  add_cat(table, {3, 0}, 1, seventeen);
  add_cat(table, {2, 0}, 1, {4099, 3});

  for (const Sizes& sizes : std::vector<Sizes>{{}, {1}, {5}, {8}, {3, 5}, {2, 3, 4}, {2, 1, 3, 1, 2}})
    for (int axis = 0; axis <= static_cast<int>(sizes.size()); ++axis)
      add_stack(table, sizes, axis % 2 ? axis : axis - static_cast<int>(sizes.size()) - 1,
                static_cast<size_t>(2 + 3 * axis));
  add_stack(table, {3}, 0, 1);
  add_stack(table, {3}, 1, 67);
});

}  // namespace sg::tests

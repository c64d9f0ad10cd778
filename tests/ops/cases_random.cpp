// Cases of the random numbers: seeds above 32 bits, draws above 2^31, and both ends of the dropout rate.
#include "tests/op_cases.h"

namespace sg::tests {
namespace {

void add_uniform(std::vector<OpCase>& table, const Sizes& sizes, float low, float high, uint64_t seed, uint32_t draw) {
  table.push_back({"uniform",
                   text(sizes) + " seed " + std::to_string(seed) + " draw " + std::to_string(draw),
                   {},
                   [=](Device& device, const Tensors&) {
                     return ops::uniform(device, shape_of(sizes), low, high, {seed, 0}, Stream::weights, draw);
                   },
                   [=](const Arrays&) { return reference::uniform(sizes, low, high, seed, 1, draw); },
                   1,
                   false});
}

void add_dropout(std::vector<OpCase>& table, const Sizes& sizes, float p, uint64_t seed, uint32_t draw) {
  const std::string detail = text(sizes) + " p " + std::to_string(p) + " draw " + std::to_string(draw);
  const auto expected = [=](const Arrays& t) { return reference::dropout(t[0], p, seed, draw); };
  table.push_back({"dropout",
                   detail,
                   {{sizes}},
                   [=](Device&, const Tensors& t) {
                     return ops::dropout(t[0], p, {seed, 0}, draw);
                   },
                   expected});
  // The same draw counted from a step's: some before it, and more than its number, so that the sum wraps.
  for (const uint32_t before : {draw / 3, draw + 1, draw + 0x12345u}) {
    table.push_back({"dropout",
                     detail + " after " + std::to_string(before),
                     {{sizes}},
                     [=](Device& device, const Tensors& t) {
                       StepValues values;
                       values.set_draws(before);
                       return ops::dropout(t[0], p, {seed, 0}, draw - before, step_tensor(device, values));
                     },
                     expected});
  }
}

}  // namespace

const CaseFile cases([](std::vector<OpCase>& table) {
  const std::vector<Sizes> shapes{{},     {1},     {2},       {3},       {4},      {5},          {7},
                                  {8},    {13},    {17},      {31},      {64},     {65},         {1, 1},
                                  {3, 5}, {33, 4}, {2, 3, 4}, {5, 1, 7}, {1, 129}, {2, 3, 5, 7}, {2, 1, 3, 1, 2, 2},
                                  {8197}};
  const uint64_t seeds[]{0, 1, 0xFFFFFFFFull, 0x123456789ABCDEFull, ~0ull};
  const float rates[]{0.5f, 0.0f, 0.1f, 0.9f, 0.25f};
  uint32_t i = 0;
  for (const Sizes& sizes : shapes) {
    const uint32_t draw = i % 3 == 2 ? 0xFFFFFFFFu - i : i;
    add_uniform(table, sizes, i % 2 ? 0.0f : -1.5f, i % 4 ? 1.0f : 2.5f, seeds[i % 5], draw);
    add_dropout(table, sizes, rates[i % 5], seeds[(i + 2) % 5], draw);
    ++i;
  }
});

}  // namespace sg::tests

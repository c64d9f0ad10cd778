// Cases of the losses; a grid against a half-way grid keeps the errors away from 0, and a delta between two steps of
// their difference away from the bend.
#include "tests/op_cases.h"

namespace sg::tests {

const CaseFile cases([](std::vector<OpCase>& table) {
  const std::vector<Sizes> shapes{
      {},    {1},  {2},  {3},    {4},    {5},     {7},       {8},       {13},       {17},
      {31},  {64}, {65}, {1, 1}, {3, 5}, {33, 4}, {2, 3, 4}, {5, 1, 7}, {32, 1, 5}, {2, 1, 3, 1, 2, 2},
      {8197}};
  for (const Sizes& sizes : shapes) {
    const std::vector<Input> inputs{{sizes, -2, 2, Draw::grid}, {sizes, -2, 2, Draw::halfway}};
    const int terms = reference::count(sizes);
    table.push_back({"mse_loss", text(sizes), inputs,
                     [](Device&, const Tensors& t) { return ops::mse_loss(t[0], t[1]); },
                     [](const Arrays& t) { return reference::mse_loss(t[0], t[1]); }, terms});
    table.push_back({"l1_loss", text(sizes), inputs, [](Device&, const Tensors& t) { return ops::l1_loss(t[0], t[1]); },
                     [](const Arrays& t) { return reference::l1_loss(t[0], t[1]); }, terms});
    for (const float delta : {1.0f, 0.5f, 2.25f}) {
      table.push_back({"huber_loss", text(sizes) + " delta " + std::to_string(delta), inputs,
                       [delta](Device&, const Tensors& t) { return ops::huber_loss(t[0], t[1], delta); },
                       [delta](const Arrays& t) { return reference::huber_loss(t[0], t[1], delta); }, terms});
    }
  }
});

}  // namespace sg::tests

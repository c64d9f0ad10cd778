// Cases of the losses that are means over elements, with and without sample weights. A grid against a half-way grid
// keeps errors away from 0, and a delta between two steps of their difference away from the bend.
#include "tests/op_cases.h"
#include "tests/reference/loss.h"

namespace sg::tests {
namespace {

const std::vector<Sizes> kShapes{
    {},     {1},      {2},      {3},    {4},    {5},     {7},       {8},       {13},       {17},
    {31},   {64},     {65},     {1, 1}, {3, 5}, {33, 4}, {2, 3, 4}, {5, 1, 7}, {32, 1, 5}, {2, 1, 3, 1, 2, 2},
    {8197}, {600, 3}, {2, 4099}};

/// What every case here has: a name, the shapes, the inputs before the weights, and whether weights follow.
struct Loss {
  std::string op, detail;
  std::vector<Input> inputs;
  Sizes errors;  // the shape that weights belong to
};

/// Adds the loss without weights and, where it has a first axis, with them. The functions get the weights last, null
/// where there are none.
template <class OnDevice, class InReference>
void add(std::vector<OpCase>& table, const Loss& loss, OnDevice on_device, InReference in_reference) {
  const size_t n = loss.inputs.size();
  const int terms = reference::count(loss.errors);
  table.push_back({loss.op, loss.detail, loss.inputs, [=](Device&, const Tensors& t) { return on_device(t, Tensor()); },
                   [=](const Arrays& t) { return in_reference(t, nullptr); }, terms});
  if (loss.errors.empty()) return;
  std::vector<Input> inputs = loss.inputs;
  inputs.push_back({{loss.errors[0]}, 0.25, 2, Draw::spread, false});
  table.push_back({loss.op, loss.detail + " weighted", inputs,
                   [=](Device&, const Tensors& t) { return on_device(t, t[n]); },
                   [=](const Arrays& t) { return in_reference(t, &t[n]); }, terms});
}

void add_distances(std::vector<OpCase>& table, const Sizes& sizes) {
  const std::vector<Input> inputs{{sizes, -2, 2, Draw::grid}, {sizes, -2, 2, Draw::halfway}};
  add(
      table, {"mse_loss", text(sizes), inputs, sizes},
      [](const Tensors& t, const Tensor& w) { return ops::mse_loss(t[0], t[1], w); },
      [](const Arrays& t, const Array* w) { return reference::mse_loss(t[0], t[1], w); });
  add(
      table, {"l1_loss", text(sizes), inputs, sizes},
      [](const Tensors& t, const Tensor& w) { return ops::l1_loss(t[0], t[1], w); },
      [](const Arrays& t, const Array* w) { return reference::l1_loss(t[0], t[1], w); });
  for (const float delta : {1.0f, 2.25f})
    add(
        table, {"huber_loss", text(sizes) + " delta " + std::to_string(delta), inputs, sizes},
        [delta](const Tensors& t, const Tensor& w) { return ops::huber_loss(t[0], t[1], delta, w); },
        [delta](const Arrays& t, const Array* w) { return reference::huber_loss(t[0], t[1], delta, w); });
}

void add_quantiles(std::vector<OpCase>& table, const Sizes& sizes, const std::vector<float>& q) {
  Sizes input = sizes;
  input.push_back(static_cast<int>(q.size()));
  add(
      table,
      {"quantile_loss",
       text(sizes) + " of " + std::to_string(q.size()),
       {{input, -2, 2, Draw::grid}, {sizes, -2, 2, Draw::halfway}},
       input},
      [q](const Tensors& t, const Tensor& w) { return ops::quantile_loss(t[0], t[1], q, w); },
      [q](const Arrays& t, const Array* w) {
        return reference::quantile_loss(t[0], t[1], std::vector<double>(q.begin(), q.end()), w);
      });
}

void add_gaussian(std::vector<OpCase>& table, const Sizes& sizes, const Sizes& var, float eps) {
  add(
      table, {"gaussian_nll_loss", text(sizes) + " var " + text(var), {{sizes}, {sizes}, {var, 0.25, 3}}, sizes},
      [eps](const Tensors& t, const Tensor& w) { return ops::gaussian_nll_loss(t[0], t[1], t[2], eps, w); },
      [eps](const Arrays& t, const Array* w) { return reference::gaussian_nll_loss(t[0], t[1], t[2], eps, w); });
}

void add_student_t(std::vector<OpCase>& table, const Sizes& sizes, const Sizes& scale, const Sizes& df, double low,
                   double high) {
  add(
      table,
      {"student_t_nll_loss",
       text(sizes) + " scale " + text(scale) + " df " + text(df) + " from " + std::to_string(low),
       {{sizes}, {scale, 0.25, 2}, {df, low, high}, {sizes}},
       sizes},
      [](const Tensors& t, const Tensor& w) { return ops::student_t_nll_loss(t[0], t[1], t[2], t[3], w); },
      [](const Arrays& t, const Array* w) { return reference::student_t_nll_loss(t[0], t[1], t[2], t[3], w); });
}

void add_logits(std::vector<OpCase>& table, const Sizes& sizes, float pos_weight) {
  add(
      table,
      {"binary_cross_entropy_with_logits",
       text(sizes) + " pos_weight " + std::to_string(pos_weight),
       {{sizes, -8, 8, Draw::halfway}, {sizes, 0, 1}},
       sizes},
      [pos_weight](const Tensors& t, const Tensor& w) {
        return ops::binary_cross_entropy_with_logits(t[0], t[1], pos_weight, w);
      },
      [pos_weight](const Arrays& t, const Array* w) {
        return reference::binary_cross_entropy_with_logits(t[0], t[1], pos_weight, w);
      });
}

}  // namespace

const CaseFile cases([](std::vector<OpCase>& table) {
  for (const Sizes& sizes : kShapes) {
    add_distances(table, sizes);
    add_gaussian(table, sizes, sizes, 1e-6f);
    add_student_t(table, sizes, sizes, sizes, 0.5, 6);
    add_logits(table, sizes, reference::count(sizes) % 2 ? 1.0f : 2.5f);
    if (sizes.size() == 6) continue;  // the quantiles are an axis of their own
    add_quantiles(table, sizes, {0.5f});
    add_quantiles(table, sizes, {0.1f, 0.5f, 0.9f});
  }
  add_quantiles(table, {7}, {0.05f, 0.25f, 0.75f, 0.95f});
  add_quantiles(table, {3, 5}, {0.01f, 0.1f, 0.2f, 0.3f, 0.5f, 0.7f, 0.9f});
  add_quantiles(
      table, {5},
      {0.02f, 0.08f, 0.14f, 0.2f, 0.26f, 0.32f, 0.38f, 0.44f, 0.5f, 0.56f, 0.62f, 0.68f, 0.74f, 0.8f, 0.86f, 0.92f});
  for (const auto& [sizes, var] : std::vector<std::pair<Sizes, Sizes>>{
           {{5}, {}}, {{7}, {1}}, {{3, 5}, {5}}, {{3, 5}, {3, 1}}, {{2, 3, 4}, {1, 3, 1}}, {{65}, {1}}}) {
    add_gaussian(table, sizes, var, 1e-6f);
    add_student_t(table, sizes, var, var, 1, 8);
    add_student_t(table, sizes, sizes, var, 10, 400);
  }
});

}  // namespace sg::tests

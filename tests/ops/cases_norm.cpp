// Cases of softmax and its relatives along every axis, and of the normalisations with and without weights: groups of
// one element, beside texels and rows of texels, longer than a piece, and with means far from 0.
#include "tests/op_cases.h"
#include "tests/reference/norm.h"

namespace sg::tests {
namespace {

void add_softmax(std::vector<OpCase>& table, const Sizes& sizes, int axis, double low = -2, double high = 2) {
  const int terms = sizes[reference::axis_of(sizes, axis)];
  const std::string detail = text(sizes) + " axis " + std::to_string(axis) +
                             (low == -2 ? "" : " from " + std::to_string(static_cast<int>(low)));
  const std::vector<Input> inputs{{sizes, low, high}};
  table.push_back({"softmax", detail, inputs, [=](Device&, const Tensors& t) { return ops::softmax(t[0], axis); },
                   [=](const Arrays& t) { return reference::softmax(t[0], axis); }, terms});
  table.push_back({"log_softmax", detail, inputs,
                   [=](Device&, const Tensors& t) { return ops::log_softmax(t[0], axis); },
                   [=](const Arrays& t) { return reference::log_softmax(t[0], axis); }, terms});
  const bool keepdim = (axis < 0) != (sizes.size() > 2);
  table.push_back({"logsumexp", detail + (keepdim ? " kept" : ""), inputs,
                   [=](Device&, const Tensors& t) { return ops::logsumexp(t[0], axis, keepdim); },
                   [=](const Arrays& t) { return reference::logsumexp(t[0], axis, keepdim); }, terms});
}

void add_softmaxes(std::vector<OpCase>& table) {
  for (const Sizes& sizes :
       std::vector<Sizes>{{1}, {5}, {3, 7}, {8, 4}, {2, 3, 5}, {4, 3, 8}, {2, 5, 3, 2}, {17, 33}}) {
    const int rank = static_cast<int>(sizes.size());
    for (int axis = 0; axis < rank; ++axis) add_softmax(table, sizes, axis % 2 ? axis - rank : axis);
  }
  add_softmax(table, {6, 64}, -1, 90, 130);     // exp of these alone would overflow
  add_softmax(table, {9, 6}, 0, -2000, -1960);  // or be 0
  add_softmax(table, {2, 65, 4}, 1, 1e4, 1.0005e4);
  add_softmax(table, {1, 3, 6}, 1, -400, 400);  // only the largest one may be the centre
  add_softmax(table, {24, 5}, 1, -400, 400);    // wherever it stands
  add_softmax(table, {2, 601}, 1);              // in pieces, the last one shorter
  add_softmax(table, {521, 6}, 0);
  add_softmax(table, {1, 530, 3}, 1, -60, 60);
  add_softmax(table, {130, 65}, 1);  // beyond a row of 2048 texels
}

/// How a norm is called with its weights, either of which may be null.
struct Norm {
  std::string op;
  Tensor (*device)(const Tensors& t, const Tensor& weight, const Tensor& bias, int groups, float eps);
  Array (*reference)(const Arrays& t, const Array* weight, const Array* bias, int groups, double eps);
  int data;  // inputs before the weights
  bool biased;
};

const std::vector<Norm> kNorms{
    {"layer_norm",
     [](const Tensors& t, const Tensor& w, const Tensor& b, int, float eps) {
       return ops::layer_norm(t[0], w, b, eps);
     },
     [](const Arrays& t, const Array* w, const Array* b, int, double eps) {
       return reference::layer_norm(t[0], w, b, eps);
     },
     1, true},
    {"rms_norm",
     [](const Tensors& t, const Tensor& w, const Tensor&, int, float eps) { return ops::rms_norm(t[0], w, eps); },
     [](const Arrays& t, const Array* w, const Array*, int, double eps) { return reference::rms_norm(t[0], w, eps); },
     1, false},
    {"batch_norm",
     [](const Tensors& t, const Tensor& w, const Tensor& b, int, float eps) {
       return ops::batch_norm(t[0], w, b, eps);
     },
     [](const Arrays& t, const Array* w, const Array* b, int, double eps) {
       return reference::batch_norm(t[0], w, b, eps);
     },
     1, true},
    {"batch_norm_with",
     [](const Tensors& t, const Tensor& w, const Tensor& b, int, float eps) {
       return ops::batch_norm_with(t[0], t[1], t[2], w, b, eps);
     },
     [](const Arrays& t, const Array* w, const Array* b, int, double eps) {
       return reference::batch_norm_with(t[0], t[1], t[2], w, b, eps);
     },
     3, true},
    {"group_norm",
     [](const Tensors& t, const Tensor& w, const Tensor& b, int groups, float eps) {
       return ops::group_norm(t[0], groups, w, b, eps);
     },
     [](const Arrays& t, const Array* w, const Array* b, int groups, double eps) {
       return reference::group_norm(t[0], groups, w, b, eps);
     },
     1, true},
};

enum class Affine { both, weight, bias, none };

struct Given {
  int groups = 1;
  double low = -2, high = 2, eps = 1e-3;
};

void add_norm(std::vector<OpCase>& table, const std::string& op, const Sizes& sizes, Affine affine,
              const Given& given = {}) {
  const Norm* found = nullptr;
  for (const Norm& n : kNorms)
    if (n.op == op) found = &n;
  const Norm norm = *found;
  const bool per_row = op == "layer_norm" || op == "rms_norm";
  const int channels = per_row ? sizes.back() : sizes[1];
  const bool w = affine == Affine::both || affine == Affine::weight;
  const bool b = norm.biased && (affine == Affine::both || affine == Affine::bias);
  std::vector<Input> inputs{{sizes, given.low, given.high}};
  if (norm.data == 3) {
    inputs.push_back({{channels}, -1, 1, Draw::spread, false});
    inputs.push_back({{channels}, 0.25, 2, Draw::spread, false});
  }
  if (w) inputs.push_back({{channels}, 0.5, 1.5});
  if (b) inputs.push_back({{channels}, -1, 1});
  const size_t at_w = static_cast<size_t>(norm.data), at_b = at_w + (w ? 1 : 0);
  const int groups = given.groups;
  const double eps = given.eps;
  const int terms = per_row              ? sizes.back()
                    : op == "group_norm" ? reference::count(sizes) / sizes[0] / groups
                                         : reference::count(sizes) / channels;
  std::string detail = text(sizes) + (op == "group_norm" ? " in " + std::to_string(groups) : "");
  detail += w && b ? "" : w ? " weight" : b ? " bias" : " alone";
  if (given.low != -2) detail += " from " + std::to_string(static_cast<int>(given.low));
  table.push_back({op, detail, inputs,
                   [=](Device&, const Tensors& t) {
                     return norm.device(t, w ? t[at_w] : Tensor(), b ? t[at_b] : Tensor(), groups,
                                        static_cast<float>(eps));
                   },
                   [=](const Arrays& t) {
                     return norm.reference(t, w ? &t[at_w] : nullptr, b ? &t[at_b] : nullptr, groups,
                                           static_cast<double>(static_cast<float>(eps)));
                   },
                   terms});
}

void add_rows(std::vector<OpCase>& table, const std::string& op) {
  int turn = 0;
  for (const Sizes& sizes : std::vector<Sizes>{{2},
                                               {4},
                                               {7},
                                               {1, 4},
                                               {3, 5},
                                               {8, 4},
                                               {5, 16},
                                               {2, 17},
                                               {9, 64},
                                               {4, 65},
                                               {2, 3, 8},
                                               {3, 1, 11},
                                               {2, 2, 3, 4},
                                               {33, 3},
                                               {64, 8}}) {
    const Affine kinds[]{Affine::both, Affine::both, Affine::weight, Affine::bias, Affine::none};
    add_norm(table, op, sizes, kinds[turn++ % 5]);
  }
  add_norm(table, op, {6, 1}, Affine::both, {.low = 0.5, .eps = 0.1});
  add_norm(table, op, {5, 32}, Affine::both, {.low = 40, .high = 44});
  add_norm(table, op, {2, 600}, Affine::both);  // rows in pieces
  add_norm(table, op, {530, 6}, Affine::both);  // a weight's gradient in pieces
  add_norm(table, op, {133, 64}, Affine::both);
}

void add_channels(std::vector<OpCase>& table, const std::string& op) {
  int turn = 0;
  for (const Sizes& sizes : std::vector<Sizes>{{4, 1},
                                               {5, 4},
                                               {7, 3},
                                               {3, 8},
                                               {2, 17},
                                               {3, 2, 5},
                                               {2, 4, 4},
                                               {1, 3, 16},
                                               {5, 1, 9},
                                               {2, 5, 1},
                                               {2, 3, 4, 4},
                                               {2, 2, 3, 5},
                                               {1, 6, 2, 2},
                                               {4, 3, 7},
                                               {2, 65, 3}}) {
    const Affine kinds[]{Affine::both, Affine::both, Affine::weight, Affine::bias, Affine::none};
    add_norm(table, op, sizes, kinds[turn++ % 5]);
  }
  add_norm(table, op, {6, 5, 5}, Affine::both, {.low = 40, .high = 44});
  add_norm(table, op, {2, 3, 401}, Affine::both);  // channels in pieces that cross samples
  add_norm(table, op, {601, 6}, Affine::both);
  add_norm(table, op, {520, 2, 3}, Affine::both);
  add_norm(table, op, {3, 8, 19, 19}, Affine::both);
}

void add_groups(std::vector<OpCase>& table) {
  const std::pair<Sizes, int> shapes[]{{{2, 4}, 2},       {{3, 6}, 3},       {{2, 4}, 1},       {{5, 8}, 2},
                                       {{2, 3, 5}, 3},    {{2, 4, 3}, 2},    {{1, 6, 4}, 3},    {{3, 2, 8}, 1},
                                       {{2, 6, 2, 2}, 2}, {{1, 4, 3, 3}, 4}, {{2, 4, 5, 1}, 2}, {{2, 9, 7}, 3},
                                       {{4, 12, 1}, 3},   {{2, 8, 4}, 8},    {{1, 5, 17}, 1}};
  int turn = 0;
  for (const auto& [sizes, groups] : shapes) {
    const Affine kinds[]{Affine::both, Affine::both, Affine::weight, Affine::bias, Affine::none};
    add_norm(table, "group_norm", sizes, kinds[turn++ % 5], {.groups = groups, .eps = 1e-2});
  }
  add_norm(table, "group_norm", {3, 4}, Affine::both, {.groups = 4, .eps = 0.1});  // groups of one element
  add_norm(table, "group_norm", {3, 6, 6}, Affine::both, {.groups = 2, .low = 40, .high = 44});
  add_norm(table, "group_norm", {2, 4, 300}, Affine::both, {.groups = 2});
  add_norm(table, "group_norm", {2, 600}, Affine::weight, {.groups = 1});
  add_norm(table, "group_norm", {3, 8, 19, 19}, Affine::both, {.groups = 4});
}

}  // namespace

const CaseFile cases([](std::vector<OpCase>& table) {
  add_softmaxes(table);
  add_rows(table, "layer_norm");
  add_rows(table, "rms_norm");
  add_channels(table, "batch_norm");
  add_channels(table, "batch_norm_with");
  add_groups(table);
});

}  // namespace sg::tests

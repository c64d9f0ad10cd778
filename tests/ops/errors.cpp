// What an op says when its inputs do not fit: the error's code, the op's name and the shapes that are at odds.
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>

#include "io/error.h"
#include "tests/op_cases.h"
#include "tests/ops/devices.h"

namespace sg::tests {
namespace {

struct WrongUse {
  std::string op, what;
  std::vector<Sizes> inputs;
  std::function<void(const Tensors&)> call;
  std::vector<std::string> said;
};

const std::vector<WrongUse>& wrong_uses() {
  using namespace ops;
  static const std::vector<WrongUse> table{
      {"matmul",
       "inner sizes differ",
       {{2, 3}, {4, 5}},
       [](const Tensors& t) { matmul(t[0], t[1]); },
       {"[2, 3]", "[4, 5]"}},
      {"matmul",
       "only one is transposed",
       {{2, 3}, {3, 4}},
       [](const Tensors& t) { matmul(t[0], t[1], true); },
       {"[2, 3]", "[3, 4]"}},
      {"matmul",
       "the other is transposed",
       {{2, 3}, {3, 4}},
       [](const Tensors& t) { matmul(t[0], t[1], false, true); },
       {"[2, 3]", "[3, 4]"}},
      {"matmul", "a vector", {{3}, {3, 4}}, [](const Tensors& t) { matmul(t[0], t[1]); }, {"[3]", "[3, 4]"}},
      {"matmul",
       "leading sizes differ",
       {{2, 2, 3}, {3, 3, 4}},
       [](const Tensors& t) { matmul(t[0], t[1]); },
       {"[2, 2, 3]", "[3, 3, 4]"}},
      {"addmm",
       "sizes differ",
       {{2}, {4, 3}, {4, 2}},
       [](const Tensors& t) { addmm(t[0], t[1], t[2]); },
       {"[4, 3]", "[4, 2]"}},
      {"addmm",
       "a bias of one",
       {{1}, {4, 3}, {3, 2}},
       [](const Tensors& t) { addmm(t[0], t[1], t[2]); },
       {"[1]", "[3, 2]"}},
      {"addmm", "no matrix", {{2}, {4, 3}, {3}}, [](const Tensors& t) { addmm(t[0], t[1], t[2]); }, {"[4, 3]", "[3]"}},
      {"linear",
       "features differ",
       {{4, 3}, {5, 2}},
       [](const Tensors& t) { linear(t[0], t[1], Tensor()); },
       {"[4, 3]", "[5, 2]"}},
      {"linear", "a scalar", {{}, {5, 2}}, [](const Tensors& t) { linear(t[0], t[1], Tensor()); }, {"[]", "[5, 2]"}},
      {"linear",
       "weight is no matrix",
       {{4, 3}, {3}},
       [](const Tensors& t) { linear(t[0], t[1], Tensor()); },
       {"[4, 3]", "[3]"}},
      {"linear",
       "bias of another length",
       {{4, 2}, {5, 2}, {4}},
       [](const Tensors& t) { linear(t[0], t[1], t[2]); },
       {"[4]", "[5, 2]"}},
      {"linear",
       "bias that would broadcast",
       {{4, 2}, {5, 2}, {1}},
       [](const Tensors& t) { linear(t[0], t[1], t[2]); },
       {"[1]", "[5, 2]"}},
      {"adaptive_avg_pool1d",
       "an element in too many windows",
       {{1, 1, 2}},
       [](const Tensors& t) { adaptive_avg_pool1d(t[0], 40000); },
       {"[1, 1, 1, 2]", "20001"}},
      {"cross_entropy",
       "label smoothing over too many classes",
       {{1, 60001}, {1}},
       [](const Tensors& t) { cross_entropy(t[0], t[1], {.label_smoothing = 0.1f}); },
       {"[1, 60001]", "60000"}},
      {"conv2d",
       "no batch",
       {{3, 4, 4}, {2, 3, 3, 3}},
       [](const Tensors& t) { conv2d(t[0], t[1], Tensor()); },
       {"[3, 4, 4]", "[2, 3, 3, 3]"}},
      {"conv2d",
       "channels differ",
       {{1, 4, 4, 4}, {2, 3, 3, 3}},
       [](const Tensors& t) { conv2d(t[0], t[1], Tensor()); },
       {"[1, 4, 4, 4]", "[2, 3, 3, 3]"}},
      {"conv2d",
       "groups do not divide",
       {{1, 4, 4, 4}, {6, 1, 3, 3}},
       [](const Tensors& t) { conv2d(t[0], t[1], Tensor(), {.groups = 4}); },
       {"[1, 4, 4, 4]", "[6, 1, 3, 3]", "4"}},
      {"conv2d",
       "a kernel beyond the padded input",
       {{1, 1, 4, 2}, {1, 1, 3, 3}},
       [](const Tensors& t) {
         conv2d(t[0], t[1], Tensor(), {.padding = {0, 1}, .dilation = {2, 1}});
       },
       {"[1, 1, 4, 2]", "[1, 1, 3, 3]", "5", "4"}},
      {"conv2d",
       "a stride of 0",
       {{1, 1, 4, 4}, {1, 1, 3, 3}},
       [](const Tensors& t) {
         conv2d(t[0], t[1], Tensor(), {.stride = {1, 0}});
       },
       {"1 x 0"}},
      {"conv2d",
       "a negative padding",
       {{1, 1, 4, 4}, {1, 1, 3, 3}},
       [](const Tensors& t) {
         conv2d(t[0], t[1], Tensor(), {.padding = {-1, 0}});
       },
       {"-1 x 0"}},
      {"conv2d",
       "bias of another length",
       {{1, 1, 4, 4}, {2, 1, 3, 3}, {1}},
       [](const Tensors& t) { conv2d(t[0], t[1], t[2]); },
       {"[1]", "[2]"}},
      {"conv1d",
       "an image",
       {{1, 1, 4, 4}, {1, 1, 3}},
       [](const Tensors& t) { conv1d(t[0], t[1], Tensor()); },
       {"[1, 1, 4, 4]", "[1, 1, 3]"}},
      {"conv1d",
       "a kernel beyond the input",
       {{1, 1, 4}, {1, 1, 3}},
       [](const Tensors& t) { conv1d(t[0], t[1], Tensor(), 1, 0, 2); },
       {"[1, 1, 4]", "[1, 1, 3]", "5"}},
      {"conv1d",
       "causal and padded",
       {{1, 1, 4}, {1, 1, 3}},
       [](const Tensors& t) { conv1d(t[0], t[1], Tensor(), 1, 2, 1, 1, true); },
       {"causal", "2"}},
      {"max_pool2d",
       "a kernel beyond the padded input",
       {{1, 1, 2, 4}},
       [](const Tensors& t) {
         max_pool2d(t[0], {3, 3}, {1, 1});
       },
       {"[1, 1, 2, 4]", "3 x 3"}},
      {"max_pool2d",
       "a padding of more than half of the kernel",
       {{1, 1, 4, 4}},
       [](const Tensors& t) {
         max_pool2d(t[0], {3, 2}, {1, 1}, {2, 1});
       },
       {"[1, 1, 4, 4]", "2 x 1"}},
      {"max_pool1d", "an image", {{1, 1, 4, 4}}, [](const Tensors& t) { max_pool1d(t[0], 2, 2); }, {"[1, 1, 4, 4]"}},
      {"avg_pool1d",
       "a window that no shader can walk",
       {{1, 1, 20000}},
       [](const Tensors& t) { avg_pool1d(t[0], 16001, 1); },
       {"16001", "16000"}},
      {"avg_pool2d",
       "a stride of 0",
       {{1, 1, 4, 4}},
       [](const Tensors& t) {
         avg_pool2d(t[0], {2, 2}, {0, 2});
       },
       {"[1, 1, 4, 4]", "0 x 2"}},
      {"avg_pool1d", "no kernel", {{1, 1, 4}}, [](const Tensors& t) { avg_pool1d(t[0], 0, 1); }, {"[1, 1, 4]", "0"}},
      {"adaptive_avg_pool2d",
       "to nothing",
       {{1, 1, 4, 4}},
       [](const Tensors& t) {
         adaptive_avg_pool2d(t[0], {1, 0});
       },
       {"[1, 1, 4, 4]", "1 x 0"}},
      {"adaptive_max_pool1d", "a vector", {{4}}, [](const Tensors& t) { adaptive_max_pool1d(t[0], 2); }, {"[4]"}},
      {"sum", "no such axis", {{2, 3}}, [](const Tensors& t) { sum(t[0], 2); }, {"2", "[2, 3]"}},
      {"mean", "no such axis", {{2, 3}}, [](const Tensors& t) { mean(t[0], -3); }, {"-3", "[2, 3]"}},
      {"amax", "no such axis", {{}}, [](const Tensors& t) { amax(t[0], 0); }, {"0", "[]"}},
      {"sum",
       "an axis twice",
       {{2, 3}},
       [](const Tensors& t) {
         sum(t[0], Sizes{1, -1});
       },
       {"-1"}},
      {"mean", "no axes", {{2, 3}}, [](const Tensors& t) { mean(t[0], Sizes{}); }, {"[2, 3]"}},
      {"amin", "no such axis", {{2, 3}}, [](const Tensors& t) { amin(t[0], 4); }, {"4", "[2, 3]"}},
      {"var",
       "no such axis",
       {{2, 3}},
       [](const Tensors& t) {
         var(t[0], Sizes{0, 2});
       },
       {"2", "[2, 3]"}},
      {"var", "one element", {{2, 1}}, [](const Tensors& t) { var(t[0], Sizes{1}); }, {"1", "[2, 1]"}},
      {"argmax", "no such axis", {{2, 3}}, [](const Tensors& t) { argmax(t[0], 2); }, {"2", "[2, 3]"}},
      {"cumsum", "no such axis", {{2, 3}}, [](const Tensors& t) { cumsum(t[0], -3); }, {"-3", "[2, 3]"}},
      {"where", "no broadcast", {{2}, {3}, {1}}, [](const Tensors& t) { where(t[0], t[1], t[2]); }, {"[2]", "[3]"}},
      {"slice", "nothing between", {{2, 3}}, [](const Tensors& t) { slice(t[0], 1, 2, -1); }, {"2", "-1", "[2, 3]"}},
      {"slice", "a step of 0", {{2, 3}}, [](const Tensors& t) { slice(t[0], 1, 0, 3, 0); }, {"0"}},
      {"slice", "no such axis", {{2, 3}}, [](const Tensors& t) { slice(t[0], 2, 0, 1); }, {"2", "[2, 3]"}},
      {"flip",
       "an axis twice",
       {{2, 3}},
       [](const Tensors& t) {
         flip(t[0], Sizes{0, -2});
       },
       {"-2"}},
      {"flip", "no such axis", {{2, 3}}, [](const Tensors& t) { flip(t[0], Sizes{2}); }, {"2", "[2, 3]"}},
      {"pad",
       "half a pair",
       {{2, 3}},
       [](const Tensors& t) {
         pad(t[0], Sizes{1, 1, 1});
       },
       {"3", "[2, 3]"}},
      {"pad",
       "too many axes",
       {{3}},
       [](const Tensors& t) {
         pad(t[0], Sizes{1, 1, 1, 1});
       },
       {"4", "[3]"}},
      {"pad",
       "less than nothing",
       {{2, 3}},
       [](const Tensors& t) {
         pad(t[0], Sizes{1, -1});
       },
       {"-1", "[2, 3]"}},
      {"gather", "another rank", {{2, 3}, {2}}, [](const Tensors& t) { gather(t[0], 0, t[1]); }, {"[2, 3]", "[2]"}},
      {"gather", "larger beside", {{2, 3}, {3, 3}}, [](const Tensors& t) { gather(t[0], 1, t[1]); }, {"[3, 3]", "1"}},
      {"gather", "no such axis", {{2, 3}, {2, 3}}, [](const Tensors& t) { gather(t[0], 2, t[1]); }, {"2", "[2, 3]"}},
      {"windows", "a vector", {{5}, {2, 2}}, [](const Tensors& t) { windows(t[0], t[1], 0, 1); }, {"[5]", "[2, 2]"}},
      {"windows", "no halves", {{5, 1}, {2}}, [](const Tensors& t) { windows(t[0], t[1], 0, 1); }, {"[5, 1]", "[2]"}},
      {"windows", "too long", {{5, 1}, {2, 2}}, [](const Tensors& t) { windows(t[0], t[1], 0, 6); }, {"[5, 1]", "6"}},
      {"windows", "before", {{5, 1}, {2, 2}}, [](const Tensors& t) { windows(t[0], t[1], -1, 2); }, {"-1"}},
      {"embedding", "a vector", {{2}, {3}}, [](const Tensors& t) { embedding(t[0], t[1]); }, {"[2]", "[3]"}},
      {"embedding",
       "a seventh axis",
       {{1, 1, 1, 1, 1, 2}, {3, 4}},
       [](const Tensors& t) { embedding(t[0], t[1]); },
       {"[1, 1, 1, 1, 1, 2]", "[3, 4]"}},
      {"reshape",
       "another size",
       {{2, 3}},
       [](const Tensors& t) {
         reshape(t[0], Shape{4, 2});
       },
       {"[2, 3]", "[4, 2]"}},
      {"reshape",
       "nothing fits beside",
       {{2, 3}},
       [](const Tensors& t) {
         reshape(t[0], Sizes{4, -1});
       },
       {"[2, 3]", "4"}},
      {"permute", "too few axes", {{2, 3}}, [](const Tensors& t) { permute(t[0], Sizes{0}); }, {"[2, 3]"}},
      {"permute",
       "an axis twice",
       {{2, 3}},
       [](const Tensors& t) {
         permute(t[0], Sizes{1, 1});
       },
       {"1"}},
      {"permute",
       "no such axis",
       {{2, 3}},
       [](const Tensors& t) {
         permute(t[0], Sizes{0, 2});
       },
       {"2", "[2, 3]"}},
      {"transpose", "no such axis", {{2, 3}}, [](const Tensors& t) { transpose(t[0], 0, 2); }, {"2", "[2, 3]"}},
      {"expand",
       "does not stretch",
       {{2, 3}},
       [](const Tensors& t) {
         expand(t[0], Shape{4, 3});
       },
       {"[2, 3]", "[4, 3]"}},
      {"expand",
       "would shrink",
       {{2, 3}},
       [](const Tensors& t) {
         expand(t[0], Shape{1, 3});
       },
       {"[2, 3]", "[1, 3]"}},
      {"expand", "fewer axes", {{2, 3}}, [](const Tensors& t) { expand(t[0], Shape{3}); }, {"[2, 3]", "[3]"}},
      {"narrow", "beyond the end", {{2, 3}}, [](const Tensors& t) { narrow(t[0], 1, 2, 2); }, {"2", "[2, 3]"}},
      {"narrow", "before the start", {{2, 3}}, [](const Tensors& t) { narrow(t[0], 1, -1, 2); }, {"-1", "[2, 3]"}},
      {"narrow", "nothing", {{2, 3}}, [](const Tensors& t) { narrow(t[0], 1, 1, 0); }, {"0", "[2, 3]"}},
      {"narrow",
       "a length that overflows",
       {{2, 3}},
       [](const Tensors& t) { narrow(t[0], 1, 1, INT32_MAX); },
       {"[2, 3]"}},
      {"narrow", "no such axis", {{2, 3}}, [](const Tensors& t) { narrow(t[0], 2, 0, 1); }, {"2", "[2, 3]"}},
      {"select", "beyond the end", {{2, 3}}, [](const Tensors& t) { select(t[0], 1, 3); }, {"3", "[2, 3]"}},
      {"select", "before the start", {{2, 3}}, [](const Tensors& t) { select(t[0], 0, -3); }, {"-3", "[2, 3]"}},
      {"select", "no such axis", {{2, 3}}, [](const Tensors& t) { select(t[0], 2, 0); }, {"2", "[2, 3]"}},
      {"cat", "other sizes beside", {{2, 3}, {3, 3}}, [](const Tensors& t) { cat(t, 1); }, {"[2, 3]", "[3, 3]"}},
      {"cat", "another rank", {{2, 3}, {2}}, [](const Tensors& t) { cat(t, 0); }, {"[2, 3]", "[2]"}},
      {"cat", "nothing", {}, [](const Tensors& t) { cat(t, 0); }, {}},
      {"cat", "no such axis", {{2, 3}}, [](const Tensors& t) { cat(t, 2); }, {"2", "[2, 3]"}},
      {"stack", "other shapes", {{2, 3}, {3, 2}}, [](const Tensors& t) { stack(t, 0); }, {"[2, 3]", "[3, 2]"}},
      {"stack", "nothing", {}, [](const Tensors& t) { stack(t, 0); }, {}},
      {"stack", "no such axis", {{2, 3}}, [](const Tensors& t) { stack(t, 3); }, {"3", "[2, 3]"}},
      {"stack", "a seventh axis", {{1, 1, 1, 1, 1, 2}}, [](const Tensors& t) { stack(t, 0); }, {"[1, 1, 1, 1, 1, 2]"}},
      {"lstm",
       "gates of another width",
       {{2, 3, 8}, {12, 3}},
       [](const Tensors& t) { lstm(t[0], t[1]); },
       {"[2, 3, 8]", "[12, 3]"}},
      {"lstm",
       "weight is not four gates",
       {{2, 3, 8}, {8, 3}},
       [](const Tensors& t) { lstm(t[0], t[1]); },
       {"[2, 3, 8]", "[8, 3]"}},
      {"lstm", "no time", {{3, 8}, {8, 2}}, [](const Tensors& t) { lstm(t[0], t[1]); }, {"[3, 8]", "[8, 2]"}},
      {"dropout", "p of 1", {{2}}, [](const Tensors& t) { dropout(t[0], 1, {}, 0); }, {"1"}},
      {"dropout", "p below 0", {{2}}, [](const Tensors& t) { dropout(t[0], -0.5f, {}, 0); }, {"-0.5"}},
      {"dropout", "p is NaN", {{2}}, [](const Tensors& t) { dropout(t[0], std::nanf(""), {}, 0); }, {"nan"}},
      {"mse_loss", "other shapes", {{2, 3}, {3}}, [](const Tensors& t) { mse_loss(t[0], t[1]); }, {"[2, 3]", "[3]"}},
      {"l1_loss", "other shapes", {{2, 1}, {2}}, [](const Tensors& t) { l1_loss(t[0], t[1]); }, {"[2, 1]", "[2]"}},
      {"huber_loss", "other shapes", {{4}, {5}}, [](const Tensors& t) { huber_loss(t[0], t[1]); }, {"[4]", "[5]"}},
      {"huber_loss", "delta of 0", {{4}, {4}}, [](const Tensors& t) { huber_loss(t[0], t[1], 0); }, {"0"}},
  };
  return table;
}

void check_refused(const std::string& op, const std::vector<std::string>& said, const std::function<void()>& call) {
  try {
    call();
    FAIL_CHECK("nothing was thrown");
  } catch (const Error& error) {
    INFO("it says: " << error.message());
    CHECK(error.code() == "shape.mismatch");
    CHECK(error.message().find(op) != std::string::npos);
    for (const std::string& part : said) {
      INFO("without: " << part);
      CHECK(error.message().find(part) != std::string::npos);
    }
  }
}

Tensors zeros(const std::vector<Sizes>& shapes) {
  Tensors t;
  for (const Sizes& s : shapes) t.push_back(Tensor::full(device("cpu"), shape_of(s), 0));
  return t;
}

TEST_CASE("an op that cannot take its inputs says its name and the shapes", "[ops]") {
  for (const WrongUse& use : wrong_uses()) {
    INFO(use.op << ": " << use.what);
    const Tensors t = zeros(use.inputs);
    check_refused(use.op, use.said, [&] { use.call(t); });
  }
}

TEST_CASE("every elementwise op of two refuses shapes that do not broadcast, by its own name", "[ops]") {
  const Tensors t = zeros({{2, 3}, {2, 4}});
  for (int i = 0; i < static_cast<int>(ops::Binary::count); ++i) {
    const auto op = static_cast<ops::Binary>(i);
    INFO(ops::name(op));
    check_refused(ops::name(op), {"[2, 3]", "[2, 4]"}, [&] { ops::binary(op, t[0], t[1]); });
  }
}

TEST_CASE("a result of more elements than a tensor has is refused before it is made", "[ops]") {
  const Tensor x = zeros({{65536, 2}})[0];
  const auto code = [](const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.code();
    }
    return std::string("none");
  };
  CHECK(code([&] { ops::pad(x, std::vector{0, 65536}); }) == "shape.too_large");
  CHECK(code([&] { ops::cat(Tensors(40000, x), 1); }) == "shape.too_large");
  CHECK(code([&] { ops::stack(Tensors(40000, x), 0); }) == "shape.too_large");
}

TEST_CASE("an op refuses an undefined tensor", "[ops]") {
  const Tensor x = zeros({{2, 3}})[0], none;
  CHECK_THROWS_AS(ops::tanh(none), Error);
  CHECK_THROWS_AS(ops::add(x, none), Error);
  CHECK_THROWS_AS(ops::matmul(none, x), Error);
  CHECK_THROWS_AS(ops::sum(none), Error);
  CHECK_THROWS_AS(ops::cat(Tensors{x, none}, 0), Error);
}

}  // namespace
}  // namespace sg::tests

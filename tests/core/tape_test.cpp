// The tape: what is recorded, what is not, how gradients add up, and that nothing stays behind.
#include <catch2/catch.hpp>

#include "io/error.h"
#include "ops/ops.h"
#include "tests/ops/devices.h"

namespace sg::tests {
namespace {

using Floats = std::vector<float>;

Tensor vector(const Floats& values) {
  return Tensor::from(device("cpu"), Shape{static_cast<int>(values.size())}, values);
}
Tensor leaf(const Floats& values) { return vector(values).set_requires_grad(); }

TEST_CASE("a tensor that is used twice gets the sum of both gradients", "[core]") {
  const Tensor x = leaf({1, 2, 3});
  ops::sum(ops::add(ops::mul(x, x), x)).backward();
  CHECK(x.grad().values() == Floats{3, 5, 7});
}

TEST_CASE("gradients meet again where a graph forks and joins", "[core]") {
  const Tensor x = leaf({1, -2});
  const Tensor shared = ops::mul_scalar(x, 2);
  const Tensor left = ops::square(shared), right = ops::mul_scalar(shared, 3), late = ops::mul(left, shared);
  ops::sum(ops::add(ops::add(left, right), late)).backward();
  // s = 2x: d(s² + 3s + s³)/dx = 2 (2s + 3 + 3s²)
  CHECK(x.grad().values() == Floats{2 * (4 + 3 + 12), 2 * (-8 + 3 + 48)});
}

TEST_CASE("a chain of forks is walked once, not once a path", "[core]") {
  const Tensor x = leaf({1});
  Tensor y = x;
  for (int i = 0; i < 40; ++i) y = ops::mul_scalar(ops::add(y, y), 0.5f);
  ops::sum(y).backward();
  CHECK(x.grad().item() == 1);
}

TEST_CASE("gradients of several backwards add up until they are cleared", "[core]") {
  Tensor x = leaf({1, 2});
  CHECK_FALSE(x.grad().defined());
  ops::sum(ops::square(x)).backward();
  ops::sum(x).backward();
  CHECK(x.grad().values() == Floats{3, 5});
  x.clear_grad();
  CHECK_FALSE(x.grad().defined());
  ops::sum(x).backward();
  CHECK(x.grad().values() == Floats{1, 1});
}

TEST_CASE("a copy of a tensor is the same tensor", "[core]") {
  const Tensor x = leaf({1, 2}), copy = x;
  ops::sum(ops::mul(copy, x)).backward();
  CHECK(copy.grad().values() == Floats{2, 4});
  CHECK(x.id() == copy.id());
}

TEST_CASE("nothing is recorded while a NoGrad lives, nested ones included", "[core]") {
  const Tensor x = leaf({1, 2});
  CHECK(tape_is_on());
  {
    const NoGrad outer;
    { const NoGrad inner; }
    CHECK_FALSE(tape_is_on());
    CHECK_FALSE(ops::square(x).requires_grad());
  }
  CHECK(tape_is_on());
  CHECK(ops::square(x).requires_grad());
}

TEST_CASE("a detached tensor is a constant", "[core]") {
  const Tensor x = leaf({2, 3});
  const Tensor frozen = x.detach();
  CHECK_FALSE(frozen.requires_grad());
  ops::sum(ops::mul(frozen, x)).backward();
  CHECK(x.grad().values() == Floats{2, 3});
  CHECK_FALSE(frozen.grad().defined());
}

TEST_CASE("only what needs a gradient gets one", "[core]") {
  const Tensor a = Tensor::full(device("cpu"), Shape{2, 2}, 3), b = Tensor::full(device("cpu"), Shape{2, 2}, 2);
  for (const bool first : {true, false}) {
    Tensor x = a.detach(), y = b.detach();
    (first ? x : y).set_requires_grad();
    ops::sum(ops::matmul(x, y)).backward();
    CHECK(x.grad().defined() == first);
    CHECK(y.grad().defined() == !first);
    CHECK((first ? x : y).grad().values() == Floats(4, first ? 4.0f : 6.0f));
  }
  CHECK_FALSE(ops::matmul(a, b).requires_grad());
}

TEST_CASE("backward starts only from a number that something leads to", "[core]") {
  const Tensor x = leaf({1, 2});
  CHECK_THROWS_WITH(ops::square(x).backward(), Catch::Contains("backward") && Catch::Contains("[2]"));
  CHECK_THROWS_WITH(ops::sum(vector({1, 2})).backward(), Catch::Contains("backward"));
  CHECK_FALSE(x.grad().defined());
}

TEST_CASE("a backward does not put itself on the tape", "[core]") {
  const Tensor x = leaf({1, 2});
  ops::sum(ops::square(x)).backward();
  CHECK_FALSE(x.grad().requires_grad());
  CHECK(tape_is_on());
}

TEST_CASE("a backward that throws leaves the tape on", "[core]") {
  const Tensor x = leaf({1});
  const Tensor y = record(x.detach(), {x}, [](const Tensor&) -> Grads { throw Error("test", "broken"); });
  CHECK_THROWS_AS(y.backward(), Error);
  CHECK(tape_is_on());
}

TEST_CASE("a backward with gradients of another number or shape than its inputs is refused", "[core]") {
  const Tensor x = leaf({1});
  CHECK_THROWS_AS(record(x.detach(), {x}, [](const Tensor&) -> Grads { return {}; }).backward(), Error);
  CHECK_THROWS_AS(record(x.detach(), {x}, [](const Tensor&) -> Grads { return {vector({1, 2})}; }).backward(), Error);
}

TEST_CASE("new values reach the next forward, and the gradient and the identity stay", "[core]") {
  Tensor x = leaf({1, 2});
  const void* id = x.id();
  ops::sum(ops::square(x)).backward();
  x.set_value(vector({5, 6}));
  CHECK(x.values() == Floats{5, 6});
  CHECK(x.id() == id);
  CHECK(x.requires_grad());
  CHECK(x.grad().values() == Floats{2, 4});
  CHECK_THROWS_WITH(x.set_value(vector({1})), Catch::Contains("[1]") && Catch::Contains("[2]"));
}

TEST_CASE("a detached tensor keeps its values when its origin gets new ones", "[core]") {
  Tensor x = leaf({3});
  const Tensor loss = ops::sum(ops::square(x.detach()));
  const Tensor taped = ops::sum(ops::mul(x, x.detach()));
  x.set_value(vector({7}));
  CHECK(loss.item() == 9);
  taped.backward();
  CHECK(x.grad().item() == 3);
}

TEST_CASE("nothing lives on when the tensors of a step are gone", "[core]") {
  Device& d = device("cpu");
  const uint64_t buffers = d.counters().live_buffers, bytes = d.counters().live_bytes;
  {
    Tensor w = Tensor::full(d, Shape{16, 4}, 0.1f).set_requires_grad();
    for (int step = 0; step < 3; ++step) {
      const Tensor z = Tensor::full(d, Shape{2, 5, 16}, 0.2f);
      const Tensor y = ops::lstm(z, w);
      const Tensor loss = ops::mse_loss(ops::select(y, 1, -1), Tensor::full(d, Shape{2, 4}, 1));
      loss.backward();
      w.set_value(ops::sub(w.detach(), w.grad()));
      w.clear_grad();
    }
    CHECK(d.counters().live_buffers > buffers);
  }
  CHECK(d.counters().live_buffers == buffers);
  CHECK(d.counters().live_bytes == bytes);
}

TEST_CASE("a step allocates nothing that the step before it has released", "[core]") {
  Device& d = device("cpu");
  Tensor w = Tensor::full(d, Shape{16, 4}, 0.1f).set_requires_grad();
  const auto step = [&] {
    const Tensor loss = ops::mean(ops::square(ops::lstm(Tensor::full(d, Shape{2, 5, 16}, 0.2f), w)));
    loss.backward();
    w.clear_grad();
  };
  step();
  step();
  const uint64_t before = d.counters().allocations;
  step();
  CHECK(d.counters().allocations == before);
}

TEST_CASE("a tensor made of another number of values, or of none, is refused", "[core]") {
  Device& d = device("cpu");
  CHECK_THROWS_WITH(Tensor::from(d, Shape{2, 3}, Floats{1, 2}),
                    Catch::Contains("[2, 3]") && Catch::Contains("2 values"));
  CHECK_THROWS_WITH(Tensor::empty(d, Shape{2, 0}), Catch::Contains("[2, 0]"));
  CHECK_THROWS_WITH(vector({1, 2}).item(), Catch::Contains("[2]"));
  CHECK_THROWS_WITH(vector({1, 2}).view(Shape{3}), Catch::Contains("[2]") && Catch::Contains("[3]"));
  CHECK_THROWS_AS(Tensor().shape(), Error);
  CHECK_THROWS_AS(Tensor().values(), Error);
}

}  // namespace
}  // namespace sg::tests

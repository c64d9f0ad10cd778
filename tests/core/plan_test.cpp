// Recording a step: what is written down, what falls away, what is carried over, and what cannot be recorded.
#include "core/plan.h"

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

std::string code_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.code();
  }
  return "nothing was thrown";
}

TEST_CASE("a recorded step computes nothing until it is run", "[core][plan]") {
  Tensor weight = vector({1, 2});
  Carried carried(device("cpu"), {weight});
  const auto step = carried.record({}, [&] {
    weight.set_value(ops::mul_scalar(weight, 2));
    return ops::sum(weight);
  });
  CHECK(weight.values() == Floats{1, 2});
  step->run();
  CHECK(weight.values() == Floats{2, 4});
  CHECK(step->result().item() == 6);
  step->run();
  step->run();
  CHECK(weight.values() == Floats{8, 16});
  CHECK(step->result().item() == 24);
}

TEST_CASE("inputs may be uploaded anew before each run", "[core][plan]") {
  Tensor sum = vector({0}), x = vector({1});
  Carried carried(device("cpu"), {sum});
  const auto step = carried.record({x}, [&] {
    sum.set_value(ops::add(sum, x));
    return sum.detach();
  });
  for (const float value : {5.0f, 7.0f, 11.0f}) {
    device("cpu").upload(x.buffer(), Floats{value});
    step->run();
  }
  CHECK(sum.item() == 23);
  CHECK(step->result().item() == 23);
}

TEST_CASE("a carried tensor that was set between two runs is read as it was set", "[core][plan]") {
  Tensor weight = vector({1, 2});
  Carried carried(device("cpu"), {weight});
  const auto step = carried.record({}, [&] {
    weight.set_value(ops::mul_scalar(weight, 2));
    return ops::sum(weight);
  });
  for (const int runs : {1, 2}) {
    for (int i = 0; i < runs; ++i) step->run();
    weight.set_value(vector({10, 20}));
    step->run();
    CHECK(weight.values() == Floats{20, 40});
  }
}

TEST_CASE("tensors that share their floats when a step is recorded go their own ways", "[core][plan]") {
  Tensor weight = vector({4}), average = weight.detach();
  Carried carried(device("cpu"), {weight, average});
  const auto step = carried.record({}, [&] {
    average.set_value(ops::mul_scalar(ops::add(average, weight), 0.5f));
    weight.set_value(ops::add_scalar(weight, 4));
    return ops::sum(weight);
  });
  step->run();
  step->run();
  CHECK(weight.item() == 12);
  CHECK(average.item() == 6);
}

TEST_CASE("two carried tensors may be set to the same, to each other, or to a constant", "[core][plan]") {
  Tensor a = vector({1}), b = vector({2}), c = vector({3}), d = vector({4}), e = vector({5});
  Carried carried(device("cpu"), {a, b, c, d, e});
  const auto step = carried.record({}, [&] {
    const Tensor was_a = a.detach(), next = ops::add(a, c);
    a.set_value(b);
    b.set_value(was_a);
    c.set_value(next);
    d.set_value(next);
    e.set_value(Tensor::full(e.device(), e.shape(), 9));
    return next;
  });
  step->run();
  CHECK(Floats{a.item(), b.item(), c.item(), d.item(), e.item()} == Floats{2, 1, 4, 4, 9});
  step->run();
  CHECK(Floats{a.item(), b.item(), c.item(), d.item(), e.item()} == Floats{1, 2, 6, 6, 9});
  CHECK(step->result().item() == 6);
}

TEST_CASE("steps over the same tensors take turns", "[core][plan]") {
  Tensor weight = vector({1}), fixed = vector({3});
  Carried carried(device("cpu"), {weight, fixed});
  const auto add = carried.record({}, [&] {
    weight.set_value(ops::add(weight, fixed));
    return weight.detach();
  });
  add->run();
  const auto twice = carried.record({}, [&] {
    weight.set_value(ops::mul_scalar(weight, 2));
    return weight.detach();
  });
  const auto look = carried.record({}, [&] { return ops::mul_scalar(weight, 10); });
  for (RecordedStep* step : {twice.get(), add.get(), look.get(), add.get(), twice.get(), look.get(), twice.get()})
    step->run();
  CHECK(weight.item() == ((((1 + 3) * 2 + 3) + 3) * 2) * 2);
  CHECK(look->result().item() == 280);
}

TEST_CASE("a step that changes what steps before it left alone is refused", "[core][plan]") {
  Tensor a = vector({1}), b = vector({1});
  Carried carried(device("cpu"), {a, b});
  const auto first = carried.record({}, [&] {
    a.set_value(ops::add(a, b));
    return a.detach();
  });
  CHECK(code_of([&] {
          (void)carried.record({}, [&] {
            b.set_value(ops::add(a, b));
            return b.detach();
          });
        }) != "nothing was thrown");
}

TEST_CASE("what nobody reads is not computed, and what is always the same only once", "[core][plan]") {
  Tensor weight = vector({1, 2, 3});
  Carried carried(device("cpu"), {weight});
  const auto step = carried.record({}, [&] {
    (void)ops::exp(ops::add_scalar(weight, 5));
    const Tensor two = Tensor::full(weight.device(), Shape{3}, 2), again = Tensor::full(weight.device(), Shape{3}, 2);
    const Tensor constant = ops::mul(ops::sqrt(two), ops::sqrt(again));
    weight.set_value(ops::add(weight, constant));
    return ops::sum(weight);
  });
  CHECK(step->calls() == 2);
  step->run();
  CHECK(weight.values() == Floats{3, 4, 5});
}

TEST_CASE("values that are never needed at once share their memory", "[core][plan]") {
  Tensor weight = Tensor::full(device("cpu"), Shape{1000}, 1);
  Carried carried(device("cpu"), {weight});
  const auto memory = [&](int count) {
    return carried
        .record({},
                [&] {
                  Tensor y = weight.detach();
                  for (int i = 0; i < count; ++i) y = ops::mul_scalar(y, 1.5f);
                  return ops::sum(y);
                })
        ->bytes();
  };
  CHECK(memory(3) >= 8000);
  CHECK(memory(50) == memory(3));
}

TEST_CASE("running a step allocates nothing", "[core][plan]") {
  Device& d = device("cpu");
  Tensor weight = vector({1, 2}), x = vector({1, 1});
  Carried carried(d, {weight});
  const auto step = carried.record({x}, [&] {
    weight.set_value(ops::mul(weight, ops::add(weight, x)));
    return ops::sum(weight);
  });
  step->run();
  const Counters before = d.counters();
  for (int i = 0; i < 10; ++i) step->run();
  CHECK(d.counters().allocations == before.allocations);
  CHECK(d.counters().live_buffers == before.live_buffers);
}

TEST_CASE("a step that cannot be recorded says why, and leaves everything as it was", "[core][plan]") {
  Tensor weight = vector({1, 2}), x = vector({3, 4}), stranger = vector({5, 6}), kept;
  Carried carried(device("cpu"), {weight});
  const auto record = [&](const std::function<Tensor()>& step) {
    return code_of([&] { (void)carried.record({x}, step); });
  };
  CHECK(record([&] { return vector({ops::sum(weight).item()}); }) == "plan.values");
  CHECK(record([&] { return ops::add(weight, stranger); }) == "shape.mismatch");
  CHECK(record([&] {
          x.set_value(weight);
          return ops::sum(weight);
        }) == "shape.mismatch");
  CHECK(record([&] {
          kept = ops::sum(weight);
          return kept;
        }) == "plan.outlives");
  kept = Tensor();
  CHECK(weight.values() == Floats{1, 2});
  CHECK(x.values() == Floats{3, 4});
  const auto step = carried.record({x}, [&] { return ops::add(weight, x); });
  step->run();
  CHECK(step->result().values() == Floats{4, 6});
}

}  // namespace
}  // namespace sg::tests

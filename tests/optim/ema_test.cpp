// Moving averages of weights: their values, their exchange with the weights, the guard, and going on from a checkpoint.
#include "optim/ema.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "io/error.h"
#include "ops/ops.h"
#include "tests/ops/compare.h"
#include "tests/ops/devices.h"

namespace sg::tests {
namespace {

using optim::Ema;

using Floats = std::vector<float>;

/// Weights after a step: some numbers that depend on it.
Floats weights(int step) {
  Floats w;
  for (int i = 0; i < 5; ++i) w.push_back(std::sin(static_cast<float>(step * 5 + i)));
  return w;
}

void set(Tensor& w, int step) { w.set_value(Tensor::from(w.device(), w.shape(), weights(step))); }

TEST_CASE("averages follow the weights, quickly at first, and skip refused steps", "[optim]") {
  for (const char* name : {"cpu", "webgl"}) {
    Device& d = device(name);
    Tensor w = Tensor::from(d, Shape{5}, weights(0));
    Ema ema({{"w", w}}, 0.75f);
    const Tensor yes = Tensor::full(d, Shape{}, 1), no = Tensor::full(d, Shape{}, 0);
    std::vector<double> want;
    for (const float x : weights(0)) want.push_back(double{x});
    for (int step = 1; step <= 40; ++step) {
      set(w, step);
      const bool applied = step % 5 != 0;
      ema.update(applied ? yes : no, step);
      const double decay = std::min(0.75, (1.0 + step) / (10.0 + step));
      const Floats now = weights(step);
      for (size_t i = 0; applied && i < want.size(); ++i) want[i] = decay * want[i] + (1 - decay) * double{now[i]};
      CHECK(difference(ema.state()[0].value.values(), want, 1e-5, 0.1) == "");
    }
  }
}

TEST_CASE("a refused step's NaN does not reach an average", "[optim]") {
  for (const char* name : {"cpu", "webgl"}) {
    Device& d = device(name);
    Tensor w = Tensor::from(d, Shape{5}, weights(0));
    Ema ema({{"w", w}}, 0.5f);
    w.set_value(Tensor::full(d, Shape{5}, NAN));
    ema.update(Tensor::full(d, Shape{}, 0), 1);
    CHECK(ema.state()[0].value.values() == weights(0));
  }
}

TEST_CASE("averages stand in for the weights while they are exchanged, and come back", "[optim]") {
  Device& d = device("cpu");
  Tensor w = Tensor::from(d, Shape{5}, weights(0));
  Ema ema({{"w", w}, {"tied", w}}, 0.5f);
  const Tensor yes = Tensor::full(d, Shape{}, 1);
  set(w, 1);
  ema.update(yes, 100);
  REQUIRE(ema.state().size() == 1);
  CHECK(ema.state()[0].name == "ema.w");
  const Floats average = ema.state()[0].value.values();
  {
    const optim::Averaged averaged(ema);
    CHECK(ema.swapped());
    CHECK(w.values() == average);
    CHECK(ema.state()[0].value.values() == average);
    CHECK_THROWS_WITH(ema.update(yes, 2), Catch::Contains("swap"));
  }
  CHECK_FALSE(ema.swapped());
  CHECK(w.values() == weights(1));
  CHECK(ema.state()[0].value.values() == average);
  CHECK_THROWS_WITH(Ema({{"w", w}}, 1), Catch::Contains("decay"));
}

TEST_CASE("averages keep their identity through steps and exchanges, and a step's floats give what its number gives",
          "[optim]") {
  for (const char* name : {"cpu", "webgl"}) {
    Device& d = device(name);
    Tensor w = Tensor::from(d, Shape{5}, weights(0));
    Ema numbered({{"w", w}}, 0.75f), filled({{"w", w}}, 0.75f);
    const Tensor yes = Tensor::full(d, Shape{}, 1), average = filled.state()[0].value;
    for (int step = 1; step <= 30; ++step) {
      set(w, step);
      numbered.update(yes, step);
      StepValues values;
      filled.begin_step(step, values);
      filled.update(yes, Tensor::from(d, {StepValues::kCount}, values.floats()));
      CHECK(average.values() == numbered.state()[0].value.values());
      if (step % 10 == 0) const optim::Averaged exchanged(filled);
      CHECK(filled.state()[0].value.id() == average.id());
    }
    CHECK(average.values() != weights(0));
  }
}

TEST_CASE("averages go on from a checkpoint bit for bit", "[optim]") {
  Device& d = device("cpu");
  Tensor w = Tensor::from(d, Shape{5}, weights(0)), other = Tensor::from(d, Shape{5}, weights(7));
  Ema whole({{"w", w}}, 0.9f);
  const Tensor yes = Tensor::full(d, Shape{}, 1);
  const auto advance = [&](Ema& ema, Tensor& tensor, int step) {
    set(tensor, step);
    ema.update(yes, step);
  };
  for (int step = 1; step <= 5; ++step) advance(whole, w, step);
  Ema resumed({{"w", other}}, 0.9f);
  resumed.load([&](const std::string& name, Tensor& tensor) {
    CHECK(name == "ema.w");
    tensor.set_value(whole.state()[0].value);
  });
  for (int step = 6; step <= 9; ++step) {
    advance(whole, w, step);
    advance(resumed, other, step);
    CHECK(whole.state()[0].value.values() == resumed.state()[0].value.values());
  }
}

}  // namespace
}  // namespace sg::tests

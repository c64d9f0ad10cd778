// The same on the real graphics device: its context is taken away before, within and after steps, and the run's numbers
// stay those of the undisturbed one, bit for bit while a GPU goes on.
#include <catch2/catch.hpp>
#include <set>

#include "tests/train/runs.h"
#include "train/recovery.h"
#include "webgl/webgl_device.h"

using namespace sg;
using namespace sg::test;

namespace {

struct Lab {
  int gpus = 0, cpus = 0;
  bool available = true;
  std::shared_ptr<double> time = std::make_shared<double>(0);

  train::Devices devices() {
    return {[this](const std::string& name) -> std::unique_ptr<Device> {
              if (name == "cpu") return ++cpus, make_cpu_device();
              if (!available && gpus > 0) throw Error("webgl.unavailable", "the browser gives no context");
              return ++gpus, make_webgl_device();
            },
            [] { return train::Gpu{}; }};
  }
  train::RecoveryPolicy policy() {
    return {.steps = 3, .seconds = 1e9, .again_within = 120, .now = [t = time] { return *t; }};
  }
};

/// A driver as run_to_end, which calls `before` with the number of each call and what it is about to do.
Curve run(Lab& lab, const std::function<void(int, const std::string&)>& before) {
  const train::TrainConfig config = small_config({{"device", "webgl"}, {"patience", 1}, {"ema", 0.9}});
  train::Session session(lab.devices(), "webgl", wave_data(), config, nullptr, lab.policy());
  Curve curve;
  int calls = 0;
  const auto about_to = [&](const std::string& what) { before(calls++, what); };
  while (!session.finished()) {
    if (calls > 100'000) throw Error("test", "the run does not end");
    about_to("step");
    session.step(2);
    collect(session, curve);
    if (!session.epoch_done()) continue;
    do about_to("validate");
    while (!session.validate(16));
    curve.validation.push_back(session.validation().loss);
    about_to("next epoch");
    session.next_epoch();
    collect(session, curve);
  }
  about_to("predict");
  for (const float f : session.predict(0, 3).forecast) curve.validation.push_back(static_cast<double>(f));
  about_to("copy");
  curve.end = session.copy();
  collect(session, curve);
  return curve;
}

void check_equal(const Curve& a, const Curve& b) {
  CHECK(a.losses == b.losses);
  CHECK(a.validation == b.validation);
  CHECK(same(a.end.tensors, b.end.tensors));
  CHECK(same(a.end.best, b.end.best));
  CHECK(a.end.state.to_json() == b.end.state.to_json());
}

}  // namespace

TEST_CASE("a WebGL context lost before any call, or in its read-back, leaves the run's curve as it is",
          "[train][webgl]") {
  Lab still;
  std::vector<std::string> calls;
  const Curve undisturbed = run(still, [&](int, const std::string& what) { calls.push_back(what); });
  REQUIRE(undisturbed.losses.size() >= 10);
  // Every kind of call, in both ways; of the many steps some.
  const int every = std::max(1, static_cast<int>(calls.size()) / 12);
  std::set<std::string> done;
  for (int at = 0; at < static_cast<int>(calls.size()); ++at) {
    const std::string& what = calls[static_cast<size_t>(at)];
    if (!done.insert(what).second && at % every != 0) continue;
    for (const Loss when : {Loss::now, Loss::at_next_read}) {
      INFO("lost " << (when == Loss::now ? "before" : "in the next read-back of") << " call " << at << ", " << what);
      Lab lab;
      const Curve curve = run(lab, [&](int call, const std::string&) {
        if (call == at) lose_webgl_context(when);
      });
      check_equal(curve, undisturbed);
      CHECK(lab.cpus == 0);
      CHECK(lab.gpus <= 2);
      if (when == Loss::now && what == "step") CHECK(curve.has_notice("device.lost"));
    }
  }
  CHECK(done.size() >= 4);
}

TEST_CASE("lost twice, or with no other to be had, a WebGL context gives way to the cpu, and the run goes on",
          "[train][webgl]") {
  Lab still;
  const Curve undisturbed = run(still, [](int, const std::string&) {});
  for (const bool available : {true, false}) {
    Lab lab{.available = available};
    const Curve curve = run(lab, [&](int call, const std::string&) {
      if (call == 5 || (available && call == 7)) lose_webgl_context();
    });
    CHECK(lab.cpus == 1);
    CHECK(curve.has_notice("device.taken_over", available ? "lost twice" : "the browser gives no context"));
    REQUIRE(curve.losses.size() == undisturbed.losses.size());
    for (size_t i = 0; i < curve.losses.size(); ++i) {
      CHECK(curve.losses[i].first == undisturbed.losses[i].first);
      CHECK(curve.losses[i].second == Approx(undisturbed.losses[i].second).margin(1e-4));
    }
  }
  Lab patient;
  const Curve curve = run(patient, [&](int call, const std::string&) {
    if (call != 5 && call != 9) return;
    *patient.time += 121;
    lose_webgl_context();
  });
  check_equal(curve, undisturbed);
  CHECK(patient.gpus == 3);
  CHECK(patient.cpus == 0);
}

TEST_CASE("on the graphics device too a refused step leaves the bits of before it", "[train][webgl]") {
  const train::TrainConfig config = small_config({{"device", "webgl"},
                                                  {"optimizer", "sgd"},
                                                  {"momentum", 0.9999},
                                                  {"learningRate", 10},
                                                  {"clipNorm", 0},
                                                  {"weightDecay", 10},
                                                  {"epochs", 1000}});
  const auto advance = [](train::Session& session, int64_t until) {
    while (session.state().step < until) {
      session.step(1);
      if (session.epoch_done()) session.next_epoch();
    }
    while (session.pending() > 0) session.step(0);
  };
  Lab lab;
  train::Session session(lab.devices(), "webgl", wave_data(), config, nullptr, lab.policy());
  std::string message;
  try {
    advance(session, 5000);
  } catch (const Error& e) {
    REQUIRE(e.code() == "train.diverged");
    message = e.what();
  }
  INFO(message);
  CHECK(message.find("layer 'head'") != std::string::npos);
  const train::Copy held = session.copy();
  REQUIRE(held.state.step > 3);
  train::Session other(lab.devices(), "webgl", wave_data(), config, nullptr, lab.policy());
  advance(other, held.state.step);
  CHECK(same(other.copy().tensors, held.tensors));
  CHECK(other.state().to_json() == held.state.to_json());
}

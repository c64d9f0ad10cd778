// A whole run through the door that the extension uses: create, train, validate, predict, save, restore.
#include <catch2/catch.hpp>
#include <cmath>

#include "io/safetensors.h"
#include "tests/bindings/module.h"
#include "tests/train/series.h"
#include "webgl/webgl_device.h"

using namespace sg::test;

TEST_CASE("a run learns the wave and beats both baselines", "[bindings]") {
  const int dataset = open_dataset(wave_csv(600));
  const json created = reply(sg_session_create(dataset, config("cpu", 8).dump().c_str()));
  INFO(created.dump());
  REQUIRE(created["ok"]);
  CHECK(created["device"] == "cpu");
  CHECK(created["season"] == 24);
  CHECK(created["parameters"] == 4 * 8 * 2 + 4 * 8 * 8 + 2 * 4 * 8 + 3 * 8 + 3);
  const int session = created["session"];
  const auto losses = train(session, 1000000);
  CHECK(losses.size() == 8 * created["stepsPerEpoch"].get<size_t>());
  json v = reply(sg_session_validate(session));
  while (!v["done"]) v = reply(sg_session_validate(session));
  INFO(v.dump());
  CHECK(v["loss"] < v["baselines"]["naiveLoss"]);
  CHECK(v["loss"] < 0.1);
  CHECK(v["scaled"]["mse"].get<double>() == Approx(v["loss"].get<double>()).epsilon(1e-4));

  const auto bytes = checkpoint(session);
  const sg::SafetensorsFile file(bytes);
  CHECK(json::parse(file.value("state"))["validationLoss"] == v["loss"]);  // what a list of checkpoints shows

  const json p = reply(sg_session_predict(session, 3, 5));
  REQUIRE(p["ok"]);
  CHECK(p["forecast"].size() == 5);
  CHECK(p["forecast"][0].size() == 3);
  double error = 0;
  for (int i = 0; i < 5; ++i) error += std::abs(p["forecast"][i][0].get<double>() - p["truth"][i][0].get<double>()) / 5;
  CHECK(error < 0.7);  // in the data's own units, of a wave of amplitude 2 around 5
  CHECK(p["truth"][0][0].get<double>() > 2.5);
  sg_session_close(session);
  sg_dataset_close(dataset);
}

TEST_CASE("a run resumed on the cpu is bit-equal to one that never stopped, at any step", "[bindings]") {
  const int dataset = open_dataset(wave_csv(300));
  const std::string text = config("cpu", 3).dump();
  for (const int stop : {0, 1, 7, 14, 15, 20, 31}) {
    const int straight = reply(sg_session_create(dataset, text.c_str()))["session"];
    const int stopped = reply(sg_session_create(dataset, text.c_str()))["session"];
    const auto all = train(straight, 1000);
    const auto before = train(stopped, stop);
    const auto bytes = checkpoint(stopped);
    const json restored = reply(sg_session_restore(dataset, bytes.data(), static_cast<uint32_t>(bytes.size()), "{}"));
    INFO(stop << " " << restored.dump());
    REQUIRE(restored["ok"]);
    CHECK(restored["notice"].is_null());
    CHECK(restored["history"]["epochs"].size() == 2);
    CHECK(restored["state"]["step"] == stop);
    const int resumed = restored["session"];
    auto joined = before;
    const auto after = train(resumed, 1000);
    joined.insert(joined.end(), after.begin(), after.end());
    CHECK(joined == all);
    CHECK(checkpoint(resumed) == checkpoint(straight));
    for (const int s : {straight, stopped, resumed}) sg_session_close(s);
  }
  sg_dataset_close(dataset);
}

TEST_CASE("a run goes on for more epochs when the checkpoint is restored with more", "[bindings]") {
  const int dataset = open_dataset(wave_csv(300));
  const int first = reply(sg_session_create(dataset, config("cpu", 1).dump().c_str()))["session"];
  train(first, 1000);
  const json state = reply(sg_session_step(first, 0));
  REQUIRE(state["finished"]);
  const auto bytes = checkpoint(first);
  const json r = reply(
      sg_session_restore(dataset, bytes.data(), static_cast<uint32_t>(bytes.size()), R"({"training": {"epochs": 2}})"));
  REQUIRE(r["ok"]);
  CHECK(r["state"]["epoch"] == 1);
  CHECK_FALSE(r["state"]["finished"]);
  const auto more = train(r["session"], 1000);
  CHECK(more.size() == r["stepsPerEpoch"].get<size_t>());
  CHECK(more.front().first == state["step"].get<int64_t>() + 1);
  sg_session_close(first);
  sg_session_close(r["session"]);
  sg_dataset_close(dataset);
}

TEST_CASE("a checkpoint meets other data: changed rows are said, a missing column refused, damage detected",
          "[bindings]") {
  const int dataset = open_dataset(wave_csv(300)), longer = open_dataset(wave_csv(320)),
            other = open_dataset("a,b\n1,2\n3,4\n5,6\n");
  const int session = reply(sg_session_create(dataset, config().dump().c_str()))["session"];
  train(session, 5);
  auto bytes = checkpoint(session);
  const auto restore = [&](int data) {
    return reply(sg_session_restore(data, bytes.data(), static_cast<uint32_t>(bytes.size()), "{}"));
  };
  const json changed = restore(longer);
  REQUIRE(changed["ok"]);
  CHECK(changed["notice"].get<std::string>().find("300 rows then, 320 now") != std::string::npos);
  CHECK(changed["state"]["stepInEpoch"] == 0);
  CHECK(changed["state"]["step"] == 5);
  const json missing = restore(other);
  CHECK_FALSE(missing["ok"]);
  CHECK(missing["message"].get<std::string>().find("load") != std::string::npos);
  bytes[bytes.size() / 2] ^= 1;
  CHECK(restore(dataset)["code"] == "checkpoint.corrupt");
  sg_session_close(session);
  sg_session_close(changed["session"]);
  for (const int d : {dataset, longer, other}) sg_dataset_close(d);
}

TEST_CASE("the webgl device trains to the cpu's losses within 1e-4 over 20 steps, with draws", "[bindings][webgl]") {
  const int dataset = open_dataset(wave_csv(300));
  const json created = reply(sg_session_create(dataset, config("webgl").dump().c_str()));
  INFO(created.dump());
  REQUIRE(created["ok"]);
  const int gpu = created["session"], cpu = reply(sg_session_create(dataset, config("cpu").dump().c_str()))["session"];
  const auto a = train(cpu, 20), b = train(gpu, 20);
  REQUIRE(a.size() == 20);
  REQUIRE(b.size() == 20);
  for (size_t i = 0; i < a.size(); ++i) CHECK(b[i].second == Approx(a[i].second).margin(1e-4));
  CHECK(reply(sg_session_counters(gpu))["draws"] > 0);
  CHECK(reply(sg_session_counters(cpu))["draws"] == 0);
  sg_session_close(gpu);
  sg_session_close(cpu);
  sg_dataset_close(dataset);
}

TEST_CASE("a graphics device that is lost is told with the next reply, and one that is lost again gives way to the cpu",
          "[bindings][webgl]") {
  const int dataset = open_dataset(wave_csv(300));
  const std::string text = config("webgl").dump();
  const int session = reply(sg_session_create(dataset, text.c_str()))["session"];
  const int undisturbed = reply(sg_session_create(dataset, text.c_str()))["session"];
  const auto expected = train(undisturbed, 8);
  const auto first = train(session, 4);
  sg::lose_webgl_context();
  json state = reply(sg_session_step(session, 1));
  INFO(state.dump());
  REQUIRE(state["ok"]);
  CHECK(state["notices"][0]["code"] == "device.lost");
  CHECK(state["device"] == "webgl");
  sg::lose_webgl_context();
  state = reply(sg_session_step(session, 1));
  INFO(state.dump());
  CHECK(state["notices"][0]["code"] == "device.taken_over");
  CHECK(state["device"] == "cpu");
  CHECK(state["gradientNorm"] > 0);
  const json validated = reply(sg_session_validate(undisturbed));  // its context was lost as well
  CHECK(validated["ok"]);
  sg_session_close(session);
  sg_session_close(undisturbed);
  REQUIRE(expected.size() == 8);
  for (size_t i = 0; i < first.size(); ++i) CHECK(first[i] == expected[i]);
  sg_dataset_close(dataset);
}

TEST_CASE("a steady step allocates no new buffer", "[bindings]") {
  const int dataset = open_dataset(wave_csv(300));
  const int session = reply(sg_session_create(dataset, config().dump().c_str()))["session"];
  train(session, 4);
  const json before = reply(sg_session_counters(session));
  train(session, 5);
  const json after = reply(sg_session_counters(session));
  CHECK(after["allocations"] == before["allocations"]);
  CHECK(after["liveBuffers"] == before["liveBuffers"]);
  CHECK(after["kernels"] > before["kernels"]);
  sg_session_close(session);
  sg_dataset_close(dataset);
}

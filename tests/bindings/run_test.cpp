// A run's way to its device: through a race where there are two, turn by turn, and never again after that.
#include "bindings/run.h"

#include <catch2/catch.hpp>

#include "cpu/cpu_device.h"
#include "io/safetensors.h"
#include "tests/bindings/module.h"
#include "tests/train/losable_device.h"
#include "tests/train/series.h"

using namespace sg;
using namespace sg::test;

namespace {

bindings::Run start(const train::Devices& devices, const char* device) {
  const Table table = read_csv(std::string_view(wave_csv(300)));
  return bindings::start_run(devices, {table, "wave.csv"}, train::TrainConfig::from_json(config(device)));
}

std::vector<uint8_t> saved(bindings::Run& run) {
  return train::save_checkpoint(*run.session, run.dataset_name, "null", bindings::stored_choice(run));
}

bindings::Run resume(const train::Devices& devices, const std::vector<uint8_t>& bytes,
                     const json& patch = json::object()) {
  const Table table = read_csv(std::string_view(wave_csv(300)));
  return bindings::resume_run(devices, {table, "wave.csv"}, train::read_checkpoint(bytes), patch);
}

/// Losses of so many steps; those of a device that answers late are waited for.
std::vector<std::pair<int64_t, float>> steps(bindings::Run& run, int count) {
  while (run.session->state().step < count || run.session->pending() > 0)
    run.session->step(run.session->state().step < count ? 1 : 0);
  return run.session->take_recent();
}

const train::Devices no_card{[](const std::string& name) -> std::unique_ptr<Device> {
                               if (name != "cpu") throw Error("webgl.unavailable", "there is none");
                               return make_cpu_device();
                             },
                             [] {
                               return train::Gpu{false, false, "", "WebGL2 is switched off"};
                             }};

}  // namespace

TEST_CASE("a run that is left to choose races turn by turn, then starts at step 0 as a forced one does",
          "[bindings][race]") {
  Farm farm;
  bindings::Run run = start(farm.devices(), "auto");
  REQUIRE(run.race);
  CHECK(session_json(run)["racing"] < 0.5);
  int turns = 0;
  while (run.race) {
    bindings::race(run);
    REQUIRE(++turns < 1'000'000);
  }
  CHECK(turns > 3);
  const json told = session_json(run);
  CHECK(told["racing"].is_null());
  CHECK(told["choice"]["how"] == "raced");
  CHECK(told["choice"]["detail"] == "A losable card");
  CHECK(told["choice"]["device"] == told["device"]);
  CHECK(told["choice"]["cpu"]["steps"] > 0);
  CHECK(told["choice"]["webgl"]["ms"] > 0);
  CHECK(told["state"]["step"] == 0);
  CHECK(told["config"]["training"]["device"] == "auto");

  bindings::Run forced = start(farm.devices(), told["device"].get<std::string>().c_str());
  CHECK_FALSE(forced.race);
  CHECK(session_json(forced)["choice"]["how"] == "forced");
  CHECK(steps(run, 12) == steps(forced, 12));
}

TEST_CASE("a resumed run is on the device that its checkpoint names, without a race", "[bindings][race]") {
  Farm farm;
  bindings::Run run = start(farm.devices(), "auto");
  while (run.race) bindings::race(run);
  steps(run, 3);
  for (const char* device : {"cpu", "webgl"}) {
    run.choice.device = device;  // whichever has won
    const std::vector<uint8_t> bytes = train::save_checkpoint(*run.session, "wave.csv", "null", run.choice);
    const bindings::Run resumed = resume(farm.devices(), bytes);
    CHECK_FALSE(resumed.race);
    CHECK(resumed.session->device().name() == device);
    CHECK(resumed.choice.how == train::How::resumed);
    CHECK(resumed.choice.cpu->steps == run.choice.cpu->steps);
  }
}

TEST_CASE("a checkpoint of a graphics card goes on on the cpu of a machine without one, and says so",
          "[bindings][race]") {
  Farm farm;
  bindings::Run run = start(farm.devices(), "webgl");
  const auto losses = steps(run, 3);
  bindings::Run resumed = resume(no_card, saved(run));
  const json told = session_json(resumed);
  CHECK(told["device"] == "cpu");
  CHECK(told["choice"]["how"] == "moved");
  CHECK(told["state"]["step"] == 3);
  REQUIRE(told["state"]["notices"].size() == 1);
  CHECK(told["state"]["notices"][0]["code"] == "device.moved");
  CHECK(told["state"]["notices"][0]["message"].get<std::string>().find("WebGL2 is switched off") != std::string::npos);
  CHECK(session_json(resumed)["state"]["notices"].empty());  // once
  CHECK(steps(resumed, 5).size() == 2);
  // It is not forgotten where it came from.
  CHECK(resume(farm.devices(), saved(resumed)).session->device().name() == "webgl");
  // Who asks for the graphics card where there is none is refused.
  CHECK_THROWS_WITH(resume(no_card, saved(run), {{"training", {{"device", "webgl"}}}}),
                    Catch::Contains("there is none"));
}

TEST_CASE("a run whose graphics card was lost for good is stored with the device that took over", "[bindings][race]") {
  Farm farm;
  farm.lives = {400};
  farm.available = false;
  bindings::Run run = start(farm.devices(), "webgl");
  while (run.session->device().name() == "webgl") run.session->step(1);
  steps(run, static_cast<int>(run.session->state().step) + 1);
  const std::vector<uint8_t> bytes = saved(run);
  const train::Choice stored = *train::read_checkpoint(bytes).choice;
  CHECK(stored.device == "cpu");
  CHECK(stored.how == train::How::lost);
  CHECK(resume(Farm().devices(), saved(run)).session->device().name() == "cpu");
}

TEST_CASE("how hard a run works is changed while it runs, and is refused by name", "[bindings]") {
  const int dataset = open_dataset(wave_csv(300));
  const int session = reply(sg_session_create(dataset, config().dump().c_str()))["session"];
  CHECK(reply(sg_session_step(session, 1))["duty"] == 1);
  const json polite = reply(sg_session_set_effort(session, "background"));
  REQUIRE(polite["ok"]);
  CHECK(polite["duty"] < 1);
  CHECK(polite["peakBytes"] > 0);
  const json odd = reply(sg_session_set_effort(session, "very hard"));
  CHECK(odd["code"] == "config.bad_field");
  CHECK(odd["message"].get<std::string>().find("training.effort") != std::string::npos);
  CHECK(reply(sg_session_race(session))["racing"].is_null());
  sg_session_close(session);
  sg_dataset_close(dataset);
}

// Which device a run goes on without a race: forced, none other, or the one that it was on.
#include "train/choice.h"

#include <catch2/catch.hpp>

#include "tests/train/runs.h"
#include "train/checkpoint.h"

using namespace sg;
using train::Choice;
using train::How;

namespace {

train::Devices with_gpu(const train::Gpu& gpu) {
  return {[](const std::string&) { return make_cpu_device(); }, [=] { return gpu; }};
}

const train::Devices card = with_gpu({true, false, "A real card", ""});
const train::Devices emulated = with_gpu({true, true, "SwiftShader", ""});
const train::Devices none = with_gpu({false, false, "", "WebGL2 is switched off"});

train::TrainConfig config_for(const char* device) { return test::small_config({{"device", device}}); }

}  // namespace

TEST_CASE("there is no race for a forced device, a software renderer or no graphics card, and the reason is kept",
          "[race]") {
  CHECK_FALSE(choose_without_race(card, config_for("auto")));
  const auto software = choose_without_race(emulated, config_for("auto"));
  REQUIRE(software);
  CHECK(software->device == "cpu");
  CHECK(software->how == How::software);
  CHECK(software->detail == "SwiftShader");
  const auto no_gpu = choose_without_race(none, config_for("auto"));
  REQUIRE(no_gpu);
  CHECK(no_gpu->how == How::no_gpu);
  CHECK(no_gpu->detail == "WebGL2 is switched off");
  for (const char* device : {"cpu", "webgl"}) {
    const auto forced = choose_without_race(emulated, config_for(device));
    REQUIRE(forced);
    CHECK(forced->device == device);
    CHECK(forced->how == How::forced);
  }
}

TEST_CASE("a resumed run goes on on its device, or on the cpu where that is not to be had", "[race]") {
  const Choice won{"webgl", How::raced, "A real card", train::Timing{9, 40, 1}, train::Timing{3, 60, 250}};
  const Choice here = choose_for_resume(card, config_for("auto"), won);
  CHECK(here.device == "webgl");
  CHECK(here.how == How::resumed);
  CHECK(here.webgl->ms == 3);
  const Choice moved = choose_for_resume(none, config_for("auto"), won);
  CHECK(moved.device == "cpu");
  CHECK(moved.how == How::moved);
  CHECK(moved.detail == "WebGL2 is switched off");
  CHECK(choose_for_resume(none, config_for("webgl"), won).device == "cpu");
  CHECK(choose_for_resume(emulated, config_for("auto"), won).device == "cpu");
  CHECK(choose_for_resume(emulated, config_for("webgl"), won).device == "webgl");  // a person wanted it
  // The processor has taken over for good, whatever was wanted at the start.
  CHECK(choose_for_resume(card, config_for("webgl"), Choice{"cpu", How::lost, "", {}, {}}).device == "cpu");
  // Nothing stored: of an earlier version.
  CHECK(choose_for_resume(card, config_for("auto"), std::nullopt).device == "cpu");
  CHECK(choose_for_resume(card, config_for("webgl"), std::nullopt).device == "webgl");
}

TEST_CASE("a checkpoint holds how its run came to its device", "[race]") {
  const ForecastData data = test::wave_data();
  train::Session session(test::cpu_devices(), "cpu", data, config_for("auto"));
  const Choice won{"cpu", How::raced, "A real card", train::Timing{2.5, 40, 1}, train::Timing{9, 60, 250}};
  const auto bytes = train::save_checkpoint(session, "wave.csv", "null", won);
  const auto read = train::read_checkpoint(bytes).choice;
  REQUIRE(read);
  CHECK(read->to_json() == won.to_json());
  CHECK(read->cpu->ms == 2.5);
  for (const char* text : {R"({"device": "abacus"})", R"({"device": "cpu", "how": "by magic"})", "[]"}) {
    nlohmann::json broken = won.to_json();
    if (nlohmann::json::parse(text).is_array())
      broken = nlohmann::json::array();
    else
      broken.merge_patch(nlohmann::json::parse(text));
    CHECK_THROWS_WITH(Choice::from_json(broken), Catch::Contains("the checkpoint's device"));
  }
}

TEST_CASE("how hard a run works changes none of its numbers, whenever it is changed", "[race]") {
  const ForecastData data = test::wave_data();
  train::Session full(test::cpu_devices(), "cpu", data, test::small_config());
  train::Session polite(test::cpu_devices(), "cpu", data, test::small_config({{"effort", "background"}}));
  const test::Curve a = test::run_to_end(full), b = test::run_to_end(polite);
  CHECK(a.losses == b.losses);
  CHECK(a.validation == b.validation);
  CHECK(test::same(a.end.tensors, b.end.tensors));
  CHECK(polite.config().effort == train::Effort::background);
}

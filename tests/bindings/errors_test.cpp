// What a person can get wrong comes back as a code and a sentence, and the module lives on.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/bindings/module.h"
#include "tests/train/series.h"
#include "train/config.h"

using namespace sg::test;

namespace {

void check_error(const json& r, const std::string& code, const std::vector<std::string>& parts) {
  INFO(r.dump());
  REQUIRE_FALSE(r["ok"].get<bool>());
  CHECK(r["code"] == code);
  for (const std::string& part : parts) CHECK(r["message"].get<std::string>().find(part) != std::string::npos);
}

json create(int dataset, const json& patch) {
  json c = config();
  c.merge_patch(patch);
  return reply(sg_session_create(dataset, c.dump().c_str()));
}

}  // namespace

TEST_CASE("a wrong configuration is refused by field, value and limits", "[bindings]") {
  const int d = open_dataset(wave_csv(200));
  check_error(create(d, {{"training", {{"batchSize", 0}}}}), "config.bad_field",
              {"training.batchSize", "0", "from 1 to 4096"});
  check_error(create(d, {{"training", {{"batchSize", 2.5}}}}), "config.bad_field", {"training.batchSize", "whole"});
  check_error(create(d, {{"training", {{"optimizer", "adamax"}}}}), "config.bad_field",
              {"training.optimizer", "adamax", "adamw"});
  check_error(create(d, {{"training", {{"epoch", 3}}}}), "config.bad_field", {"training.epoch"});
  check_error(create(d, {{"model", {{"hidden", 1e9}}}}), "config.bad_field", {"model.hidden", "1024"});
  check_error(create(d, {{"model", {{"heads", 2}}}}), "config.bad_field", {"lstm", "heads"});
  check_error(create(d, {{"model", {{"name", "gpt"}}}}), "config.unknown_model", {"gpt", "lstm"});
  check_error(create(d, {{"data", {{"target", "nope"}}}}), "table.no_such_column", {"nope", "load", "temperature"});
  check_error(create(d, {{"data", {{"target", ""}}}}), "config.bad_field", {"data.target"});
  check_error(create(d, {{"data", {{"lookBack", 500}}}}), "forecast.too_few_rows", {"200"});
  check_error(reply(sg_session_create(d, "[1")), "config.bad_json", {});
  sg_dataset_close(d);
}

TEST_CASE("a text target, a category target and a target with gaps are answered with what to do", "[bindings]") {
  std::string csv = "day,city,note,load\n";
  for (int i = 0; i < 60; ++i)
    csv += std::to_string(i) + "," + (i % 2 ? "Rome" : "Oslo") + ",\"note " + std::to_string(i * 7919 % 61) + "\"," +
           (i % 8 == 7 ? "" : std::to_string(i % 5)) + "\n";
  const int d = open_dataset(csv);
  json patch = {{"data", {{"features", {"load"}}, {"target", "city"}, {"lookBack", 4}, {"horizon", 1}}}};
  check_error(create(d, patch), "forecast.not_numeric", {"city", "load"});
  patch["data"]["target"] = "note";
  check_error(create(d, patch), "forecast.not_numeric", {"note"});
  patch["data"]["target"] = "load";
  const json created = create(d, patch);
  INFO(created.dump());
  REQUIRE(created["ok"]);
  CHECK(created["skippedWindows"] > 0);
  patch["data"]["lookBack"] = 12;
  check_error(create(d, patch), "forecast.gaps", {"load", "line 9"});
  sg_session_close(created["session"]);
  sg_dataset_close(d);
}

TEST_CASE("an empty file, unknown handles and unfinished data are errors, not crashes", "[bindings]") {
  json finished;
  CHECK(open_dataset("", &finished) == -1);
  check_error(finished, "csv.empty", {});
  check_error(reply(sg_session_step(4711, 1)), "handle.unknown", {"4711"});
  check_error(reply(sg_dataset_feed(4711, nullptr, 0)), "handle.unknown", {"4711"});
  const int open = reply(sg_dataset_open("{}"))["dataset"];
  check_error(reply(sg_session_create(open, config().dump().c_str())), "dataset.unfinished", {});
  sg_dataset_close(open);
}

TEST_CASE(
    "a learning rate that is too high ends in a named divergence, and what was reached before it can be saved and goes "
    "on",
    "[bindings]") {
  const int d = open_dataset(wave_csv(200));
  const json c = create(d, {{"training",
                             {{"learningRate", 10},
                              {"optimizer", "sgd"},
                              {"momentum", 0.9999},
                              {"clipNorm", 0},
                              {"epochs", 200},
                              {"weightDecay", 10}}}});
  REQUIRE(c["ok"]);
  const int session = c["session"];
  json state = c["state"];
  for (int i = 0; i < 3000 && state.value("ok", true); ++i) {
    if (state["epochDone"]) reply(sg_session_next_epoch(session));
    state = reply(sg_session_step(session, 1));
  }
  check_error(state, "train.diverged", {"step", "layer 'head'", "learning rate"});
  const json there = reply(sg_session_step(session, 0));
  REQUIRE(there["ok"]);
  CHECK(there["pending"] == 0);
  check_error(reply(sg_session_step(session, 1)), "train.diverged", {"learning rate"});
  const auto bytes = checkpoint(session);
  const json restored =
      reply(sg_session_restore(d, bytes.data(), static_cast<uint32_t>(bytes.size()),
                               R"({"training": {"learningRate": 1e-8, "weightDecay": 0, "momentum": 0}})"));
  INFO(restored.dump());
  REQUIRE(restored["ok"]);
  CHECK(restored["state"]["step"] == there["step"]);
  sg_session_close(restored["session"]);
  sg_session_close(session);
  sg_dataset_close(d);
}

TEST_CASE("the models and the configuration describe themselves for the form", "[bindings]") {
  const json d = reply(sg_describe());
  REQUIRE(d["ok"]);
  CHECK(d["settings"] == sg::train::TrainConfig::describe());
  for (const json& model : d["models"]) {
    CHECK_FALSE(model["help"].get<std::string>().empty());
    for (const json& f : model["fields"]) {
      if (f["type"] == "bool") {
        CHECK(f["default"].is_boolean());
      } else if (f["type"] == "choice") {
        const auto choices = f["choices"].get<std::vector<std::string>>();
        CHECK(std::count(choices.begin(), choices.end(), f["default"].get<std::string>()) == 1);
      } else {
        CHECK(f["default"] >= f["min"]);
        CHECK(f["default"] <= f["max"]);
      }
      CHECK_FALSE(f["help"].get<std::string>().empty());
    }
  }
}

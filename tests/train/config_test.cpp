// The configuration and what it says of itself: the form in the pages is made from that.
#include "train/config.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <set>

using nlohmann::json;
using sg::train::TrainConfig;

namespace {

json field(const std::string& name) {
  for (const json& f : TrainConfig::describe())
    if (f["name"] == name) return f;
  throw std::runtime_error("no field " + name);
}

TrainConfig with(const json& training) { return TrainConfig::from_json({{"training", training}}); }

}  // namespace

TEST_CASE("every field describes itself, with the default that an empty configuration has", "[train]") {
  const json filled = TrainConfig::from_json(json::object()).to_json();
  std::set<std::string> names;
  size_t written = 0;
  for (const json& f : TrainConfig::describe()) {
    INFO(f.dump());
    const std::string group = f["group"], name = f["name"], type = f["type"];
    const std::set<std::string> decided = names;
    CHECK(names.insert(name).second);  // the form has one list of them
    CHECK(filled[group][name] == f["default"]);
    CHECK_FALSE(f["label"].get<std::string>().empty());
    CHECK_FALSE(f["help"].get<std::string>().empty());
    if (type == "int" || type == "float") {
      CHECK(f["default"] >= f["min"]);
      CHECK(f["default"] <= f["max"]);
    }
    if (type == "choice") {
      REQUIRE(f["choices"].size() > 1);
      for (const json& c : f["choices"])
        CHECK(TrainConfig::from_json({{group, {{name, c["value"]}}}}).to_json()[group][name] == c["value"]);
    }
    if (!f["when"].is_null()) {
      const json decider = field(f["when"]["field"]);
      CHECK((decider["type"] == "choice" && decided.count(decider["name"]) == 1));  // known before it
      for (const json& value : f["when"]["is"]) {
        INFO(value);
        bool known = false;
        for (const json& c : decider["choices"]) known = known || c["value"] == value;
        CHECK(known);
      }
    }
    ++written;
  }
  CHECK(written == filled["data"].size() + filled["training"].size());
  CHECK(field("learningRate")["default"].dump() == "0.003");
}

TEST_CASE("a field that is left open has its optimiser's or schedule's own default, as described", "[train]") {
  size_t others = 0;
  for (const json& f : TrainConfig::describe()) {
    if (f["when"].is_null()) continue;
    for (const auto& [choice, value] : f["when"]["initial"].items()) {
      INFO(f["name"] << " " << choice);
      const json filled = with({{f["when"]["field"], choice}}).to_json()["training"][f["name"]];
      if (f["type"] == "bool")
        CHECK(filled == (value != 0));
      else
        CHECK(filled == value);
      ++others;
    }
  }
  CHECK(others >= 6);
  CHECK(with({{"optimizer", "muon"}}).optimizer.momentum == 0.95f);
  CHECK(with({{"optimizer", "muon"}}).optimizer.nesterov);
  CHECK(with({{"optimizer", "muon"}, {"momentum", 0.5}, {"nesterov", false}}).optimizer.momentum == 0.5f);
  CHECK_FALSE(with({{"optimizer", "muon"}, {"nesterov", false}}).optimizer.nesterov);
  CHECK(with({{"optimizer", "adamw"}}).optimizer.weight_decay == 0.01f);
}

TEST_CASE("a configuration read back is the one that was written", "[train]") {
  const json given = {{"model", {{"name", "lstm"}, {"hidden", 7}}},
                      {"data", {{"features", {"a"}}, {"target", "a"}, {"lookBack", 5}, {"validationFraction", 0.3}}},
                      {"training",
                       {{"optimizer", "rmsprop"},
                        {"alpha", 0.9},
                        {"learningRate", 1e-5},
                        {"schedule", "one_cycle"},
                        {"peakAt", 0.4},
                        {"nesterov", true},
                        {"accumulate", 3},
                        {"ema", 0.99},
                        {"patience", 5},
                        {"seed", 9007199254740991}}}};
  const json written = TrainConfig::from_json(given).to_json();
  for (const auto& [group, fields] : given.items())
    for (const auto& [name, value] : fields.items()) CHECK(written[group][name] == value);
  CHECK(TrainConfig::from_json(written).to_json() == written);
}

TEST_CASE("what is wrong is refused by field, value and limits", "[train]") {
  using Catch::Contains;
  CHECK_THROWS_WITH(with({{"ema", 1}}), Contains("training.ema") && Contains("is 1") && Contains("from 0"));
  CHECK_THROWS_WITH(with({{"accumulate", 1.5}}), Contains("training.accumulate must be a whole number"));
  CHECK_THROWS_WITH(with({{"nesterov", 1}}), Contains("training.nesterov must be true or false"));
  CHECK_THROWS_WITH(with({{"schedule", "linear"}}), Contains("is 'linear'") && Contains("one_cycle"));
  CHECK_THROWS_WITH(with({{"optimizer", 3}}), Contains("training.optimizer must be a text"));
  CHECK_THROWS_WITH(with({{"loss", ""}}), Contains("training.loss is ''") && Contains("huber"));
  CHECK_THROWS_WITH(with({{"tempo", 3}}), Contains("training.tempo is not a field"));
}

TEST_CASE("the tests of the pages have the core's own description, as it is", "[train]") {
  const std::string path = SG_SOURCE_DIR "/tests/extension/settings.json";
  const json described = TrainConfig::describe();
  std::ifstream file(path);
  const json stored = json::parse(file, nullptr, false);
  INFO("write to " << path << ":\n" << described.dump(2));
  CHECK((stored == described));
}

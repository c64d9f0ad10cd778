// Tables through the door, from a file to predictions: the task that is found, classes and numbers learnt better than
// by the baselines, evaluation, resuming bit for bit, and rows that come from elsewhere.
#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <sstream>

#include "bindings/evaluation_exports.h"
#include "tests/bindings/flowers.h"

using namespace sg::test;

namespace {

json create(int dataset, const json& config) {
  const json made = reply(sg_session_create(dataset, config.dump().c_str()));
  INFO(made.dump());
  REQUIRE(made["ok"]);
  return made;
}

json validated(int session) {
  for (;;) {
    const json v = reply(sg_session_validate(session));
    if (!v["ok"]) throw std::runtime_error(v.dump());
    if (v["done"]) return v;
  }
}

json evaluated(int session) {
  for (int turns = 0; turns < 100000; ++turns) {
    const json e = reply(sg_session_evaluate(session));
    if (!e["ok"]) throw std::runtime_error(e.dump());
    if (e["done"]) return e["evaluation"];
  }
  throw std::runtime_error("the evaluation has no end");
}

std::string predicted(int session, int dataset, json* last = nullptr) {
  const json opened = reply(sg_prediction_open(session, dataset));
  if (!opened["ok"]) throw std::runtime_error(opened.dump());
  std::string text;
  for (;;) {
    const json turn = reply(sg_prediction_turn(opened["prediction"]));
    if (!turn["ok"]) throw std::runtime_error(turn.dump());
    text += turn["text"].get<std::string>();
    if (last) *last = turn;
    if (turn["done"]) break;
  }
  sg_prediction_close(opened["prediction"]);
  return text;
}

std::vector<std::string> lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> all;
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

}  // namespace

TEST_CASE("a target of categories is classified, better than by a line, and every row is accounted for",
          "[bindings][tables]") {
  const int dataset = open_dataset(flowers(600));
  json config = table_config("kind", 30);
  const json made = create(dataset, config);
  CHECK(made["config"]["data"]["task"] == "classification");
  CHECK(made["trainWindows"].get<int>() + made["validationWindows"].get<int>() == 600);
  const int session = made["session"];
  train(session, 1'000'000);
  const json v = validated(session);
  CHECK(v["mae"].is_null());
  CHECK(v["classes"]["accuracy"] > 0.85);

  const json e = evaluated(session), c = e["classification"];
  INFO(e.dump());
  CHECK(e["task"] == "classification");
  CHECK(c["model"]["accuracy"].get<double>() == Approx(v["classes"]["accuracy"].get<double>()));
  CHECK(c["model"]["logLoss"].get<double>() == Approx(v["loss"].get<double>()).epsilon(1e-4));
  CHECK(c["model"]["logLoss"] < 0.7 * c["logistic"]["logLoss"].get<double>());
  CHECK(c["logistic"]["logLoss"] <= c["majority"]["logLoss"]);
  int counted = 0, right = 0;
  for (size_t t = 0; t < 3; ++t)
    for (size_t p = 0; p < 3; ++p) {
      counted += c["confusion"][t][p].get<int>();
      right += t == p ? c["confusion"][t][p].get<int>() : 0;
    }
  CHECK(counted == made["validationWindows"]);
  CHECK(c["worst"].size() == static_cast<size_t>(std::min(20, counted - right)));
  CHECK(e["importance"].size() == 3);
  for (const json& f : e["importance"]) CHECK(f["growth"] > 0.1);  // all three decide
  sg_session_close(session);
}

TEST_CASE("a target of numbers is a regression where the table has no dates, and a forecast where its model is one",
          "[bindings][tables]") {
  const int dataset = open_dataset(flowers(600));
  json config = table_config("weight", 30);
  config["data"].erase("features");
  config.erase("model");
  const json made = create(dataset, config);
  CHECK(made["config"]["data"]["task"] == "regression");
  CHECK(made["config"]["model"]["name"] == "residual_mlp");
  CHECK(made["config"]["data"]["features"] == json({"length", "width", "soil", "kind"}));
  const int session = made["session"];
  train(session, 1'000'000);
  const json v = validated(session), r = evaluated(session)["regression"];
  INFO(r.dump());
  CHECK(v["r2"] > 0.9);
  CHECK(r["model"]["mae"].get<double>() == Approx(v["mae"].get<double>()));
  CHECK(r["model"]["mae"] < 0.6 * r["ridge"]["mae"].get<double>());
  CHECK(r["ridge"]["mae"] < r["mean"]["mae"]);
  uint64_t residuals = 0;
  for (const json& n : r["residuals"]["counts"]) residuals += n.get<uint64_t>();
  CHECK(residuals == made["validationWindows"]);
  CHECK(r["residuals"]["counts"].size() < 30);  // of 120 rows
  sg_session_close(session);
  config["model"] = {{"name", "lstm"}, {"hidden", 4}};
  CHECK(create(dataset, config)["config"]["data"]["task"] == "forecast");
}

TEST_CASE("a target of nothing but 0 and 1 is a class, and what does not go together is refused",
          "[bindings][tables]") {
  std::string csv = "a,b\n";
  for (int r = 0; r < 100; ++r) csv += std::to_string(r % 13) + "," + (r % 3 == 0 ? "1" : "0") + "\n";
  const int dataset = open_dataset(csv);
  json config{{"data", {{"target", "b"}}}, {"training", {{"device", "cpu"}}}};
  CHECK(create(dataset, config)["config"]["data"]["task"] == "classification");
  config["data"]["target"] = "a";
  CHECK(create(dataset, config)["config"]["data"]["task"] == "regression");
  config["data"]["features"] = {"a", "b"};
  CHECK(reply(sg_session_create(dataset, config.dump().c_str()))["code"] == "table.leak");
}

TEST_CASE("a run on a table resumes bit for bit, and takes its encoding along", "[bindings][tables]") {
  const int dataset = open_dataset(flowers(300));
  json config = table_config("kind", 4);
  config["training"]["classWeights"] = "balanced";
  config["model"]["dropout"] = 0.2;
  const int whole = create(dataset, config)["session"], first = create(dataset, config)["session"];
  auto straight = train(whole, 24);
  train(first, 11);
  const auto bytes = checkpoint(first);
  const json back = reply(sg_session_restore(dataset, bytes.data(), static_cast<uint32_t>(bytes.size()), "{}"));
  INFO(back.dump());
  REQUIRE(back["ok"]);
  CHECK(back["notice"].is_null());
  const auto rest = train(back["session"], 13);
  straight.erase(straight.begin(), straight.begin() + 11);
  CHECK(rest == straight);
  CHECK(checkpoint(back["session"]) == checkpoint(whole));
}

TEST_CASE("either device learns the same table to the same losses", "[bindings][tables]") {
  const int dataset = open_dataset(flowers(200));
  const auto cpu = train(create(dataset, table_config("kind", 3))["session"], 12);
  const auto webgl = train(create(dataset, table_config("kind", 3, "webgl"))["session"], 12);
  REQUIRE(cpu.size() == webgl.size());
  for (size_t i = 0; i < cpu.size(); ++i) CHECK(webgl[i].second == Approx(cpu[i].second).epsilon(2e-3));
}

TEST_CASE("other rows are predicted from the columns by name, unseen values are told, and what lacks is named",
          "[bindings][tables]") {
  const int dataset = open_dataset(flowers(600));
  const json made = create(dataset, table_config("kind", 20));
  const int session = made["session"];
  train(session, 1'000'000);
  json last;
  const auto own = lines(predicted(session, dataset, &last));
  CHECK(own[0] == "row,prediction,p(round),p(flat),\"p(long, thin)\"");
  CHECK(own.size() == 601);
  CHECK(last["unseen"].empty());
  // The same rows without their answers get the same predictions.
  CHECK(lines(predicted(session, open_dataset(flowers(600, false)))) == own);
  // By the truths of the held-out rows, as often right as validation says.
  const json held = reply(sg_session_predict(session, 0, made["validationWindows"]));
  std::vector<std::string> names{"round", "flat", "\"long, thin\""};
  int right = 0;
  for (size_t i = 0; i < held["rows"].size(); ++i) {
    const std::string& line = own[held["rows"][i].get<size_t>() + 1];
    const std::string truth = names[held["truth"][i][0].get<size_t>()];
    right += line.find("," + truth + ",") != std::string::npos ? 1 : 0;
  }
  const double accuracy = validated(session)["classes"]["accuracy"];
  CHECK(right == std::lround(accuracy * static_cast<double>(held["rows"].size())));

  predicted(session, open_dataset(flowers(50, false, "peat")), &last);
  CHECK(last["unseen"] == json::array({{{"column", "soil"}, {"example", "peat"}, {"rows", 1}}}));
  const json lacking = reply(sg_prediction_open(session, open_dataset("length,colour\n1,2\n2,3\n")));
  CHECK(lacking["code"] == "predict.missing_column");
  CHECK_THAT(lacking["message"].get<std::string>(), Catch::Contains("'width', 'soil'"));
}

TEST_CASE("a forecast goes on after a file's end, and its errors are told by how far ahead they are",
          "[bindings][tables]") {
  std::string csv = "load,temperature\n";
  for (int r = 0; r < 300; ++r)
    csv += std::to_string(std::sin(r * 0.5)) + "," + std::to_string(std::cos(r * 0.5)) + "\n";
  const int dataset = open_dataset(csv);
  json c = config("cpu", 12);
  const json made = create(dataset, c);
  const int session = made["session"];
  train(session, 1'000'000);
  const auto said = lines(predicted(session, dataset));
  REQUIRE(said.size() == 4);
  CHECK(said[0] == "row,ahead,prediction");
  for (size_t h = 0; h < 3; ++h) {
    CHECK(said[h + 1].rfind(std::to_string(301 + h) + "," + std::to_string(h + 1) + ",", 0) == 0);
    CHECK(std::stod(said[h + 1].substr(said[h + 1].rfind(',') + 1)) ==
          Approx(std::sin(static_cast<double>(300 + h) * 0.5)).margin(0.35));
  }
  const json e = evaluated(session), f = e["forecast"];
  INFO(e.dump());
  CHECK(e["task"] == "forecast");
  CHECK(f["byHorizon"].size() == 3);
  double mean = 0;
  for (const json& h : f["byHorizon"]) mean += h["mae"].get<double>() / 3;
  CHECK(mean == Approx(f["model"]["mae"].get<double>()));
  CHECK(f["byHorizon"][0]["naive"] < f["byHorizon"][2]["naive"]);
  CHECK(f["model"]["mae"].get<double>() == Approx(validated(session)["mae"].get<double>()));
}

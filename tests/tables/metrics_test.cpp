// Scores of classes and the linear baselines, against scikit-learn (golden/make_tables_golden.py) and by hand.
#include "tables/metrics.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tables/linear_baseline.h"

namespace sg {
namespace {

using nlohmann::json;

const json& golden() {
  static const json j = json::parse(std::ifstream(SG_SOURCE_DIR "/tests/golden/tables.json"));
  return j;
}

TableColumn numbers(const std::string& name, const json& values) {
  return {name, false, {}, values.get<std::vector<float>>()};
}

TableColumn categories(const std::string& name, const json& values) {
  TableColumn column{name, true, {}, {}};
  for (const std::string value : values) {
    auto found = std::find(column.categories.begin(), column.categories.end(), value);
    if (found == column.categories.end()) found = column.categories.insert(found, value);
    column.cells.push_back(static_cast<float>(found - column.categories.begin()));
  }
  return column;
}

TableChoice golden_table(bool classes) {
  TableChoice choice;
  choice.rows = golden()["x"].size();
  for (size_t c = 0; c < 3; ++c) {
    json column = json::array();
    for (const json& row : golden()["x"]) column.push_back(row[c]);
    choice.features.push_back(numbers("x" + std::to_string(c), column));
  }
  choice.features.push_back(categories("kind", golden()["kind"]));
  choice.target = classes ? categories("label", golden()["label"]) : numbers("number", golden()["number"]);
  return choice;
}

LinearBaseline done(const TableData& data) {
  LinearBaseline baseline(data);
  int turns = 0;
  while (!baseline.turn()) REQUIRE(++turns < 1000);
  return baseline;
}

TEST_CASE("scores of classes are scikit-learn's", "[tables]") {
  const json& g = golden()["given"];
  const auto p = g["probabilities"].get<std::vector<float>>(), truth = g["truth"].get<std::vector<float>>();
  ClassSum sum(3);
  sum.add(std::span(p).first(30), std::span(truth).first(10));
  sum.add(std::span(p).subspan(30), std::span(truth).subspan(10));
  const ClassScores s = sum.result();
  CHECK(s.accuracy == Approx(g["accuracy"].get<double>()));
  CHECK(s.macro_f1 == Approx(g["macroF1"].get<double>()));
  CHECK(s.log_loss == Approx(g["logLoss"].get<double>()).epsilon(1e-6));
  CHECK(json(s.confusion) == golden()["confusion"]);
  for (size_t c = 0; c < 3; ++c) {
    CHECK(s.by_class[c].precision == Approx(golden()["byClass"]["precision"][c].get<double>()));
    CHECK(s.by_class[c].recall == Approx(golden()["byClass"]["recall"][c].get<double>()));
    CHECK(s.by_class[c].f1 == Approx(golden()["byClass"]["f1"][c].get<double>()));
    CHECK(s.by_class[c].support == golden()["byClass"]["support"][c]);
    std::vector<float> of_class;
    for (size_t n = 0; n < truth.size(); ++n) of_class.push_back(p[n * 3 + c]);
    const ThresholdCurve curve = curve_of(of_class, truth, c, 11);
    CHECK(curve.area == Approx(golden()["area"][c].get<double>()).epsilon(1e-9));
    CHECK(curve.average_precision == Approx(golden()["averagePrecision"][c].get<double>()).epsilon(1e-9));
    CHECK(curve.roc.size() == 11);
    CHECK(curve.roc.front() == std::pair(0.0, 0.0));
    CHECK(curve.roc.back() == std::pair(1.0, 1.0));
  }
}

TEST_CASE("a class that nobody has and nobody predicts does not count in the macro F1", "[tables]") {
  ClassSum sum(3);
  sum.add(std::vector<float>{0.9f, 0.1f, 0, 0.2f, 0.8f, 0, 0.6f, 0.4f, 0}, std::vector<float>{0, 1, 1});
  const ClassScores s = sum.result();
  CHECK(s.accuracy == Approx(2.0 / 3));
  CHECK(s.macro_f1 == Approx((2.0 / 3 + 2.0 / 3) / 2));
  CHECK(s.log_loss == Approx(-(std::log(0.9) + std::log(0.8) + std::log(0.4)) / 3).epsilon(1e-6));
  CHECK(curve_of(std::vector<float>{0.1f, 0.2f}, std::vector<float>{0, 0}, 0, 10).roc.empty());
}

TEST_CASE("calibration counts what was predicted by its probability", "[tables]") {
  const auto bins = calibration(std::vector<float>{0.95f, 0.05f, 0.93f, 0.07f, 0.45f, 0.55f, 1, 0},
                                std::vector<float>{0, 1, 1, 0}, 2);
  REQUIRE(bins.size() == 10);
  CHECK(bins[9].count == 3);
  CHECK(bins[9].accuracy == Approx(2.0 / 3));
  CHECK(bins[9].confidence == Approx((0.95 + 0.93 + 1) / 3).epsilon(1e-6));
  CHECK(bins[5].count == 1);
  CHECK(bins[5].accuracy == 1);
}

TEST_CASE("logits become probabilities, however large they are", "[tables]") {
  std::vector<float> logits{1000, 1000, -1000, 0, std::log(3.0f), -90};
  to_probabilities(logits, 3);
  CHECK(logits[0] == Approx(0.5));
  CHECK(logits[2] == 0);
  CHECK(logits[4] == Approx(0.75).epsilon(1e-6));
}

TEST_CASE("the linear baselines are scikit-learn's ridge and logistic regression", "[tables]") {
  TableConfig config;
  config.split = Split::order;
  const TableData numbers(golden_table(false), config);
  const LinearBaseline ridge = done(numbers);
  CHECK(ridge.linear_errors().mae == Approx(golden()["ridge"]["mae"].get<double>()).epsilon(1e-4));
  CHECK(ridge.linear_errors().rmse == Approx(golden()["ridge"]["rmse"].get<double>()).epsilon(1e-4));
  CHECK(ridge.linear_errors().r2 == Approx(golden()["ridge"]["r2"].get<double>()).epsilon(1e-4));
  CHECK(ridge.simple_errors().rmse > 2 * ridge.linear_errors().rmse);
  config.classification = true;
  const TableData classes(golden_table(true), config);
  const LinearBaseline logistic = done(classes);
  // The numbers of the classes go by their first appearance, and the scores do not.
  CHECK(logistic.linear_scores().log_loss == Approx(golden()["logistic"]["logLoss"].get<double>()).epsilon(1e-3));
  CHECK(logistic.linear_scores().accuracy == Approx(golden()["logistic"]["accuracy"].get<double>()));
  CHECK(logistic.linear_scores().macro_f1 == Approx(golden()["logistic"]["macroF1"].get<double>()));
  CHECK(logistic.simple_scores().log_loss > logistic.linear_scores().log_loss);
}

}  // namespace
}  // namespace sg

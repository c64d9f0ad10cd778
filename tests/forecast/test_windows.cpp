// Windows without a leak: which rows they read, what is left out, and that validation rows have no influence on
// training.

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "forecast/windows.h"
#include "io/csv.h"

using namespace sg;

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// Feature f has value 100 f + row, target k has 1000 (k + 1) + 2 row.
SeriesTable ramp(size_t rows, size_t features = 1, size_t targets = 1) {
  SeriesTable table;
  table.rows = rows;
  for (size_t f = 0; f < features; ++f) {
    SeriesColumn& column = table.features.emplace_back();
    column.name = "f" + std::to_string(f);
    for (size_t r = 0; r < rows; ++r) column.values.push_back(static_cast<float>(100 * f + r));
  }
  for (size_t k = 0; k < targets; ++k) {
    SeriesColumn& column = table.targets.emplace_back();
    column.name = "y" + std::to_string(k);
    for (size_t r = 0; r < rows; ++r) column.values.push_back(static_cast<float>(1000 * (k + 1) + 2 * r));
  }
  return table;
}

Error error_of(const SeriesTable& table, const WindowConfig& config) {
  try {
    split_windows(table, config);
  } catch (const Error& error) {
    return error;
  }
  FAIL("no error");
  return Error("", "");
}

}  // namespace

TEST_CASE("training targets end before the split, validation targets begin after it", "[forecast]") {
  for (const size_t look_back : {1u, 3u, 7u}) {
    for (const size_t horizon : {1u, 2u, 5u}) {
      const SeriesTable table = ramp(60);
      const WindowSplit split = split_windows(table, {look_back, horizon, 0.25});
      CAPTURE(look_back, horizon);
      CHECK(split.split_row == 45);
      for (const uint32_t s : split.training) REQUIRE(s + look_back + horizon <= 45);
      for (const uint32_t s : split.validation) {
        REQUIRE(s + look_back >= 45);
        REQUIRE(s + look_back + horizon <= 60);
      }
      CHECK(split.training.size() == 45 - look_back - horizon + 1);
      CHECK(split.validation.size() == 15 - horizon + 1);
      CHECK(split.purged == horizon - 1);
      CHECK(split.skipped_training + split.skipped_validation == 0);
    }
  }
}

TEST_CASE("changing every validation row leaves scaler and training batches as they were", "[forecast]") {
  SeriesTable table = ramp(50, 2, 2);
  const WindowConfig config{4, 2, 0.3};
  const ForecastData before(table, config);
  for (auto* columns : {&table.features, &table.targets}) {
    for (SeriesColumn& c : *columns) {
      for (size_t r = before.windows().split_row; r < table.rows; ++r) c.values[r] = -1e6f * static_cast<float>(r);
    }
  }
  const ForecastData after(table, config);
  CHECK(before.scaler().to_json() == after.scaler().to_json());
  CHECK(before.windows().training == after.windows().training);
  const auto batch = [&](const ForecastData& data, const std::vector<uint32_t>& starts) {
    std::vector<float> x(starts.size() * 4 * 2), y(starts.size() * 2 * 2);
    data.gather(starts, x, y);
    x.insert(x.end(), y.begin(), y.end());
    return x;
  };
  CHECK(batch(before, before.windows().training) == batch(after, after.windows().training));
  CHECK(batch(before, before.windows().validation) != batch(after, after.windows().validation));
}

TEST_CASE("a batch holds scaled rows in the documented layout", "[forecast]") {
  const SeriesTable table = ramp(40, 2, 2);
  const ForecastData data(table, {3, 2, 0.25});
  const std::vector<uint32_t> starts = {5, 20, 0};
  std::vector<float> x(3 * 3 * 2), y(3 * 2 * 2);
  data.gather(starts, x, y);
  const Scaler& scaler = data.scaler();
  for (size_t n = 0; n < 3; ++n) {
    for (size_t t = 0; t < 3; ++t) {
      for (size_t f = 0; f < 2; ++f) {
        CHECK(x[(n * 3 + t) * 2 + f] ==
              scaler.features[f].scale(100.0 * static_cast<double>(f) + starts[n] + static_cast<double>(t)));
      }
    }
    for (size_t h = 0; h < 2; ++h) {
      for (size_t k = 0; k < 2; ++k) {
        const double truth = 1000.0 * static_cast<double>(k + 1) + 2.0 * (starts[n] + 3.0 + static_cast<double>(h));
        CHECK(y[n * 4 + h * 2 + k] == scaler.targets[k].scale(truth));
      }
    }
  }
  scaler.restore_targets(y);
  CHECK(y[0] == Approx(1000 + 2 * 8));
  CHECK(y[1] == Approx(2000 + 2 * 8));
  CHECK_THROWS_AS(data.gather(starts, std::span(x).first(4), y), Error);
  const std::vector<uint32_t> outside = {36}, far = {0xffffffffu};
  CHECK_THROWS_AS(data.gather(outside, std::span(x).first(6), std::span(y).first(4)), Error);
  CHECK_THROWS_AS(data.gather(far, std::span(x).first(6), std::span(y).first(4)), Error);
}

TEST_CASE("windows over a gap are left out and counted", "[forecast]") {
  SeriesTable table = ramp(40);
  table.targets[0].values[10] = kNaN;
  table.features[0].values[20] = kNaN;
  table.targets[0].values[35] = kNaN;
  const WindowSplit split = split_windows(table, {3, 2, 0.25});  // the split is at row 30
  for (const uint32_t s : split.training) {
    REQUIRE((s + 5 <= 10 || s > 10));
    REQUIRE((s + 3 <= 20 || s > 20));
  }
  CHECK(split.skipped_training == 5 + 3);  // five windows touch a target row, three read a feature row
  CHECK(split.skipped_validation == 5);    // starts 31 to 35
  CHECK(split.training.size() == 26 - 8);
  CHECK(split.validation == std::vector<uint32_t>{27, 28, 29, 30});
  const ForecastData data(table, {3, 2, 0.25});
  std::vector<float> x(split.training.size() * 3), y(split.training.size() * 2);
  data.gather(split.training, x, y);
  for (const float v : x) REQUIRE(std::isfinite(v));
  for (const float v : y) REQUIRE(std::isfinite(v));
}

TEST_CASE("when gaps leave no window, the message names column, row and line", "[forecast]") {
  Table csv;
  csv.rows = 40;
  csv.columns.resize(1);
  csv.columns[0].name = "temp";
  csv.columns[0].type = ColumnType::number;
  for (size_t r = 0; r < 40; ++r) csv.columns[0].numbers.push_back(r % 4 == 3 ? kNaN : 1.0f);
  csv.line_jumps = {{0, 2}};
  const Error error = error_of(series_from_table(csv, {0}, {0}), {4, 1, 0.25});
  CHECK(error.code() == "forecast.gaps");
  CHECK(error.line() == 5);
  CHECK_THAT(error.what(), Catch::Contains("'temp'") && Catch::Contains("row 4") && Catch::Contains("line 5") &&
                               Catch::Contains("training"));
  for (size_t r = 0; r < 27; ++r) csv.columns[0].numbers[r] = static_cast<float>(r);
  const Error late = error_of(series_from_table(csv, {0}, {0}), {4, 1, 0.25});
  CHECK_THAT(late.what(), Catch::Contains("validation") && Catch::Contains("row 28"));
}

TEST_CASE("a column that holds no numbers is refused by name", "[forecast]") {
  const Table table =
      read_csv("day,temp,city,note\n2020-01-01,1,x,p\n2020-01-02,2,y,q\n2020-01-03,3,x,r\n2020-01-04,4,y,s\n");
  CHECK_THROWS_WITH(series_from_table(table, {1}, {2}),
                    "column 'city' holds categories, and a target must be numbers: choose one of 'temp'");
  CHECK_THROWS_WITH(series_from_table(table, {1}, {3}),
                    "column 'note' holds text, and a target must be numbers: choose one of 'temp'");
  CHECK_THROWS_WITH(series_from_table(table, {0}, {1}),
                    Catch::Contains("'day' holds dates, and a feature must be numbers"));
  CHECK_THROWS_AS(series_from_table(table, {1}, {}), Error);
  CHECK_THROWS_AS(series_from_table(table, {}, {1}), Error);
  CHECK_THROWS_AS(series_from_table(table, {1}, {9}), Error);
  CsvOptions unkept;
  unkept.target.keep = false;
  CHECK_THROWS_AS(series_from_table(read_csv("a\n1\n2\n", unkept), {0}, {0}), Error);
  CHECK(series_from_table(table, {1}, {1}).line_of_row(2) == 4);
}

TEST_CASE("a configuration that cannot work is refused", "[forecast]") {
  const SeriesTable table = ramp(20);
  CHECK(error_of(table, {0, 1, 0.2}).code() == "forecast.bad_config");
  CHECK(error_of(table, {1, 0, 0.2}).code() == "forecast.bad_config");
  for (const double fraction : {0.0, 1.0, -1.0, std::nan("")})
    CHECK(error_of(table, {1, 1, fraction}).code() == "forecast.bad_config");
  CHECK(error_of(table, {16, 1, 0.2}).code() == "forecast.too_few_rows");
  CHECK(error_of(table, {1, 5, 0.2}).code() == "forecast.too_few_rows");
  CHECK(error_of(table, {SIZE_MAX, 1, 0.2}).code() == "forecast.too_few_rows");
  CHECK(error_of(table, {2, SIZE_MAX, 0.2}).code() == "forecast.too_few_rows");
  CHECK(split_windows(table, {15, 1, 0.2}).training.size() == 1);
}

TEST_CASE("the scaler is fitted on training rows, survives JSON and refuses other columns", "[forecast]") {
  SeriesTable table = ramp(10);
  table.features[0].values = {1, 2, kNaN, 3, 4, 100, 100, 100, 100, 100};
  table.targets[0].values.assign(10, 5.1f);
  const Scaler scaler = Scaler::fit(table, 5);
  CHECK(scaler.features[0].mean == 2.5);
  CHECK(scaler.features[0].std == Approx(std::sqrt(1.25)));
  CHECK(scaler.targets[0].std == 1);  // does not vary
  const nlohmann::json json = nlohmann::json::parse(scaler.to_json().dump());
  const Scaler again = Scaler::from_json(json);
  CHECK(again.to_json() == scaler.to_json());
  CHECK(again.features[0].std == scaler.features[0].std);
  table.features[0].name = "other";
  CHECK_THROWS_WITH(ForecastData(table, {1, 1, 0.5}, scaler), Catch::Contains("'f0'"));
  table.features[0].values.assign(5, kNaN);
  CHECK_THROWS_WITH(Scaler::fit(table, 5), Catch::Contains("'other' has no value"));
  for (
      const char* bad :
      {"{}", "[]", R"({"kind":"standard","features":[],"targets":[]})",
       R"({"kind":"standard","features":[{"name":"a","mean":0,"std":0}],"targets":[{"name":"a","mean":0,"std":1}]})",
       R"({"kind":"standard","features":[{"name":"a","mean":"0","std":1}],"targets":[{"name":"a","mean":0,"std":1}]})"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(Scaler::from_json(nlohmann::json::parse(bad)), Error);
  }
}

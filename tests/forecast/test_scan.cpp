// What one pass over rows knows of a series, against the table in memory, and how a series is cut.

#include <catch2/catch.hpp>

#include "forecast/baselines.h"
#include "forecast/series_part.h"
#include "forecast/series_scan.h"
#include "tests/train/fed.h"

using namespace sg;
using namespace sg::test;

namespace {

SeriesScan scan_of(Elsewhere& data, const WindowConfig& config, const Pieces& pieces, size_t request) {
  SeriesScan scan(choice_of(data), config, pieces);
  RowFeed rows({0, 2}, request);
  rows.ask({{0, data.rows()}});
  while (const auto need = rows.need()) {
    data.serve(*need);
    scan.add(rows.fed());
  }
  return scan;
}

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a scan knows the scaling, the windows and the season that a table gives", "[forecast]") {
  const WindowConfig config{7, 3, 0.25};
  for (const int every : {0, 17, 50, 333}) {
    Elsewhere data = waves(2500, [&](size_t c, size_t r) { return every > 0 && r % every == c; });
    const auto bounds = split_bounds(data.rows(), config);
    const Pieces pieces(bounds, config, 12, 3000);
    const ForecastData table(series_of(data), config);
    for (const size_t request : {size_t{1}, size_t{34}, size_t{100'000}}) {
      INFO(every << " " << request);
      const SeriesScan scan = scan_of(data, config, pieces, request);
      scan.check();
      const Scaler scaler = scan.scaler();
      for (size_t f = 0; f < 2; ++f) {
        CHECK(scaler.features[f].mean == Approx(table.scaler().features[f].mean).epsilon(1e-12));
        CHECK(scaler.features[f].std == Approx(table.scaler().features[f].std).epsilon(1e-12));
      }
      CHECK(scaler.to_json() == table.scaler().to_json());
      CHECK(scan.training() == table.windows().training.size());
      CHECK(scan.validation() == table.windows().validation.size());
      CHECK(scan.skipped() == table.windows().skipped_training + table.windows().skipped_validation);
      std::vector<uint32_t> whole(pieces.count(), 0);
      for (const uint32_t start : table.windows().training) ++whole[start / pieces.starts()];
      CHECK(scan.whole() == whole);
      std::vector<float> last = scan.last_values();
      for (float& v : last) v = scaler.targets[0].scale(v);
      const auto found = propose_season(last, bounds.split_row), expected = propose_season(table);
      REQUIRE(found.has_value() == expected.has_value());
      if (found) CHECK(found->period == expected->period);
    }
  }
}

TEST_CASE("a scan refuses what a table is refused for, with the same row", "[forecast]") {
  const WindowConfig config{7, 3, 0.25};
  const Pieces pieces(split_bounds(400, config), config, 12, 3000);
  const std::function<bool(size_t, size_t)> gaps[] = {
      [](size_t c, size_t r) { return c == 2 && r % 6 == 4 && r < 300; },
      [](size_t c, size_t r) { return c == 0 && r % 3 == 0 && r >= 300; },
      [](size_t c, size_t r) { return c == 0 && r < 300; }};
  for (const auto& missing : gaps) {
    Elsewhere data = waves(400, missing);
    SeriesTable table = series_of(data);
    table.has_lines = false;
    const std::string expected = error_of([&] { ForecastData(table, config); });
    REQUIRE(expected.find("row ") != std::string::npos);
    const SeriesScan scan = scan_of(data, config, pieces, 64);
    CHECK(error_of([&] { scan.check(); }) == expected);
  }
  Elsewhere empty = waves(400, [](size_t c, size_t) { return c == 2; });
  CHECK_THROWS_WITH(scan_of(empty, config, pieces, 64).scaler(), Catch::Contains("'temperature' has no value"));
}

TEST_CASE("rows are asked for range by range, in requests of a bounded size", "[forecast]") {
  RowFeed rows({4, 1}, 10);
  CHECK_FALSE(rows.need());
  CHECK_THROWS_WITH(rows.fed(), Catch::Contains("no rows are wanted"));
  rows.ask({{100, 7}, {5, 0}, {20, 3}});
  std::vector<std::pair<uint64_t, size_t>> asked;
  uint64_t done = 0;
  while (const auto need = rows.need()) {
    CHECK(need->total == 10);
    CHECK(need->done == done);
    CHECK(std::vector<size_t>(need->columns.begin(), need->columns.end()) == std::vector<size_t>{4, 1});
    for (size_t i = 0; i < 2 * need->rows; ++i) need->values[i] = static_cast<float>(i);
    asked.emplace_back(need->first, need->rows);
    const RowChunk chunk = rows.fed();
    CHECK(chunk.first == need->first);
    CHECK(chunk.range == (need->first >= 100 ? 0u : 1u));
    CHECK(chunk.column(1)[0] == static_cast<float>(need->rows));
    done += need->rows;
  }
  CHECK(asked == std::vector<std::pair<uint64_t, size_t>>{{100, 5}, {105, 2}, {20, 3}});
  RowFeed wide(std::vector<size_t>(100, 0), 10);
  wide.ask({{0, 2}});
  CHECK(wide.need()->rows == 1);
}

TEST_CASE("pieces cover every training window once, and a block of them fits its room", "[forecast]") {
  for (const uint64_t rows : {uint64_t{60}, uint64_t{5000}, uint64_t{3'000'000'000}}) {
    for (const size_t look_back : {size_t{1}, size_t{24}}) {
      for (const uint64_t block : {uint64_t{1}, uint64_t{2000}, uint64_t{64} << 20}) {
        const WindowConfig config{look_back, 2, 0.2};
        const SplitBounds bounds = split_bounds(rows, config);
        const Pieces pieces(bounds, config, 12, block);
        CAPTURE(rows, look_back, block);
        uint64_t next = 0;
        if (pieces.count() > 1'000'000) continue;
        for (size_t p = 0; p < pieces.count(); ++p) {
          const RowRange range = pieces.rows(p);
          REQUIRE(range.first == next);
          REQUIRE(range.rows > look_back + 1);
          next += range.rows - (look_back + 1);
        }
        CHECK(next == bounds.training);
        CHECK(pieces.room() <= std::max<uint64_t>(block / 12, look_back + 2));
        for (const RowRange& r : validation_starts(bounds, config, 12, block, 48)) {
          CHECK(r.rows > 0);
          CHECK(r.first >= bounds.first_validation);
          CHECK(r.first + r.rows <= bounds.first_validation + bounds.validation);
        }
      }
    }
  }
}

TEST_CASE("a seasonal forecast looks back no further than the rows that are here", "[forecast]") {
  Elsewhere data = waves(200);
  const WindowConfig config{4, 1, 0.5};
  const auto split = split_bounds(200, config);
  SeriesPart part(16, config, split.split_row, Scaler{{{"load", 0, 1}, {"temperature", 0, 1}}, {{"load", 0, 1}}});
  RowFeed rows({0, 2});
  rows.ask({{0, 8}, {120, 8}});
  for (size_t at = 0; const auto need = rows.need(); at += 8) {
    data.serve(*need);
    part.put(rows.fed(), choice_of(data), at);
  }
  CHECK(part.row_of(7) == 7);
  CHECK(part.row_of(8) == 120);
  part.add_validation(8);
  const BaselineResult seasonal = seasonal_naive_forecast(part, 10);
  CHECK(seasonal.fallbacks == 1);
  CHECK(seasonal.scaled.mse == naive_forecast(part).scaled.mse);
  CHECK(seasonal_naive_forecast(part, 4).fallbacks == 0);
}

// Training windows of data larger than memory: every one of them once an epoch, in an order that follows from seed and
// epoch, with the rows that belong to it; in memory that does not grow.
#include "train/blocks.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "forecast/baselines.h"
#include "tests/train/fed.h"
#include "tests/train/runs.h"

using namespace sg;
using namespace sg::test;

namespace {

/// Rows of the file at which the epoch's windows start, in the order of its steps.
std::vector<uint64_t> epoch_of(train::Supply& supply, Elsewhere& data, int epoch, std::vector<int>* entered = nullptr) {
  std::vector<uint64_t> starts;
  for (int step = 0; step < supply.steps(); ++step) {
    if (!supply.has(epoch, step)) {
      supply.enter(epoch, step);
      feed(supply, data);
      if (entered) entered->push_back(step);
    }
    REQUIRE(supply.has(epoch, step));
    const auto batch = supply.batch(epoch, step);
    CHECK(batch.size() == supply.size_of(step));
    for (const uint32_t start : batch) starts.push_back(supply.training().row_of(start));
  }
  return starts;
}

template <class T>
std::vector<T> sorted(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  return values;
}

/// What a table in memory would train on.
std::vector<uint64_t> all_windows(const Elsewhere& data, const train::TrainConfig& config) {
  const WindowSplit split = split_windows(series_of(data), train::window_config(config));
  return {split.training.begin(), split.training.end()};
}

struct Case {
  const char* name;
  size_t rows;
  uint64_t block;
  int batch;
  std::function<bool(size_t, size_t)> gaps;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"many blocks", 3001, 4000, 16, {}},
      {"one block", 500, 1 << 20, 16, {}},
      {"a window of a piece", 203, 1, 16, {}},
      {"gaps here and there", 2500, 4000, 16, [](size_t c, size_t r) { return r % 97 == 10 * c; }},
      {"long stretches without a value", 4000, 3000, 16, [](size_t c, size_t r) { return c == 0 && r % 700 > 60; }},
      {"blocks without any window", 4000, 2000, 16, [](size_t, size_t r) { return r > 300 && r < 2900; }},
      {"steps larger than a block", 1200, 1500, 512, {}},
      {"one step for all", 900, 3000, 4096, {}},
      {"few windows, far apart", 3000, 2500, 8, [](size_t, size_t r) { return r % 100 > 11; }}};
  return all;
}

}  // namespace

TEST_CASE("an epoch shows every training window once, whatever is missing and however it is cut", "[train][blocks]") {
  for (const Case& c : cases()) {
    INFO(c.name);
    Elsewhere data = waves(c.rows, c.gaps);
    const train::TrainConfig config = small_config({{"batchSize", c.batch}});
    const auto supply = open(data, config, tight(c.block));
    const auto expected = all_windows(data, config);
    CHECK(supply->windows() == expected.size());
    const auto first = epoch_of(*supply, data, 0), second = epoch_of(*supply, data, 1);
    CHECK(sorted(first) == expected);
    CHECK(sorted(second) == expected);
    CHECK(first != second);
    CHECK(epoch_of(*supply, data, 0) == first);
    const auto again = open(data, config, tight(c.block, 1 << 20, 17));  // requests have no influence
    CHECK(epoch_of(*again, data, 1) == second);
    const auto other = open(data, small_config({{"batchSize", c.batch}, {"seed", 6}}), tight(c.block));
    CHECK(epoch_of(*other, data, 0) != first);
  }
}

TEST_CASE("a block's rows lie at its windows, scaled as the series in memory is", "[train][blocks]") {
  for (const Case& c : cases()) {
    INFO(c.name);
    Elsewhere data = waves(c.rows, c.gaps);
    const train::TrainConfig config = small_config({{"batchSize", c.batch}});
    const auto supply = open(data, config, tight(c.block));
    const ForecastData whole(series_of(data), train::window_config(config));
    CHECK(supply->training().scaler().to_json() == whole.scaler().to_json());  // to the last bit
    CHECK(supply->skipped() == whole.windows().skipped_training + whole.windows().skipped_validation);
    const auto windows_of = [](const ForecastData& of, std::span<const uint32_t> starts) {
      std::vector<float> x(starts.size() * 8 * 2), y(starts.size() * 2);
      of.gather(starts, x, y);
      x.insert(x.end(), y.begin(), y.end());
      return x;
    };
    for (int step = 0; step < supply->steps(); ++step) {
      supply->enter(0, step);
      feed(*supply, data);
      const auto batch = supply->batch(0, step);
      std::vector<uint32_t> rows;
      for (const uint32_t start : batch) rows.push_back(static_cast<uint32_t>(supply->training().row_of(start)));
      REQUIRE(windows_of(supply->training(), batch) == windows_of(whole, rows));
    }
  }
}

TEST_CASE("a step's windows are the same however it is come to", "[train][blocks]") {
  for (const Case& c : cases()) {
    INFO(c.name);
    Elsewhere data = waves(c.rows, c.gaps);
    const train::TrainConfig config = small_config({{"batchSize", c.batch}});
    const auto through = open(data, config, tight(c.block));
    const std::vector<uint64_t> epochs[] = {epoch_of(*through, data, 0), epoch_of(*through, data, 1)};
    const auto jumping = open(data, config, tight(c.block));
    const int steps = jumping->steps();
    for (int i = 0; i < std::min(2 * steps, 40); ++i) {
      const int epoch = i % 2, step = static_cast<int>((int64_t{i} * 7919) % steps);  // there and back
      jumping->enter(epoch, step);
      feed(*jumping, data);
      const auto batch = jumping->batch(epoch, step);
      for (size_t n = 0; n < batch.size(); ++n)
        REQUIRE(jumping->training().row_of(batch[n]) == epochs[epoch][static_cast<size_t>(step * c.batch) + n]);
    }
  }
}

TEST_CASE("windows of a block come from all over the series, and not in their order", "[train][blocks]") {
  Elsewhere data = waves(20'000);
  const train::TrainConfig config = small_config();
  const auto supply = open(data, config, tight(40'000));
  auto& blocks = dynamic_cast<train::Blocks&>(*supply);
  std::vector<int> entered;
  const auto epoch = epoch_of(*supply, data, 0, &entered);
  CHECK(blocks.blocks() >= 5);
  CHECK(entered.size() == blocks.blocks());
  const std::vector<uint64_t> first(epoch.begin(), epoch.begin() + entered[1] * 16);
  const auto in_order = sorted(first);
  size_t far = 0, quarters[4] = {};
  for (size_t i = 1; i < in_order.size(); ++i) far += in_order[i] > in_order[i - 1] + 1;
  for (const uint64_t row : first) ++quarters[row * 4 / 16'000];
  CHECK(far >= 10);  // pieces
  for (const size_t n : quarters) CHECK(n > first.size() / 20);
  size_t neighbours = 0;
  for (size_t i = 1; i < first.size(); ++i) neighbours += first[i] == first[i - 1] + 1;
  CHECK(neighbours < first.size() / 50);
  // Each block is shuffled in its own way.
  const auto ranks_of = [&](size_t block) {
    const std::vector<uint64_t> rows(epoch.begin() + static_cast<ptrdiff_t>(blocks.windows_before()[block]),
                                     epoch.begin() + static_cast<ptrdiff_t>(blocks.windows_before()[block + 1]));
    const auto by_row = sorted(rows);
    std::vector<ptrdiff_t> ranks;
    for (const uint64_t row : rows)
      ranks.push_back(std::lower_bound(by_row.begin(), by_row.end(), row) - by_row.begin());
    return ranks;
  };
  std::map<size_t, std::vector<ptrdiff_t>> by_size;
  int alike = 0;  // in size
  for (size_t block = 0; block < blocks.blocks(); ++block) {
    const auto ranks = ranks_of(block);
    const auto [other, first_of_its_size] = by_size.emplace(ranks.size(), ranks);
    if (first_of_its_size) continue;
    ++alike;
    CHECK(other->second != ranks);
  }
  CHECK(alike > 0);
}

TEST_CASE("an epoch reads the training rows little more than once, and no others", "[train][blocks]") {
  Elsewhere data = waves(20'000);
  const train::TrainConfig config = small_config();
  const auto supply = open(data, config, tight(40'000));
  const uint64_t opened = data.served;
  CHECK(opened >= 20'000);
  CHECK(opened < 25'000);  // the scan and the validation's
  epoch_of(*supply, data, 0);
  CHECK(data.served - opened >= 16'000);
  CHECK(data.served - opened < 16'000 * 5 / 4);
}

TEST_CASE("steps whose windows have no room beside a block are refused", "[train][blocks]") {
  Elsewhere data = waves(6000);
  train::TrainConfig config = small_config({{"batchSize", 4096}, {"accumulate", 64}});
  CHECK_NOTHROW(open(data, config, tight()));  // all windows are fewer
  const SplitBounds bounds = split_bounds(uint64_t{1} << 40, train::window_config(config));
  const Pieces pieces(bounds, train::window_config(config), 16, uint64_t{64} << 20);
  CHECK(pieces.per_block() == 16);
  CHECK(pieces.room() <= (size_t{64} << 20) / 16);
  config.look_back = 2000;
  SeriesChoice choice = choice_of(data);
  SeriesPart none(1, train::window_config(config), 1,
                  Scaler{{{"load", 0, 1}, {"temperature", 0, 1}}, {{"load", 0, 1}}});
  CHECK_THROWS_WITH(train::Blocks({choice,
                                   train::window_config(config),
                                   pieces,
                                   std::vector<uint32_t>(pieces.count(), 100'000),
                                   0,
                                   none,
                                   RowFeed({0, 2}),
                                   {}},
                                  config),
                    Catch::Contains("smaller batch"));
}

TEST_CASE("no call goes through more than the rows that it was given, or the windows of its step", "[train][blocks]") {
  for (const Case& c : cases()) {
    INFO(c.name);
    Elsewhere data = waves(c.rows, c.gaps);
    const train::TrainConfig config = small_config({{"batchSize", c.batch}});
    const auto supply = open(data, config, tight(c.block, 1 << 20, 64));
    auto& blocks = dynamic_cast<train::Blocks&>(*supply);
    const uint64_t rows = 64 / 2, windows = static_cast<uint64_t>(c.batch);
    uint64_t before = blocks.handled(), all = 0;
    const auto check = [&](uint64_t most) {
      const uint64_t here = blocks.handled() - before;
      REQUIRE(here <= most);
      all += here;
      before += here;
    };
    for (int epoch = 0; epoch < 2; ++epoch)
      for (int step = 0; step < supply->steps(); ++step) {
        supply->enter(epoch, step);
        check(windows);  // those that are carried over
        while (const auto need = supply->need()) {
          data.serve(*need);
          supply->fed();
          check(rows + windows);
        }
        supply->batch(epoch, step);
        check(windows);
      }
    CHECK(all >= 2 * (supply->windows() + supply->windows() / 2));  // nearly every window has a row of its own
  }
}

TEST_CASE("what the data takes of memory is told, and stays", "[train][blocks]") {
  Elsewhere data = waves(20'000);
  const train::TrainConfig config = small_config();
  const uint64_t block = 40'000, validation = 20'000, request = 64;
  const auto supply = open(data, config, tight(block, validation, request));
  epoch_of(*supply, data, 0);
  const uint64_t bytes = supply->bytes();
  const uint64_t carried = 15 * 10 * 3 * sizeof(float);
  CHECK(bytes > block / 2);
  CHECK(bytes < block + validation + request * sizeof(float) + carried + 4000);
  epoch_of(*supply, data, 1);
  CHECK(supply->bytes() == bytes);
}

TEST_CASE("the configuration says how much lies in memory", "[train][blocks]") {
  const train::Bounds usual = train::bounds_of(train::TrainConfig());
  CHECK(usual.resident == uint64_t{256} << 20);
  CHECK(usual.block == uint64_t{64} << 20);
  CHECK(usual.validation == uint64_t{32} << 20);
  CHECK(usual.carried == uint64_t{256} << 20);
  Elsewhere data = waves(60'000);
  const auto blocks_of = [&](double memory, double block) -> size_t {
    train::TrainConfig config = small_config();
    config.memory = memory;
    config.block = block;
    train::Opening opening(choice_of(data), config, std::nullopt, nullptr);
    feed(opening, data);
    const auto supply = opening.take();
    supply->enter(0, 0);
    const auto* blocks = dynamic_cast<const train::Blocks*>(supply.get());
    return blocks ? blocks->blocks() : 0;
  };
  CHECK(blocks_of(1, 0.1) == 0);  // 480,000 bytes
  CHECK(blocks_of(0.1, 64) == 1);
  CHECK(blocks_of(0.1, 0.1) > 5);
}

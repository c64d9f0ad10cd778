// Whole runs on data larger than memory: in one block they are those of a table in memory, bit for bit; in many they go
// on after a stop, or a lost device, as if nothing had been, and take no memory for another block.
#include <array>
#include <catch2/catch.hpp>

#include "forecast/baselines.h"
#include "tests/train/fed.h"
#include "tests/train/losable_device.h"
#include "tests/train/runs.h"
#include "train/blocks.h"
#include "train/checkpoint.h"
#include "train/race.h"
#include "webgl/webgl_device.h"

using namespace sg;
using namespace sg::test;

namespace {

/// A few steps, whatever has to be fed for them.
void work(train::Session& session, Elsewhere& data, int steps, Curve& curve) {
  session.step(steps);
  collect(session, curve);
  feed(session, data);
}

/// Trains to the end of the run, or to a step; an epoch is left as soon as it is done.
Curve run_fed(train::Session& session, Elsewhere& data, int64_t until = 1 << 30, int steps_a_call = 3) {
  Curve curve;
  for (int calls = 0; !session.finished(); ++calls) {
    if (calls > 100'000) throw Error("test", "the run does not end");
    const int64_t left = until - session.state().step;
    if (left <= 0 && session.pending() == 0) break;
    work(session, data, static_cast<int>(std::clamp<int64_t>(left, 0, steps_a_call)), curve);
    if (!session.epoch_done() || session.state().step >= until) continue;
    while (!session.validate(16)) {
    }
    curve.validation.push_back(session.validation().loss);
    session.next_epoch();
    collect(session, curve);
  }
  curve.end = session.copy();
  collect(session, curve);
  return curve;
}

void check_equal(const Curve& a, const Curve& b) {
  CHECK(a.losses == b.losses);
  CHECK(a.validation == b.validation);
  CHECK(same(a.end.tensors, b.end.tensors));
  CHECK(same(a.end.best, b.end.best));
  CHECK(a.end.state.to_json() == b.end.state.to_json());
}

bool gaps(size_t column, size_t row) { return row % 131 == 40 + column; }

}  // namespace

TEST_CASE("a run on data that is larger than memory and fits one block is that of a table, bit for bit",
          "[train][blocks]") {
  Elsewhere data = waves(600, gaps);
  const train::TrainConfig config = small_config({{"patience", 3}, {"ema", 0.9}});
  train::Session streamed(cpu_devices(), "cpu", open(data, config, tight(1 << 20)), config);
  train::Session whole(cpu_devices(), "cpu", ForecastData(series_of(data), train::window_config(config)), config);
  CHECK(streamed.steps_per_epoch() == whole.steps_per_epoch());
  const Curve a = run_fed(streamed, data), b = run_to_end(whole);
  REQUIRE(a.losses.size() > 40);
  check_equal(a, b);
  const train::Forecasts f = streamed.predict(3, 20), g = whole.predict(3, 20);
  CHECK(f.forecast == g.forecast);
  CHECK(f.truth == g.truth);
  CHECK(f.rows == g.rows);
}

TEST_CASE("a run in blocks stopped anywhere goes on bit for bit, at a block's end and in the middle",
          "[train][blocks]") {
  Elsewhere data = waves(1500, gaps);
  const train::TrainConfig config = small_config({{"batchSize", 24}, {"epochs", 3}});
  const auto bounds = tight(4000);
  std::vector<int64_t> stops;
  {
    auto supply = open(data, config, bounds);
    for (int epoch = 0; epoch < 2; ++epoch)
      for (int step = 0; step < supply->steps(); ++step)
        if (!supply->has(epoch, step)) {  // the first step of a block, and the one after it
          supply->enter(epoch, step);
          feed(*supply, data);
          stops.push_back(int64_t{epoch} * supply->steps() + step);
          stops.push_back(stops.back() + 1);
        }
    CHECK(dynamic_cast<train::Blocks&>(*supply).blocks() >= 5);
    for (const int64_t more : {3, 17, 50}) stops.push_back(more);
  }
  REQUIRE(stops.size() >= 20);
  train::Session undisturbed(cpu_devices(), "cpu", open(data, config, bounds), config);
  const Curve all = run_fed(undisturbed, data);
  REQUIRE(all.losses.size() > 100);
  for (const int64_t stop : stops) {
    INFO("stopped at step " << stop);
    train::Session first(cpu_devices(), "cpu", open(data, config, bounds), config);
    Curve joined = run_fed(first, data, stop);
    REQUIRE(first.state().step == stop);
    const auto bytes = train::save_checkpoint(first, "waves", "null", {});
    const train::Checkpoint checkpoint = train::read_checkpoint(bytes);
    train::Restored resumed =
        train::restore_session(checkpoint, cpu_devices(), "cpu", open(data, config, bounds, checkpoint.scaler));
    CHECK(resumed.notice.empty());
    const Curve rest = run_fed(*resumed.session, data);
    joined.losses.insert(joined.losses.end(), rest.losses.begin(), rest.losses.end());
    joined.validation.insert(joined.validation.end(), rest.validation.begin(), rest.validation.end());
    joined.end = rest.end;
    check_equal(joined, all);
  }
}

TEST_CASE("another block lies in the memory of the one before", "[train][blocks]") {
  Elsewhere data = waves(3000, gaps);
  const train::TrainConfig config = small_config({{"epochs", 3}});
  train::Session session(cpu_devices(), "cpu", open(data, config, tight()), config);
  Curve curve;
  for (int i = 0; i < 10; ++i) work(session, data, 1, curve);
  const Counters before = session.device().counters();
  const uint64_t bytes = session.step_bytes(), served = data.served;
  for (int i = 0; i < 120; ++i) work(session, data, 1, curve);
  CHECK(data.served > served + 1000);
  CHECK(session.device().counters().kernels > before.kernels);
  CHECK(session.device().counters().allocations == before.allocations);
  CHECK(session.device().counters().live_buffers == before.live_buffers);
  CHECK(session.step_bytes() == bytes);
  const ForecastData& block = session.data();
  CHECK((block.feature_values().size() + block.target_values().size()) * sizeof(float) < 4000 + 15 * 10 * 3 * 4);
}

TEST_CASE("a run in blocks whose device is lost goes back to its copy's block and ends the same", "[train][blocks]") {
  const train::RecoveryPolicy often{.steps = 7, .seconds = 1e9, .again_within = 0, .now = {}};
  const train::TrainConfig config = small_config({{"ema", 0.9}, {"patience", 2}});
  const auto run_on = [&](Farm& farm, Elsewhere& data) {
    train::Session session(farm.devices(), "webgl", open(data, config, tight()), config, nullptr, often);
    return run_fed(session, data);
  };
  Elsewhere data = waves(700, gaps);
  Farm still;
  const Curve undisturbed = run_on(still, data);
  const uint64_t served = data.served;
  REQUIRE(undisturbed.losses.size() > 60);
  uint64_t again = 0;
  for (int64_t life = 1; life < still.calls; life += 173) {
    Farm farm{.lives = {life}};
    INFO("lost in call " << life << " of " << still.calls);
    data.served = 0;
    check_equal(run_on(farm, data), undisturbed);
    CHECK(farm.cpus == 0);
    again += data.served > served;
  }
  CHECK(again > 3);  // had to go back to an earlier block
}

TEST_CASE("validation on a part of the windows is evenly spread, said, and that of the baselines", "[train][blocks]") {
  Elsewhere data = waves(20'000, gaps);
  const train::TrainConfig config = small_config();
  train::Opening opening(choice_of(data), config, std::nullopt, nullptr, tight(8000, 24'000));
  feed(opening, data);
  const auto supply = opening.take();
  const ForecastData whole(series_of(data), train::window_config(config));
  const auto& windows = supply->validation().windows().validation;
  const auto& all = whole.windows().validation;
  CHECK(windows.size() > 100);
  CHECK(windows.size() < all.size() / 2);
  const auto notices = opening.take_notices();
  REQUIRE(notices.size() == 1);
  CHECK(notices[0].code == "validation.sampled");
  CHECK(notices[0].message.find(std::to_string(windows.size()) + " of " + std::to_string(all.size()) + " windows") !=
        std::string::npos);
  std::vector<uint32_t> rows;
  for (const uint32_t start : windows) rows.push_back(static_cast<uint32_t>(supply->validation().row_of(start)));
  CHECK(std::is_sorted(rows.begin(), rows.end()));
  CHECK(std::adjacent_find(rows.begin(), rows.end()) == rows.end());
  CHECK(std::includes(all.begin(), all.end(), rows.begin(), rows.end()));
  CHECK(rows.front() < 16'000 - 8 + 50);
  CHECK(rows.back() > 20'000 - 60);
  for (size_t i = 1; i < rows.size(); ++i) CHECK(rows[i] - rows[i - 1] < 4000 / 5);  // at least six pieces
  // The baselines are those of these windows: seasons before them are there, too.
  CHECK(opening.season() == propose_season(whole)->period);
  MetricSum seasonal, naive;
  for (const uint32_t row : rows)
    for (uint32_t h = 1; h <= 2; ++h) {
      const uint32_t at = row + 7 + h;
      uint32_t back = 24;
      while (std::isnan(whole.target(at - back, 0))) back += 24;
      seasonal.add(whole.target(at - back, 0), whole.target(at, 0));
      naive.add(whole.target(row + 7, 0), whole.target(at, 0));
    }
  CHECK(seasonal_naive_forecast(supply->validation(), 24).scaled.mse == seasonal.result().mse);
  CHECK(naive_forecast(supply->validation()).scaled.mse == naive.result().mse);
  CHECK(data.served <= 20'000 + 1500);
}

TEST_CASE("a season that no piece could look back over is left out, and said", "[train][blocks]") {
  Elsewhere data = waves(6000);
  train::TrainConfig config = small_config();
  config.season = 2000;
  train::Opening opening(choice_of(data), config, std::nullopt, nullptr, tight(8000, 8000));
  feed(opening, data);
  CHECK(opening.season() == 0);
  CHECK(opening.take_notices()[0].code == "season.too_long");
}

TEST_CASE("a run in blocks may be raced for on its first block, and trains as one that was not", "[race][blocks]") {
  Elsewhere data = waves(900, gaps);
  const train::TrainConfig config = small_config({{"device", "auto"}});
  auto supply = open(data, config, tight());
  supply->enter(0, 0);
  feed(*supply, data);
  REQUIRE(supply->first_steps() > 0);
  REQUIRE(supply->first_steps() < supply->steps());
  Farm farm;
  train::Race race(farm.devices(), *supply, config);
  for (int turns = 0; !race.turn(); ++turns) REQUIRE(turns < 1'000'000);
  train::Session raced(cpu_devices(), "cpu", std::move(supply), config);
  train::Session forced(cpu_devices(), "cpu", open(data, config, tight()), config);
  check_equal(run_fed(raced, data), run_fed(forced, data));
}

TEST_CASE("a step that is refused in a block names the row of the file", "[train][blocks]") {
  Elsewhere data = waves(2000);
  data.columns[0][1234] = 3e38f;
  const train::TrainConfig config = small_config({{"clipNorm", 0}});
  train::Session session(
      cpu_devices(), "cpu",
      open(data, config, tight(), Scaler{{{"load", 5, 1}, {"temperature", 20, 1}}, {{"load", 5, 1}}}), config);
  CHECK_THROWS_WITH(run_fed(session, data), Catch::Contains("row 1235, column 'load'"));
}

TEST_CASE("a block stays until the losses of its last steps are here: one that is refused is explained",
          "[train][blocks]") {
  Elsewhere data = waves(2000);
  data.columns[2][0] = INFINITY;  // a row of one window alone
  const Scaler scaler{{{"load", 5, 1}, {"temperature", 20, 1}}, {{"load", 5, 1}}};
  for (int seed = 0;; ++seed) {
    REQUIRE(seed < 500);
    const train::TrainConfig config = small_config({{"seed", seed}});
    const auto supply = open(data, config, tight(), scaler);
    const int at = [&] {  // the last step of a block whose next one comes at once
      for (int step = 0; step < supply->steps(); ++step) {
        supply->enter(0, step);
        feed(*supply, data);
        for (const uint32_t start : supply->batch(0, step))
          if (supply->training().row_of(start) == 0) return supply->has(0, step + 1) ? -1 : step;
      }
      return -1;
    }();
    if (at < 0 || at + 1 == supply->steps()) continue;
    Farm farm;
    train::Session session(farm.devices(), "webgl", open(data, config, tight(), scaler), config);
    CHECK_THROWS_WITH(run_fed(session, data), Catch::Contains("at step " + std::to_string(at + 1) + " ") &&
                                                  Catch::Contains("row 1, column 'temperature'"));
    CHECK(session.state().step == at);
    break;
  }
}

TEST_CASE("a checkpoint of a run in blocks meets its data changed, or cut into other blocks", "[train][blocks]") {
  Elsewhere data = waves(1200, gaps), changed = data;
  changed.columns[0][777] += 1;
  const train::TrainConfig config = small_config();
  train::Session session(cpu_devices(), "cpu", open(data, config, tight()), config);
  run_fed(session, data, 9);
  const auto bytes = train::save_checkpoint(session, "waves", "null", {});
  const train::Checkpoint checkpoint = train::read_checkpoint(bytes);
  CHECK(checkpoint.dataset["rows"] == 1200);
  const auto restored = [&](Elsewhere& on, const train::Bounds& bounds) {
    return train::restore_session(checkpoint, cpu_devices(), "cpu", open(on, config, bounds, checkpoint.scaler));
  };
  CHECK(restored(data, tight()).notice.empty());
  CHECK(restored(data, tight()).session->state().step_in_epoch == 9);
  CHECK(restored(changed, tight()).notice.find("is not the same as when") != std::string::npos);
  const train::Restored other = restored(data, tight(5000));
  CHECK(other.notice.find("other blocks") != std::string::npos);
  CHECK(other.session->state().step_in_epoch == 0);
  CHECK(other.session->state().step == 9);
}

TEST_CASE("a checkpoint whose windows were shown in another order goes on from the start of its epoch, and says so",
          "[train][blocks]") {
  Elsewhere data = waves(1200, gaps);
  const train::TrainConfig config = small_config();
  const train::Bounds in_memory = train::bounds_of(config);
  for (const train::Bounds& bounds : {in_memory, tight()}) {
    std::vector<uint8_t> bytes;
    const auto saved = [&](int steps) {
      train::Session session(cpu_devices(), "cpu", open(data, config, bounds), config);
      run_fed(session, data, steps);
      bytes = train::save_checkpoint(session, "waves", "null", {});
      return train::read_checkpoint(bytes);
    };
    const auto restored = [&](const train::Checkpoint& checkpoint) {
      return train::restore_session(checkpoint, cpu_devices(), "cpu", open(data, config, bounds, checkpoint.scaler));
    };
    train::Checkpoint checkpoint = saved(9);
    CHECK(restored(checkpoint).notice.empty());
    CHECK(restored(checkpoint).session->state().step_in_epoch == 9);
    const auto start_over = [&] {
      const train::Restored other = restored(checkpoint);
      CHECK(other.notice.find("in another order: training goes on from the start of an epoch") != std::string::npos);
      CHECK(other.session->state().step_in_epoch == 0);
      CHECK(other.session->state().step == 9);
      CHECK(other.session->state().epoch == 0);
    };
    checkpoint.dataset["order"] = "another";
    start_over();
    checkpoint.dataset.erase("order");  // as files have it from before there was another
    start_over();
    checkpoint.state.step_in_epoch = 0;
    CHECK(restored(checkpoint).notice.empty());  // nothing of the epoch was shown
  }
}

TEST_CASE("steps of a run in blocks see what the whole series in memory gives for the same windows",
          "[train][blocks]") {
  Elsewhere data = waves(1500, gaps);
  const train::TrainConfig config = small_config({{"epochs", 2}});
  const auto supply = open(data, config, tight());
  train::Session session(cpu_devices(), "cpu", open(data, config, tight()), config);
  const Curve curve = run_fed(session, data);
  const ForecastData whole(series_of(data), train::window_config(config));
  train::Learner learner(make_cpu_device(), whole, config);
  for (size_t i = 0; i < curve.losses.size(); ++i) {
    const int epoch = static_cast<int>(i) / supply->steps(), step = static_cast<int>(i) % supply->steps();
    supply->enter(epoch, step);
    feed(*supply, data);
    std::vector<uint32_t> rows;
    for (const uint32_t start : supply->batch(epoch, step))
      rows.push_back(static_cast<uint32_t>(supply->training().row_of(start)));
    std::array<float, train::StepNumbers::kCount> n{};
    REQUIRE(learner.device().finish_read(learner.step(rows, config.learning_rate), n));
    REQUIRE(curve.losses[i].second == n[0]);
  }
  CHECK(curve.losses.size() == static_cast<size_t>(2 * supply->steps()));
}

TEST_CASE("blocks are renewed in place on the graphics device, too", "[train][blocks][webgl]") {
  Elsewhere data = waves(1200, gaps);
  const train::TrainConfig config = small_config({{"epochs", 1}});
  const train::Devices cards{[](const std::string&) { return make_webgl_device(); }, [] { return train::Gpu{}; }};
  train::Session card(cards, "webgl", open(data, config, tight()), config);
  train::Session cpu(cpu_devices(), "cpu", open(data, config, tight()), config);
  Curve a, b;
  for (int i = 0; i < 12; ++i) work(card, data, 1, a);
  const Counters before = card.device().counters();
  const Curve rest = run_fed(card, data, card.steps_per_epoch() - 1, 1);
  CHECK(card.device().counters().live_buffers <= before.live_buffers + 2);  // a copy under way
  a.losses.insert(a.losses.end(), rest.losses.begin(), rest.losses.end());
  b = run_fed(cpu, data, cpu.steps_per_epoch() - 1);
  REQUIRE(a.losses.size() == b.losses.size());
  for (size_t i = 0; i < a.losses.size(); ++i) CHECK(a.losses[i].second == Approx(b.losses[i].second).margin(1e-4));
}

TEST_CASE("a step in blocks that is not finite is traced to the row of the file and its line", "[train][blocks]") {
  Elsewhere data = waves(900);
  data.columns[0][300] = 3e38f;
  const Scaler scaler{{{"load", 0, 1}, {"temperature", 0, 1}}, {{"load", 0, 1}}};
  const auto message = [&] {
    const train::TrainConfig config = small_config({{"clipNorm", 0}});
    train::Session session(cpu_devices(), "cpu", open(data, config, tight(4000), scaler), config);
    try {
      run_fed(session, data);
    } catch (const Error& e) {
      CHECK(e.code() == "train.diverged");
      return std::string(e.what());
    }
    return std::string("no step was refused");
  };
  CHECK_THAT(message(), Catch::Contains("row 301, column 'load'"));
  data.lines = {{0, 2}, {100, 105}};  // three lines in between are empty
  CHECK_THAT(message(), Catch::Contains("row 301 (line 305), column 'load'"));
}

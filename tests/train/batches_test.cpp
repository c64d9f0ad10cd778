// What decides which windows a step sees, at which rate, on which device.
#include "train/batches.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

#include "cpu/cpu_device.h"
#include "forecast/windows.h"
#include "tests/train/series.h"
#include "train/race.h"

using namespace sg;

TEST_CASE("an epoch shows every window once, in an order that follows from seed and epoch alone", "[train]") {
  std::vector<uint32_t> windows(101);
  std::iota(windows.begin(), windows.end(), 40u);
  const auto epoch = [&](train::Batches& b, int number) {
    std::vector<uint32_t> all;
    for (int i = 0; i < b.count(); ++i) {
      const auto batch = b.batch(number, i);
      CHECK(batch.size() == (i < 6 ? 16u : 5u));
      all.insert(all.end(), batch.begin(), batch.end());
    }
    return all;
  };
  train::Batches a(windows, 16, 3), b(windows, 16, 3), other(windows, 16, 4);
  CHECK(a.count() == 7);
  const auto first = epoch(a, 0), second = epoch(a, 1);
  CHECK(first != windows);
  CHECK(first != second);
  CHECK(epoch(b, 1) == second);
  CHECK(epoch(b, 0) == first);
  CHECK(epoch(other, 0) != first);
  auto sorted = second;
  std::sort(sorted.begin(), sorted.end());
  CHECK(sorted == windows);
}

TEST_CASE("the race never picks a software renderer, and says why it picked", "[train]") {
  const CsvTable table = read_csv(std::string_view(test::wave_csv(200)));
  const ForecastData data(series_from_csv(table, {1}, {1}), {12, 1, 0.2});
  train::TrainConfig config;
  config.look_back = 12;
  config.values = models::validated(models::find("lstm"), {{"hidden", 4}});
  int made = 0;
  train::Devices devices{[&](const std::string&) {
                           ++made;
                           return make_cpu_device();
                         },
                         [] {
                           return train::Gpu{true, true, "SwiftShader", ""};
                         }};
  CHECK(train::choose_device(devices, config, data).device == "cpu");
  CHECK(train::choose_device(devices, config, data).reason.find("SwiftShader") != std::string::npos);
  CHECK(made == 0);
  devices.gpu = [] { return train::Gpu{false, false, "", "WebGL2 is switched off"}; };
  CHECK(train::choose_device(devices, config, data).reason.find("WebGL2 is switched off") != std::string::npos);
  devices.gpu = [] { return train::Gpu{true, false, "A real card", ""}; };
  const train::Choice raced = train::choose_device(devices, config, data);
  CHECK(made == 2);
  CHECK(raced.reason.find("A real card") != std::string::npos);
  CHECK(raced.reason.find("ms a step") != std::string::npos);
  config.device = "webgl";
  CHECK(train::choose_device(devices, config, data).device == "webgl");
}

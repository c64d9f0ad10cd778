#include "train/supply.h"

#include <limits>

#include "forecast/series_crc.h"

namespace sg::train {

Supply::Supply(uint64_t windows, const TrainConfig& config)
    : windows_(windows), batch_(static_cast<uint64_t>(config.batch_size) * static_cast<uint64_t>(config.accumulate)) {
  if ((windows_ + batch_ - 1) / batch_ > static_cast<uint64_t>(std::numeric_limits<int>::max()))
    throw Error("config.too_large", "an epoch of " + std::to_string(windows_) +
                                        " windows has more than 2^31 steps of " + std::to_string(batch_) +
                                        ": choose a larger batch");
}

Resident::Resident(ForecastData data, const TrainConfig& config, nlohmann::json source)
    : Resident(std::make_unique<const ForecastData>(std::move(data)), config, std::move(source)) {}

Resident::Resident(std::unique_ptr<const ForecastData> data, const TrainConfig& config, nlohmann::json source)
    : Supply(data->windows().training.size(), config),
      data_(std::move(data)),
      batches_(data_->windows().training, config.batch_size * config.accumulate, config.seed),
      source_(std::move(source)) {}

nlohmann::json Resident::fingerprint() const {
  SeriesCrc crc;
  for (size_t row = 0; row < data_->rows(); ++row) crc.add(data_->target(row, 0));
  nlohmann::json j{
      {"rows", data_->rows()}, {"trainingWindows", data_->windows().training.size()}, {"target", crc.hex()}};
  if (!source_.is_null()) j["source"] = source_;
  return j;
}

void Resident::fed() { throw Error("rows.not_asked", "no rows are wanted"); }

}  // namespace sg::train

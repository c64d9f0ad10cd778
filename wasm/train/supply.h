// Where a run's windows come from: which of them each step sees, and the rows that they lie in. A series in memory is
// all there (Resident); one that is larger comes in blocks (train/blocks.h), whose rows are asked for and fed.
#pragma once
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "forecast/rows.h"
#include "forecast/windows.h"
#include "train/batches.h"
#include "train/config.h"

namespace sg::train {

/// Something about the run that a person should know, as a code and a sentence.
struct Notice {
  std::string code, message;
};

class Supply {
 public:
  virtual ~Supply() = default;

  /// What steps gather their windows from: it lies on the device.
  virtual const ForecastData& training() const = 0;
  /// With the validation windows.
  virtual const ForecastData& validation() const = 0;
  /// Windows that touch a missing value.
  virtual uint64_t skipped() const = 0;
  /// What ties a checkpoint to this data, see checkpoint.h.
  virtual nlohmann::json fingerprint() const = 0;

  /// Whether the windows of that step are here.
  virtual bool has(int epoch, int step) const = 0;
  /// Has them brought: what need() says is to be fed. What is here is gone.
  virtual void enter(int epoch, int step) = 0;
  virtual std::optional<RowFeed::Need> need() = 0;
  virtual void fed() = 0;
  /// Another number whenever other rows lie in training().
  virtual uint64_t version() const = 0;
  /// First rows, in training(), of the windows of a step that is here; valid until the next call.
  virtual std::span<const uint32_t> batch(int epoch, int step) = 0;
  /// How many of the first epoch's first steps are here.
  virtual int first_steps() const = 0;
  /// Of memory that the data takes, in this room, not on the device.
  virtual uint64_t bytes() const = 0;

  /// Training windows, each of which an epoch shows once.
  uint64_t windows() const { return windows_; }
  /// Of an epoch; the last step may have fewer windows than the others.
  int steps() const { return static_cast<int>((windows_ + batch_ - 1) / batch_); }
  size_t size_of(int step) const {
    return static_cast<size_t>(std::min(batch_, windows_ - static_cast<uint64_t>(step) * batch_));
  }

 protected:
  /// Throws config.too_large where an epoch has more steps than can be counted.
  Supply(uint64_t windows, const TrainConfig& config);
  uint64_t batch_size() const { return batch_; }

 private:
  uint64_t windows_, batch_;
};

class Resident final : public Supply {
 public:
  /// `source`: of the file, as its manifest has it; null: unknown.
  Resident(ForecastData data, const TrainConfig& config, nlohmann::json source = nullptr);
  Resident(std::unique_ptr<const ForecastData> data, const TrainConfig& config, nlohmann::json source = nullptr);

  const ForecastData& training() const override { return *data_; }
  const ForecastData& validation() const override { return *data_; }
  uint64_t skipped() const override { return data_->windows().skipped_training + data_->windows().skipped_validation; }
  nlohmann::json fingerprint() const override;
  bool has(int, int) const override { return true; }
  void enter(int, int) override {}
  std::optional<RowFeed::Need> need() override { return std::nullopt; }
  void fed() override;
  uint64_t version() const override { return 0; }
  std::span<const uint32_t> batch(int epoch, int step) override { return batches_.batch(epoch, step); }
  int first_steps() const override { return steps(); }
  uint64_t bytes() const override { return data_->bytes(); }

 private:
  std::unique_ptr<const ForecastData> data_;
  Batches batches_;
  nlohmann::json source_;
};

}  // namespace sg::train

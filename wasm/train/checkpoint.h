// A run as one safetensors file: weights under PyTorch's names, optimiser state under "optimizer.", averages of
// the weights under "ema.", the best ones under "best.", and in the metadata everything else that a resume needs.
// FORMATS.md lists the keys.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/csv.h"
#include "io/safetensors.h"
#include "train/choice.h"
#include "train/session.h"

namespace sg::train {

/// Throws train.pending while losses are still on the device, train.not_finite when a weight is not a number.
/// `history` is any JSON text, handed back by restore; `choice` is how the run came to its device.
std::vector<uint8_t> save_checkpoint(Session& session, const std::string& dataset_name, const std::string& history,
                                     const Choice& choice);

/// A checkpoint read and checked, before any device is involved.
struct Checkpoint {
  SafetensorsFile file;  // over the caller's bytes
  TrainConfig config;
  State state;
  Scaler scaler;
  std::optional<TableEncoding> encoding;  // of a table
  std::optional<Choice> choice;           // none in those of an earlier version
  nlohmann::json dataset;
  nlohmann::json history;  // null when it cannot be read
};
Checkpoint read_checkpoint(std::span<const uint8_t> bytes);
Checkpoint read_checkpoint(std::vector<uint8_t>&& bytes) = delete;  // they would be gone before it is used

struct Restored {
  std::unique_ptr<Session> session;
  /// What the person should know: "" or one sentence, e.g. that the data has changed since.
  std::string notice;
};
/// The session goes on where the checkpoint stood. Throws checkpoint.mismatch when the data lacks its columns or a
/// tensor has another shape. On other data of the same columns it goes on with a fresh epoch, and says so.
Restored restore_session(const Checkpoint& checkpoint, const Devices& devices, const std::string& device,
                         std::unique_ptr<Supply> supply);

}  // namespace sg::train

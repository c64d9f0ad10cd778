#include "train/checkpoint.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>

#include "core/check.h"

namespace sg::train {
namespace {

using nlohmann::json;

constexpr const char* kFormat = "shadegrad/1";

/// What ties a checkpoint to its data: enough to notice other rows, not to store any.
json fingerprint(const ForecastData& data, const std::string& name) {
  uint32_t crc = 0;
  for (size_t row = 0; row < data.rows(); ++row) {
    const float value = data.target(row, 0);
    uint8_t bytes[4];
    std::memcpy(bytes, &value, 4);
    crc = crc32c(bytes, crc);
  }
  char hex[9];
  std::snprintf(hex, sizeof hex, "%08x", crc);
  return {{"name", name}, {"rows", data.rows()}, {"trainingWindows", data.windows().training.size()}, {"target", hex}};
}

struct Entry {
  std::string name;
  std::vector<uint64_t> shape;
  std::vector<float> values;
};

std::vector<Entry> entries(const Session& session) {
  std::vector<Entry> all;
  const auto add = [&](const std::string& name, const Tensor& t) {
    Entry e{name, {}, t.values()};
    for (int i = 0; i < t.rank(); ++i) e.shape.push_back(static_cast<uint64_t>(t.shape()[i]));
    for (const float v : e.values)
      if (!std::isfinite(v))
        throw Error("train.not_finite", "tensor '" + name +
                                            "' holds a value that is not a number: the run has diverged and " +
                                            "is not saved; the last checkpoint is untouched");
    all.push_back(std::move(e));
  };
  for (const Parameter& p : session.parameters()) add(p.name, p.value);
  for (const Parameter& p : session.buffers()) add(p.name, p.value);
  for (const Parameter& p : session.optimizer().state()) add("optimizer." + p.name, p.value);
  return all;
}

void load(const SafetensorsFile& file, const std::string& name, Tensor& tensor) {
  const TensorEntry& entry = file.entry(name);
  std::vector<uint64_t> shape;
  for (int i = 0; i < tensor.rank(); ++i) shape.push_back(static_cast<uint64_t>(tensor.shape()[i]));
  if (entry.shape != shape)
    throw Error("checkpoint.mismatch",
                "tensor '" + name + "' of the checkpoint does not have the model's shape " + str(tensor.shape()));
  tensor.set_value(Tensor::from(tensor.device(), tensor.shape(), file.floats(name)));
}

/// Discarded when it is not JSON. What is nested deeper than anything that was ever saved is refused: writing it out
/// again would exhaust the stack.
json parse(const SafetensorsFile& file, const std::string& key) {
  constexpr int kDeepest = 32;
  const auto shallow = [&](int depth, json::parse_event_t, json&) {
    if (depth > kDeepest)
      throw Error("checkpoint.corrupt",
                  "the checkpoint's '" + key + "' is nested more than " + std::to_string(kDeepest) + " levels deep");
    return true;
  };
  return json::parse(file.value(key), shallow, false);
}

json parse_whole(const SafetensorsFile& file, const std::string& key) {
  json j = parse(file, key);
  if (j.is_discarded()) throw Error("checkpoint.corrupt", "the checkpoint's '" + key + "' is not valid JSON");
  return j;
}

}  // namespace

std::vector<uint8_t> save_checkpoint(const Session& session, const std::string& dataset_name,
                                     const std::string& history) {
  if (session.pending() > 0)
    throw Error("train.pending", "losses are still on the device: poll until none is pending, then save");
  if (session.diverged())
    throw Error("train.not_finite", "the run has diverged and is not saved; the last checkpoint is untouched");
  const std::vector<Entry> all = entries(session);
  std::vector<TensorBytes> tensors;
  for (const Entry& e : all) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(e.values.data());
    tensors.push_back({e.name, Dtype::F32, e.shape, {bytes, e.values.size() * 4}});
  }
  const std::map<std::string, std::string> metadata{{"format", kFormat},
                                                    {"config", session.config().to_json().dump()},
                                                    {"state", session.state().to_json().dump()},
                                                    {"scaler", session.data().scaler().to_json().dump()},
                                                    {"dataset", fingerprint(session.data(), dataset_name).dump()},
                                                    {"history", history}};
  return write_safetensors(tensors, metadata);
}

Checkpoint read_checkpoint(std::span<const uint8_t> bytes) {
  SafetensorsFile file(bytes);
  if (file.value("format") != kFormat)
    throw Error("checkpoint.version",
                "the checkpoint's format is '" + file.value("format") + "', and this version reads '" + kFormat + "'");
  TrainConfig config = TrainConfig::from_json(parse_whole(file, "config"));
  const State state = State::from_json(parse_whole(file, "state"));
  Scaler scaler = Scaler::from_json(parse_whole(file, "scaler"));
  json dataset = parse_whole(file, "dataset");
  json history = parse(file, "history");
  if (history.is_discarded()) history = nullptr;
  return {std::move(file), std::move(config), state, std::move(scaler), std::move(dataset), std::move(history)};
}

Restored restore_session(const Checkpoint& checkpoint, std::unique_ptr<Device> device, ForecastData data) {
  Restored out;
  State state = checkpoint.state;
  const json now = fingerprint(data, "");
  const auto value = [](const json& j, const char* key) { return j.contains(key) ? j[key] : json(); };
  const bool same = value(now, "rows") == value(checkpoint.dataset, "rows") &&
                    value(now, "target") == value(checkpoint.dataset, "target");
  out.session = std::make_unique<Session>(std::move(device), std::move(data), checkpoint.config);
  if (!same && state.step_in_epoch > 0) {
    state.step_in_epoch = 0;
    state.loss_sum = 0;
    state.loss_count = 0;
  }
  const json then = value(checkpoint.dataset, "rows");
  if (!same)
    out.notice = "the data is not the same as when the checkpoint was saved (" +
                 (then.is_number() ? then.dump() : "an unknown number of") + " rows then, " +
                 value(now, "rows").dump() +
                 " now): training goes on from the start of an epoch, with the scaling of the checkpoint";
  SG_CHECK(state.step_in_epoch <= out.session->steps_per_epoch(),
           "the checkpoint's place lies beyond the end of an epoch");
  for (Parameter p : out.session->parameters()) load(checkpoint.file, p.name, p.value);
  for (Parameter p : out.session->buffers()) load(checkpoint.file, p.name, p.value);
  out.session->optimizer().load(
      [&](const std::string& name, Tensor& t) { load(checkpoint.file, "optimizer." + name, t); });
  out.session->resume(state);
  return out;
}

}  // namespace sg::train

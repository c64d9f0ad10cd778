#include "train/checkpoint.h"

#include <cmath>
#include <limits>
#include <map>

#include "core/check.h"
#include "train/permutation.h"

namespace sg::train {
namespace {

using nlohmann::json;

json value_of(const json& j, const char* key) { return j.is_object() && j.contains(key) ? j[key] : json(); }

/// Whether two fingerprints are of the same rows: what both have and says most decides.
bool same_data(const json& a, const json& b) {
  if (value_of(a, "rows") != value_of(b, "rows")) return false;
  for (const char* key : {"target", "values"}) {
    const json of_a = value_of(a, key), of_b = value_of(b, key);
    if (!of_a.is_null() && !of_b.is_null()) return of_a == of_b;
  }
  const json from_a = value_of(a, "source"), from_b = value_of(b, "source");
  for (const char* key : {"size", "head", "tail"})
    if (value_of(from_a, key).is_null() || value_of(from_a, key) != value_of(from_b, key)) return false;
  return true;
}

const std::string kBest = "best.";

std::vector<uint64_t> sizes(const Shape& shape) {
  std::vector<uint64_t> all;
  for (int i = 0; i < shape.rank(); ++i) all.push_back(static_cast<uint64_t>(shape[i]));
  return all;
}

TensorBytes bytes_of(const std::string& prefix, const Values& v) {
  for (const float value : v.values)
    if (!std::isfinite(value))
      throw Error("train.not_finite", "tensor '" + prefix + v.name +
                                          "' holds a value that is not a number: the run is not saved; the last " +
                                          "checkpoint is untouched");
  return {prefix + v.name,
          Dtype::F32,
          sizes(v.shape),
          {reinterpret_cast<const uint8_t*>(v.values.data()), v.values.size() * 4}};
}

Copy copy_of(const SafetensorsFile& file) {
  Copy copy;
  for (const TensorEntry& entry : file.header().tensors) {
    std::vector<int> shape;
    for (const uint64_t n : entry.shape) {
      if (n < 1 || n > uint64_t{std::numeric_limits<int>::max()} || shape.size() == kMaxRank)
        throw Error("checkpoint.mismatch", "tensor '" + entry.name + "' of the checkpoint has no shape of a model's");
      shape.push_back(static_cast<int>(n));
    }
    const bool best = entry.name.rfind(kBest, 0) == 0;
    (best ? copy.best : copy.tensors)
        .push_back({best ? entry.name.substr(kBest.size()) : entry.name, Shape(shape), file.floats(entry.name)});
  }
  return copy;
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

std::vector<uint8_t> save_checkpoint(Session& session, const std::string& dataset_name, const std::string& history,
                                     const Choice& choice) {
  const Copy copy = session.copy();
  json dataset = session.supply().fingerprint();
  dataset["name"] = dataset_name;
  dataset["order"] = kWindowOrder;
  std::vector<TensorBytes> tensors;
  for (const Values& v : copy.tensors) tensors.push_back(bytes_of("", v));
  for (const Values& v : copy.best) tensors.push_back(bytes_of(kBest, v));
  std::map<std::string, std::string> metadata{{"format", std::string(kCheckpointFormat)},
                                              {"config", session.config().to_json().dump()},
                                              {"state", copy.state.to_json().dump()},
                                              {"device", choice.to_json().dump()},
                                              {"scaler", session.data().scaler().to_json().dump()},
                                              {"dataset", dataset.dump()},
                                              {"history", history}};
  if (const TableEncoding* encoding = session.data().encoding()) metadata["encoding"] = encoding->to_json().dump();
  return write_safetensors(tensors, metadata);
}

Checkpoint read_checkpoint(std::span<const uint8_t> bytes) {
  SafetensorsFile file(bytes);
  file.value("format");  // there, and then the reader has compared it
  TrainConfig config = TrainConfig::from_json(parse_whole(file, "config"));
  const State state = State::from_json(parse_whole(file, "state"));
  Scaler scaler = Scaler::from_json(parse_whole(file, "scaler"));
  std::optional<TableEncoding> encoding;
  if (file.header().metadata.count("encoding")) encoding = TableEncoding::from_json(parse_whole(file, "encoding"));
  std::optional<Choice> choice;
  if (file.header().metadata.count("device")) choice = Choice::from_json(parse_whole(file, "device"));
  json dataset = parse_whole(file, "dataset");
  json history = parse(file, "history");
  if (history.is_discarded()) history = nullptr;
  return {std::move(file),    std::move(config), state, std::move(scaler), std::move(encoding), std::move(choice),
          std::move(dataset), std::move(history)};
}

Restored restore_session(const Checkpoint& checkpoint, const Devices& devices, const std::string& device,
                         std::unique_ptr<Supply> supply) {
  Restored out;
  Copy copy = copy_of(checkpoint.file);
  copy.state = checkpoint.state;
  const json now = supply->fingerprint();
  const bool same = same_data(now, checkpoint.dataset);
  // The windows that an epoch has shown are known by the order that they were shown in.
  const bool same_blocks = value_of(now, "blocks") == value_of(checkpoint.dataset, "blocks");
  const bool same_order = value_of(checkpoint.dataset, "order") == kWindowOrder;
  if (!(same && same_blocks && same_order) && copy.state.step_in_epoch > 0) {
    copy.state.step_in_epoch = 0;
    copy.state.loss_sum = 0;
    copy.state.loss_count = 0;
    if (same)
      out.notice = std::string(same_order ? "the data is read in other blocks than when the checkpoint was saved"
                                          : "the checkpoint was saved by a version that shows the windows of an epoch "
                                            "in another order") +
                   ": training goes on from the start of an epoch";
  }
  if (!same) {  // what was best on other rows says nothing of these
    copy.state.best.reset();
    copy.best.clear();
  }
  const json then = value_of(checkpoint.dataset, "rows");
  if (!same)
    out.notice = "the data is not the same as when the checkpoint was saved (" +
                 (then.is_number() ? then.dump() : "an unknown number of") + " rows then, " +
                 value_of(now, "rows").dump() +
                 " now): training goes on from the start of an epoch, with the scaling of the checkpoint";
  out.session = std::make_unique<Session>(devices, device, std::move(supply), checkpoint.config, &copy);
  return out;
}

}  // namespace sg::train

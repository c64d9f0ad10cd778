// Drives the C ABI as the training worker does: JSON in, JSON out.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bindings/exports.h"

namespace sg::test {

using nlohmann::json;

inline json reply(const char* text) { return json::parse(text); }

inline int open_dataset(const std::string& csv, json* description = nullptr) {
  const int dataset = reply(sg_dataset_open(R"({"name": "wave.csv"})"))["dataset"];
  // In uneven pieces, as a file arrives.
  for (size_t at = 0; at < csv.size(); at += 1000) {
    const size_t n = std::min<size_t>(1000, csv.size() - at);
    const json fed = reply(sg_dataset_feed(dataset, reinterpret_cast<const uint8_t*>(csv.data()) + at, static_cast<uint32_t>(n)));
    if (!fed["ok"]) return -1;
  }
  const json finished = reply(sg_dataset_finish(dataset));
  if (description) *description = finished;
  return finished["ok"] ? dataset : -1;
}

inline json config(const std::string& device = "cpu", int epochs = 2) {
  return {{"model", {{"name", "lstm"}, {"hidden", 8}, {"dropout", 0.1}}},
          {"data", {{"features", {"load", "temperature"}}, {"target", "load"}, {"lookBack", 12}, {"horizon", 3}}},
          {"training", {{"epochs", epochs}, {"batchSize", 16}, {"learningRate", 0.01}, {"seed", 7}, {"device", device}}}};
}

/// Trains `steps` steps, going through epochs, and returns (step, loss) of each.
inline std::vector<std::pair<int64_t, float>> train(int session, int64_t steps) {
  std::vector<std::pair<int64_t, float>> losses;
  json state = reply(sg_session_step(session, 0));
  const int64_t until = state.at("step").get<int64_t>() + steps;
  while (state.at("step") < until || state.at("pending") > 0) {
    if (state.at("finished")) break;
    if (state.at("epochDone")) state = reply(sg_session_next_epoch(session));
    state = reply(sg_session_step(session, state.at("step") < until ? 1 : 0));
    if (!state.at("ok")) throw std::runtime_error(state.dump());
    for (const json& r : state.at("recent")) losses.emplace_back(r[0], r[1]);
  }
  return losses;
}

inline std::vector<uint8_t> checkpoint(int session) {
  const json saved = reply(sg_session_checkpoint(session, R"({"history": {"epochs": [1, 2]}})"));
  if (!saved["ok"]) throw std::runtime_error(saved.dump());
  const auto* bytes = reinterpret_cast<const uint8_t*>(saved["pointer"].get<uintptr_t>());
  return {bytes, bytes + saved["length"].get<size_t>()};
}

}  // namespace sg::test

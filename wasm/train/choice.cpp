#include "train/choice.h"

#include <array>
#include <cmath>
#include <utility>

#include "io/error.h"

namespace sg::train {
namespace {

using nlohmann::json;

constexpr std::array<std::pair<How, const char*>, 7> kNames{{{How::raced, "raced"},
                                                             {How::forced, "forced"},
                                                             {How::no_gpu, "no_gpu"},
                                                             {How::software, "software"},
                                                             {How::resumed, "resumed"},
                                                             {How::moved, "moved"},
                                                             {How::lost, "lost"}}};

[[noreturn]] void corrupt(const std::string& why) {
  throw Error("checkpoint.corrupt", "the checkpoint's device " + why);
}

json timing_json(const std::optional<Timing>& t) {
  if (!t) return {};
  return {{"ms", t->ms}, {"steps", t->steps}, {"preparingMs", t->preparing_ms}};
}

std::optional<Timing> timing_from(const json& j) {
  if (j.is_null()) return std::nullopt;
  const Timing t{j.at("ms").get<double>(), j.at("steps").get<int>(), j.at("preparingMs").get<double>()};
  if (!(t.ms >= 0 && t.preparing_ms >= 0) || t.steps < 0) corrupt("has a time below 0");
  return t;
}

}  // namespace

json Choice::to_json() const {
  json j{{"device", device}, {"detail", detail}, {"cpu", timing_json(cpu)}, {"webgl", timing_json(webgl)}};
  for (const auto& [value, name] : kNames)
    if (value == how) j["how"] = name;
  return j;
}

Choice Choice::from_json(const json& j) {
  try {
    Choice c{j.at("device").get<std::string>(), How::forced, j.at("detail").get<std::string>(),
             timing_from(j.at("cpu")), timing_from(j.at("webgl"))};
    if (c.device != "cpu" && c.device != "webgl") corrupt("is neither cpu nor webgl");
    for (const auto& [value, name] : kNames) {
      if (j.at("how") != name) continue;
      c.how = value;
      return c;
    }
    corrupt("was chosen in a way that is not known");
  } catch (const json::exception& e) {
    corrupt(std::string("cannot be read: ") + e.what());
  }
}

std::optional<Choice> choose_without_race(const Devices& devices, const TrainConfig& config) {
  if (config.device != "auto") return Choice{config.device, How::forced, "", {}, {}};
  const Gpu gpu = devices.gpu();
  if (!gpu.available) return Choice{"cpu", How::no_gpu, gpu.reason, {}, {}};
  if (gpu.software) return Choice{"cpu", How::software, gpu.renderer, {}, {}};
  return std::nullopt;
}

Choice choose_for_resume(const Devices& devices, const TrainConfig& config, const std::optional<Choice>& stored) {
  Choice choice = stored.value_or(Choice{config.device == "auto" ? "cpu" : config.device, {}, "", {}, {}});
  choice.how = How::resumed;
  choice.detail = "";
  if (choice.device == "cpu") return choice;
  const Gpu gpu = devices.gpu();
  // On a software renderer the run would crawl; a person who wanted one has it.
  const bool emulated = gpu.available && gpu.software && config.device == "auto";
  if (gpu.available && !emulated) return choice;
  return {"cpu", How::moved, emulated ? gpu.renderer + " draws on the processor" : gpu.reason, choice.cpu,
          choice.webgl};
}

}  // namespace sg::train

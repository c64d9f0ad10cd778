#include "train/config.h"

#include <array>
#include <cmath>
#include <limits>
#include <sstream>
#include <utility>

#include "io/error.h"
#include "models/json.h"

namespace sg::train {
namespace {

using nlohmann::json;

[[noreturn]] void bad(const std::string& field, const std::string& why) {
  throw Error("config.bad_field", field + " " + why);
}

template <class T>
using Names = std::vector<std::pair<const char*, T>>;

const Names<optim::Kind> optimizers{
    {"adam", optim::Kind::adam}, {"adamw", optim::Kind::adamw}, {"sgd", optim::Kind::sgd}};
const Names<Loss> losses{{"mse", Loss::mse}, {"mae", Loss::mae}, {"huber", Loss::huber}};
const Names<optim::Schedule> schedules{{"constant", optim::Schedule::constant}, {"cosine", optim::Schedule::cosine}};
const Names<std::string> devices{{"auto", "auto"}, {"cpu", "cpu"}, {"webgl", "webgl"}};

/// Goes through the fields one by one, in either direction: `visit` below names each field once.
struct Reader {
  const json& from;
  std::vector<std::pair<std::string, std::string>> seen;

  const json* find(const char* group, const char* name) {
    seen.emplace_back(group, name);
    if (!from.contains(group) || !from[group].contains(name)) return nullptr;
    return &from[group][name];
  }
  template <class T>
  void number(const char* group, const char* name, T& value, double min, double max) {
    const json* j = find(group, name);
    if (!j) return;
    const std::string field = std::string(group) + "." + name;
    if (!j->is_number()) bad(field, "must be a number");
    const double v = j->get<double>();
    std::ostringstream limits;
    limits << "is " << v << ", and must be from " << min << " to " << max;
    if (!(v >= min && v <= max)) bad(field, limits.str());
    if (std::numeric_limits<T>::is_integer && v != std::floor(v)) bad(field, "must be a whole number");
    value = static_cast<T>(v);
  }
  void text(const char* group, const char* name, std::string& value) {
    const json* j = find(group, name);
    if (!j) return;
    if (!j->is_string()) bad(std::string(group) + "." + name, "must be a text");
    value = j->get<std::string>();
  }
  void texts(const char* group, const char* name, std::vector<std::string>& value) {
    const json* j = find(group, name);
    if (!j) return;
    const std::string field = std::string(group) + "." + name;
    if (!j->is_array()) bad(field, "must be a list of column names");
    value.clear();
    for (const json& item : *j) {
      if (!item.is_string()) bad(field, "must be a list of column names");
      value.push_back(item.get<std::string>());
    }
  }
  template <class T>
  void choice(const char* group, const char* name, T& value, const Names<T>& names) {
    std::string given, allowed;
    text(group, name, given);
    if (given.empty()) return;
    for (const auto& [text, meaning] : names) {
      if (given == text) {
        value = meaning;
        return;
      }
      allowed += (allowed.empty() ? "" : ", ") + std::string(text);
    }
    bad(std::string(group) + "." + name, "is '" + given + "', and must be one of " + allowed);
  }
  void refuse_others() const {
    if (!from.is_object()) bad("the configuration", "must be an object");
    for (const auto& [group, fields] : from.items()) {
      if (group != "data" && group != "training" && group != "model") bad(group, "is not a part of the configuration");
      if (!fields.is_object()) bad(group, "must be an object");
      if (group == "model") continue;  // checked against the model's own fields
      for (const auto& [name, value] : fields.items()) {
        bool known = false;
        for (const auto& s : seen) known = known || (s.first == group && s.second == name);
        if (!known) bad(group + "." + name, "is not a field of the configuration");
      }
    }
  }
};

struct Writer {
  json& to;
  template <class T>
  void number(const char* group, const char* name, const T& value, double, double) {
    to[group][name] = value;
  }
  void text(const char* group, const char* name, const std::string& value) { to[group][name] = value; }
  void texts(const char* group, const char* name, const std::vector<std::string>& value) { to[group][name] = value; }
  template <class T>
  void choice(const char* group, const char* name, const T& value, const Names<T>& names) {
    for (const auto& [text, meaning] : names)
      if (meaning == value) to[group][name] = text;
  }
};

/// Every field but the model's: group, name, where it is kept, limits.
template <class Visitor, class C>
void visit(Visitor& v, C& c) {
  v.texts("data", "features", c.features);
  v.text("data", "target", c.target);
  v.number("data", "lookBack", c.look_back, 1, 4096);
  v.number("data", "horizon", c.horizon, 1, 1024);
  v.number("data", "validationFraction", c.validation_fraction, 0.01, 0.9);
  v.number("data", "season", c.season, 0, 1e6);
  v.number("training", "epochs", c.epochs, 1, 100000);
  v.number("training", "batchSize", c.batch_size, 1, 4096);
  v.number("training", "learningRate", c.learning_rate, 1e-8, 10);
  v.choice("training", "optimizer", c.optimizer, optimizers);
  v.number("training", "weightDecay", c.weight_decay, 0, 10);
  v.number("training", "momentum", c.momentum, 0, 0.9999);
  v.choice("training", "loss", c.loss, losses);
  v.number("training", "clipNorm", c.clip_norm, 0, 1e6);
  v.choice("training", "schedule", c.schedule, schedules);
  v.number("training", "warmupSteps", c.warmup_steps, 0, 1e6);
  v.number("training", "seed", c.seed, 0, 9007199254740991.0);
  v.choice("training", "device", c.device, devices);
}

}  // namespace

TrainConfig TrainConfig::from_json(const json& j) {
  TrainConfig c;
  Reader reader{j, {}};
  visit(reader, c);
  reader.refuse_others();
  const json model = j.contains("model") ? j["model"] : json::object();
  if (model.contains("name")) {
    if (!model["name"].is_string()) bad("model.name", "must be a text");
    c.model = model["name"].get<std::string>();
  }
  c.values = models::values_from_json(models::find(c.model), model);
  return c;
}

json TrainConfig::to_json() const {
  json j;
  Writer writer{j};
  visit(writer, *this);
  j["model"] = models::to_json(models::find(model), values);
  return j;
}

}  // namespace sg::train

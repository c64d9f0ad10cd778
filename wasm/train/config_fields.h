// What a configuration's field is beside its value, and the three things that are done with each: read from JSON,
// written to JSON, described for a form. config.cpp goes through the fields once with any of the three.
#pragma once
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "io/error.h"

namespace sg::train::fields {

/// Where a form shows a field: at once, folded away, or not as a plain control.
enum class Place { front, more, elsewhere };

/// Where another choice decides whether a field matters, and which value it has when it is left open.
struct When {
  const char* field = nullptr;  // a choice that is visited before
  std::vector<const char*> is;
  std::map<std::string, double> initial = {};  // by choice, where it differs
};

struct About {
  const char *group, *name, *label, *help;
  Place place = Place::more;
  When when = {};
};

template <class T>
struct Option {
  const char *name, *label;
  T meaning;
};
template <class T>
using Options = std::vector<Option<T>>;

[[noreturn]] inline void bad(const std::string& field, const std::string& why) {
  throw Error("config.bad_field", field + " " + why);
}

/// A number as JSON shows it shortest: 0.003f as 0.003, not as the double nearest to it.
template <class T>
nlohmann::json shortest(T value) {
  return value;
}
inline nlohmann::json shortest(float value) {
  for (int digits = 6; digits < 9; ++digits) {
    char text[32];
    std::snprintf(text, sizeof text, "%.*g", digits, static_cast<double>(value));
    const double read = std::strtod(text, nullptr);
    if (static_cast<float>(read) == value) return read;
  }
  return value;
}

class Reader {
 public:
  explicit Reader(const nlohmann::json& from) : from_(from) {}

  template <class T>
  void number(const About& about, T& value, double min, double max) {
    const nlohmann::json* j = find(about);
    if (!j) {
      if (const double* other = other_initial(about)) value = static_cast<T>(*other);
      return;
    }
    const std::string field = path(about);
    if (!j->is_number()) bad(field, "must be a number");
    const double v = j->get<double>();
    std::ostringstream limits;
    limits << "is " << v << ", and must be from " << min << " to " << max;
    if (!(v >= min && v <= max)) bad(field, limits.str());
    if (std::numeric_limits<T>::is_integer && v != std::floor(v)) bad(field, "must be a whole number");
    value = static_cast<T>(v);
  }
  void flag(const About& about, bool& value) {
    const nlohmann::json* j = find(about);
    if (!j) {
      if (const double* other = other_initial(about)) value = *other != 0;
      return;
    }
    if (!j->is_boolean()) bad(path(about), "must be true or false");
    value = j->get<bool>();
  }
  void text(const About& about, std::string& value) {
    const nlohmann::json* j = find(about);
    if (!j) return;
    if (!j->is_string()) bad(path(about), "must be a text");
    value = j->get<std::string>();
  }
  void texts(const About& about, std::vector<std::string>& value) {
    const nlohmann::json* j = find(about);
    if (!j) return;
    if (!j->is_array()) bad(path(about), "must be a list of column names");
    value.clear();
    for (const nlohmann::json& item : *j) {
      if (!item.is_string()) bad(path(about), "must be a list of column names");
      value.push_back(item.get<std::string>());
    }
  }
  template <class T>
  void choice(const About& about, T& value, const Options<T>& options) {
    std::string given, allowed;
    text(about, given);
    const bool open = !find(about);  // an empty text is no name either
    for (const Option<T>& option : options) {
      if (open ? option.meaning == value : given == option.name) {
        value = option.meaning;
        chosen_[about.name] = option.name;
        return;
      }
      allowed += (allowed.empty() ? "" : ", ") + std::string(option.name);
    }
    bad(path(about), "is '" + given + "', and must be one of " + allowed);
  }
  void refuse_others() const {
    if (!from_.is_object()) bad("the configuration", "must be an object");
    for (const auto& [group, fields] : from_.items()) {
      if (group != "data" && group != "training" && group != "model") bad(group, "is not a part of the configuration");
      if (!fields.is_object()) bad(group, "must be an object");
      if (group == "model") continue;  // checked against the model's own fields
      for (const auto& [name, value] : fields.items()) {
        bool known = false;
        for (const auto& s : seen_) known = known || (s.first == group && s.second == name);
        if (!known) bad(group + "." + name, "is not a field of the configuration");
      }
    }
  }

 private:
  static std::string path(const About& about) { return std::string(about.group) + "." + about.name; }
  const nlohmann::json* find(const About& about) {
    seen_.emplace_back(about.group, about.name);
    if (!from_.contains(about.group) || !from_[about.group].contains(about.name)) return nullptr;
    return &from_[about.group][about.name];
  }
  const double* other_initial(const About& about) const {
    if (!about.when.field) return nullptr;
    const auto found = about.when.initial.find(chosen_.at(about.when.field));
    return found == about.when.initial.end() ? nullptr : &found->second;
  }

  const nlohmann::json& from_;
  std::vector<std::pair<std::string, std::string>> seen_;
  std::map<std::string, std::string> chosen_;  // of the choices so far
};

struct Writer {
  nlohmann::json& to;
  template <class T>
  void number(const About& about, const T& value, double, double) {
    to[about.group][about.name] = shortest(value);
  }
  void flag(const About& about, bool value) { to[about.group][about.name] = value; }
  void text(const About& about, const std::string& value) { to[about.group][about.name] = value; }
  void texts(const About& about, const std::vector<std::string>& value) { to[about.group][about.name] = value; }
  template <class T>
  void choice(const About& about, const T& value, const Options<T>& options) {
    for (const Option<T>& option : options)
      if (option.meaning == value) to[about.group][about.name] = option.name;
  }
};

/// Goes through a configuration of defaults.
struct Describer {
  nlohmann::json list = nlohmann::json::array();
  template <class T>
  void number(const About& about, const T& value, double min, double max) {
    nlohmann::json& field = add(about, std::numeric_limits<T>::is_integer ? "int" : "float", shortest(value));
    field["min"] = min;
    field["max"] = max;
  }
  void flag(const About& about, bool value) { add(about, "bool", value); }
  void text(const About& about, const std::string& value) { add(about, "text", value); }
  void texts(const About& about, const std::vector<std::string>& value) { add(about, "texts", value); }
  template <class T>
  void choice(const About& about, const T& value, const Options<T>& options) {
    nlohmann::json& field = add(about, "choice", nullptr);
    for (const Option<T>& option : options) {
      if (option.meaning == value) field["default"] = option.name;
      field["choices"].push_back({{"value", option.name}, {"label", option.label}});
    }
  }

 private:
  nlohmann::json& add(const About& about, const char* type, const nlohmann::json& value) {
    static constexpr const char* kPlaces[] = {"front", "more", "elsewhere"};
    nlohmann::json when;
    if (about.when.field)
      when = {{"field", about.when.field}, {"is", about.when.is}, {"initial", nlohmann::json(about.when.initial)}};
    list.push_back({{"group", about.group},
                    {"name", about.name},
                    {"type", type},
                    {"label", about.label},
                    {"help", about.help},
                    {"place", kPlaces[static_cast<size_t>(about.place)]},
                    {"default", value},
                    {"min", nullptr},
                    {"max", nullptr},
                    {"choices", nlohmann::json::array()},
                    {"when", when}});
    return list.back();
  }
};

}  // namespace sg::train::fields

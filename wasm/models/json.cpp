#include "models/json.h"

#include <algorithm>

namespace sg::models {
namespace {

using nlohmann::json;

const char* name(FieldType type) {
  switch (type) {
    case FieldType::integer:
      return "int";
    case FieldType::boolean:
      return "bool";
    case FieldType::choice:
      return "choice";
    case FieldType::real:
      break;
  }
  return "float";
}

json to_json(const Field& field, double value) {
  switch (field.type) {
    case FieldType::boolean:
      return value != 0;
    case FieldType::choice:
      return field.choices.at(static_cast<size_t>(value));
    case FieldType::integer:
    case FieldType::real:
      break;
  }
  return value;
}

double from_json(const Field& field, const json& value) {
  const std::string full = "model." + std::string(field.name);
  switch (field.type) {
    case FieldType::boolean:
      if (!value.is_boolean()) bad_field(full, "must be true or false");
      return value.get<bool>() ? 1 : 0;
    case FieldType::choice: {
      std::string listed;
      for (const std::string& choice : field.choices) listed += (listed.empty() ? "" : ", ") + choice;
      if (!value.is_string()) bad_field(full, "must be one of " + listed);
      const auto found = std::find(field.choices.begin(), field.choices.end(), value.get<std::string>());
      if (found == field.choices.end())
        bad_field(full, "is '" + value.get<std::string>() + "', and must be one of " + listed);
      return static_cast<double>(found - field.choices.begin());
    }
    case FieldType::integer:
    case FieldType::real:
      break;
  }
  if (!value.is_number()) bad_field(full, "must be a number");
  return value.get<double>();
}

}  // namespace

Values values_from_json(const ModelInfo& model, const json& object) {
  Values given;
  for (const auto& [key, value] : object.items()) {
    if (key == "name") continue;
    const auto field =
        std::find_if(model.fields.begin(), model.fields.end(), [&key = key](const Field& f) { return key == f.name; });
    if (field == model.fields.end()) bad_field("model." + key, "is not a field of '" + std::string(model.name) + "'");
    given[key] = from_json(*field, value);
  }
  return validated(model, given);
}

json to_json(const ModelInfo& model, const Values& values) {
  json object{{"name", model.name}};
  for (const Field& field : model.fields) object[field.name] = to_json(field, values.at(field.name));
  return object;
}

json describe(const ModelInfo& model) {
  json fields = json::array();
  for (const Field& f : model.fields) {
    const bool number = f.type == FieldType::integer || f.type == FieldType::real;
    fields.push_back({{"name", f.name},
                      {"type", name(f.type)},
                      {"default", to_json(f, f.initial)},
                      {"min", number ? json(f.min) : json()},
                      {"max", number ? json(f.max) : json()},
                      {"choices", f.choices},
                      {"help", f.help}});
  }
  return {{"name", model.name},
          {"label", model.label},
          {"task", name(model.task)},
          {"help", model.help},
          {"fields", fields}};
}

}  // namespace sg::models

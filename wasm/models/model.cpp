#include "models/model.h"

#include <cmath>
#include <sstream>

#include "io/error.h"

namespace sg::models {

const std::vector<const ModelInfo*>& all() {
  static const std::vector<const ModelInfo*> list{
#define MODEL(name) &name##_model,
#include "models/models.def"
#undef MODEL
  };
  return list;
}

const ModelInfo& find(const std::string& name) {
  std::string names;
  for (const ModelInfo* model : all()) {
    if (model->name == name) return *model;
    names += (names.empty() ? "" : ", ") + std::string(model->name);
  }
  throw Error("config.unknown_model", "there is no model '" + name + "': choose one of " + names);
}

Values validated(const ModelInfo& model, const Values& given) {
  Values values;
  for (const Field& field : model.fields) {
    const auto found = given.find(field.name);
    const double value = found == given.end() ? field.initial : found->second;
    const bool whole = field.type == FieldType::real || value == std::floor(value);
    if (!(value >= field.min && value <= field.max) || !whole) {
      std::ostringstream text;
      text << "model." << field.name << " is " << value << ", and must be "
           << (field.type == FieldType::integer ? "a whole number " : "") << "from " << field.min << " to " << field.max
           << " (" << field.help << ")";
      throw Error("config.bad_field", text.str());
    }
    values[field.name] = value;
  }
  for (const auto& [name, value] : given)
    if (!values.count(name))
      throw Error("config.bad_field", "model '" + std::string(model.name) + "' has no field '" + name + "'");
  return values;
}

}  // namespace sg::models

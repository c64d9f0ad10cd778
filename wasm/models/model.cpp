#include "models/model.h"

#include <cmath>
#include <sstream>

#include "io/error.h"

namespace sg::models {
namespace {

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

const char* things_of(Task task) {
  switch (task) {
    case Task::image:
      return "pictures";
    case Task::text:
      return "text";
    case Task::table:
      return "rows of a table";
    case Task::forecast:
      break;
  }
  return "series of numbers";
}

std::string allowed(const Field& field) {
  std::ostringstream text;
  switch (field.type) {
    case FieldType::boolean:
      text << "true or false";
      break;
    case FieldType::choice:
      text << "one of " << listed(field.choices);
      break;
    case FieldType::integer:
    case FieldType::real:
      text << (field.type == FieldType::integer ? "a whole number " : "") << "from " << field.min << " to "
           << field.max;
  }
  return text.str() + " (" + field.help + ")";
}

}  // namespace

const char* name(Task task) {
  switch (task) {
    case Task::image:
      return "image";
    case Task::text:
      return "text";
    case Task::table:
      return "table";
    case Task::forecast:
      break;
  }
  return "forecast";
}

const std::vector<const ModelInfo*>& all() {
  static const std::vector<const ModelInfo*> list{
#define MODEL(name) &name##_model,
#include "models/models.def"
#undef MODEL
  };
  return list;
}

const ModelInfo& find(const std::string& name) {
  std::vector<std::string> names;
  for (const ModelInfo* model : all()) {
    if (model->name == name) return *model;
    names.emplace_back(model->name);
  }
  throw Error("config.unknown_model", "there is no model '" + name + "': choose one of " + listed(names));
}

void bad_field(const std::string& field, const std::string& why) { throw Error("config.bad_field", field + " " + why); }

void need_multiple(const char* field, int value, const char* of, int divisor) {
  if (value % divisor != 0)
    bad_field(field, "is " + std::to_string(value) + ", and must be a multiple of " + of + ", now " +
                         std::to_string(divisor) + ": " + std::to_string(value - value % divisor + divisor) +
                         " is one");
}

Values validated(const ModelInfo& model, const Values& given) {
  Values values;
  for (const Field& field : model.fields) {
    const auto found = given.find(field.name);
    const double value = found == given.end() ? field.initial : found->second;
    const bool whole = field.type == FieldType::real || value == std::floor(value);
    if (!(value >= field.min && value <= field.max) || !whole) {
      std::ostringstream text;
      text << "is " << value << ", and must be " << allowed(field);
      bad_field("model." + std::string(field.name), text.str());
    }
    values[field.name] = value;
  }
  for (const auto& [name, value] : given)
    if (!values.count(name))
      throw Error("config.bad_field", "model '" + std::string(model.name) + "' has no field '" + name + "'");
  return values;
}

std::unique_ptr<nn::Module> make(const ModelInfo& model, nn::Init& init, const Sizes& sizes, const Values& values) {
  if (model.task != sizes.task) {
    std::vector<std::string> fitting;
    for (const ModelInfo* other : all())
      if (other->task == sizes.task) fitting.emplace_back(other->name);
    bad_field("model.name", "is '" + std::string(model.name) + "', which is for " + things_of(model.task) +
                                ", and the data is " + things_of(sizes.task) + ": choose one of " + listed(fitting));
  }
  return model.build(init, sizes, values);
}

}  // namespace sg::models

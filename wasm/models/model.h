// Models by name. A model declares its configuration once, as fields with default, limits and one line of help: the
// form in the pages, the validation and the documentation come from that. models.def lists the models, a row each.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "nn/module.h"

namespace sg::models {

enum class FieldType { integer, real };

struct Field {
  const char* name;
  FieldType type;
  double initial, min, max;
  const char* help;
};

/// Field values by name; complete once `validated`.
using Values = std::map<std::string, double>;

/// What the data decides: x[N, time, features] -> y[N, outputs].
struct Sizes {
  int time, features, outputs;
};

struct ModelInfo {
  const char* name;
  const char* help;
  std::vector<Field> fields;
  std::unique_ptr<nn::Module> (*make)(nn::Init& init, const Sizes& sizes, const Values& values);
};

const std::vector<const ModelInfo*>& all();
/// Throws config.unknown_model, naming those there are.
const ModelInfo& find(const std::string& name);
/// Fills defaults in; throws config.bad_field for an unknown name or a value outside its limits.
Values validated(const ModelInfo& model, const Values& given);

#define MODEL(name) extern const ModelInfo name##_model;
#include "models/models.def"
#undef MODEL

}  // namespace sg::models

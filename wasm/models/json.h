// Models and their values as JSON: what a configuration or a checkpoint says of a model, and what the pages are told.
#pragma once
#include <nlohmann/json.hpp>

#include "models/model.h"

namespace sg::models {

/// From the fields of an object: numbers, booleans and the texts of choices. "name", the model's own, is left out.
/// Throws config.bad_field for a value of another kind, and as `validated`.
Values values_from_json(const ModelInfo& model, const nlohmann::json& object);
nlohmann::json to_json(const ModelInfo& model, const Values& values);
/// {name, task, help, fields: [{name, type, default, min, max, choices, help}]}; limits are null where the type is no
/// number.
nlohmann::json describe(const ModelInfo& model);

}  // namespace sg::models

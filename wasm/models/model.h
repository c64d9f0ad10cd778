// Models by name. A model declares its configuration once, as fields with default, limits and one line of help: the
// form in the pages, the validation and the documentation come from that. models.def lists the models, a row each.
#pragma once
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "nn/module.h"

namespace sg::models {

/// What a model is for, which decides what it reads and gives:
/// forecast: x[N, time, features] -> y[N, outputs()], target k at h + 1 rows ahead in y[n, h * targets + k]
/// image:    x[N, channels, height, width] -> logits[N, classes]
/// table:    x[N, 1, features], the last of them codes of categories -> y[N, outputs()], a number or logits of classes
/// text:     tokens[N, T], whole numbers, T up to time -> logits[N, T, vocabulary]
enum class Task { forecast, image, text, table };
const char* name(Task task);

enum class FieldType { integer, real, boolean, choice };

struct Field {
  const char* name;
  FieldType type;
  double initial, min, max;
  const char* help;
  std::vector<std::string> choices = {};  // a choice's value is an index into them

  static Field integer(const char* name, double initial, double min, double max, const char* help) {
    return {name, FieldType::integer, initial, min, max, help};
  }
  static Field real(const char* name, double initial, double min, double max, const char* help) {
    return {name, FieldType::real, initial, min, max, help};
  }
  static Field boolean(const char* name, bool initial, const char* help) {
    return {name, FieldType::boolean, initial ? 1.0 : 0.0, 0, 1, help};
  }
  /// The first one is the default.
  static Field choice(const char* name, std::vector<std::string> choices, const char* help) {
    const auto last = static_cast<double>(choices.size() - 1);
    return {name, FieldType::choice, 0, 0, last, help, std::move(choices)};
  }
};

inline Field dropout_field(double initial = 0) {
  return Field::real("dropout", initial, 0, 0.9,
                     "share of values left out while training: helps when little data is learnt by heart");
}

/// Field values by name; complete once `validated`. A boolean is 0 or 1.
using Values = std::map<std::string, double>;
inline int whole(const Values& values, const char* name) { return static_cast<int>(values.at(name)); }
inline float real(const Values& values, const char* name) { return static_cast<float>(values.at(name)); }
inline bool flag(const Values& values, const char* name) { return values.at(name) != 0; }

/// What the data decides. Only the sizes of its own task are set.
struct Sizes {
  Task task = Task::forecast;
  int time = 0;
  int features = 0, horizon = 0;
  std::vector<int> targets = {};  // which feature each target is, -1 where it is none of them
  /// Numbers that tell one forecast value: its quantiles, or the parameters of a distribution. With more than one they
  /// stand side by side: y[n, (h * targets + k) * values + v]. The first `places` of them are places on the target's
  /// own axis (quantiles, a mean): a model that scales its input scales only those back.
  int values = 1, places = 1;
  int channels = 0, height = 0, width = 0, classes = 0;  // a table without classes: a number
  /// Of a table: how many codes the categories have together, and how many of the features are such codes.
  int codes = 0, categories = 0;
  int vocabulary = 0;

  int target_count() const { return static_cast<int>(targets.size()); }
  int outputs() const { return task == Task::table ? std::max(classes, 1) : horizon * target_count() * values; }
};

struct ModelInfo {
  const char* name;
  const char* label;  // for people
  Task task;
  const char* help;
  std::vector<Field> fields;
  /// By `make` below. Throws config.bad_field, naming the field, for sizes that the model cannot work with.
  std::unique_ptr<nn::Module> (*build)(nn::Init& init, const Sizes& sizes, const Values& values);
};

const std::vector<const ModelInfo*>& all();
/// Throws config.unknown_model, naming those there are.
const ModelInfo& find(const std::string& name);
/// Fills defaults in; throws config.bad_field for an unknown name or a value outside its limits.
Values validated(const ModelInfo& model, const Values& given);
/// The model with its first weights; throws config.bad_field where the model is for another task.
std::unique_ptr<nn::Module> make(const ModelInfo& model, nn::Init& init, const Sizes& sizes, const Values& values);

/// sg::Error config.bad_field, for a value of the configuration that does not go with the others.
[[noreturn]] void bad_field(const std::string& field, const std::string& why);
/// Throws it where `value` is not a multiple of the other field's.
void need_multiple(const char* field, int value, const char* of, int divisor);

#define MODEL(name) extern const ModelInfo name##_model;
#include "models/models.def"
#undef MODEL

}  // namespace sg::models

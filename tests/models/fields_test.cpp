// The fields of models: defaults within their limits, values outside refused by the field's name, JSON there and back,
// and models that cannot work with the data's sizes.
#include <catch2/catch.hpp>
#include <set>

#include "io/error.h"
#include "models/json.h"
#include "tests/models/trial.h"
#include "tests/ops/devices.h"

namespace sg::tests {
namespace {

using models::Field;
using models::FieldType;
using models::Task;
using nlohmann::json;

/// The message of the sg::Error that `work` throws with `code`.
template <class F>
std::string refused(const std::string& code, F work) {
  try {
    work();
  } catch (const Error& e) {
    CHECK(e.code() == code);
    return e.what();
  }
  FAIL("nothing was refused");
  return "";
}

TEST_CASE("a model says what it is for, with fields whose defaults are within their limits", "[models]") {
  std::set<std::string> names;
  for (const models::ModelInfo* model : models::all()) {
    INFO(model->name);
    CHECK(names.insert(model->name).second);
    CHECK(&models::find(model->name) == model);
    CHECK(std::string(model->label).size() > 2);
    CHECK(std::string(model->help).size() > 20);
    std::set<std::string> fields;
    for (const Field& f : model->fields) {
      INFO(f.name);
      CHECK(fields.insert(f.name).second);
      CHECK((f.min <= f.initial && f.initial <= f.max));
      CHECK(std::string(f.help).size() > 5);
      CHECK((f.type == FieldType::choice) == !f.choices.empty());
    }
  }
}

TEST_CASE("a value outside a field's limits is refused by its name", "[models]") {
  for (const models::ModelInfo* model : models::all())
    for (const Field& f : model->fields) {
      std::vector<double> wrong{f.min - 1, f.max + 1};
      if (f.type != FieldType::real) wrong.push_back(f.min + 0.5);
      for (const double value : wrong) {
        const std::string message = refused("config.bad_field", [&] { validated(*model, {{f.name, value}}); });
        CHECK_THAT(message, Catch::StartsWith("model." + std::string(f.name) + " is ") && Catch::Contains(f.help));
      }
      for (const double value : {f.min, f.max}) CHECK(validated(*model, {{f.name, value}}).at(f.name) == value);
    }
  CHECK_THAT(refused("config.bad_field",
                     [] {
                       validated(models::lstm_model, {{"depth", 1}});
                     }),
             Catch::Contains("'lstm' has no field 'depth'"));
  CHECK_THAT(refused("config.unknown_model", [] { models::find("perceptron"); }), Catch::Contains("lstm, "));
}

/// A value of another kind than the field's.
json wrong_kind(const Field& f) {
  return f.type == FieldType::boolean ? json(1) : f.type == FieldType::choice ? json("nothing of the sort") : json("1");
}

TEST_CASE("a model's values go through JSON and back", "[models]") {
  for (const models::ModelInfo* model : models::all()) {
    INFO(model->name);
    models::Values values = validated(*model, {});
    for (const Field& f : model->fields) values[f.name] = f.max;
    const json object = to_json(*model, values);
    CHECK(object["name"] == model->name);
    CHECK(values_from_json(*model, object) == values);
    CHECK(values_from_json(*model, json::object()) == validated(*model, {}));
    for (const Field& f : model->fields)
      CHECK_THAT(refused("config.bad_field",
                         [&] {
                           values_from_json(*model, {{f.name, wrong_kind(f)}});
                         }),
                 Catch::StartsWith("model." + std::string(f.name) + " "));
    CHECK_THAT(refused("config.bad_field",
                       [&] {
                         values_from_json(*model, {{"gone", 1}});
                       }),
               Catch::StartsWith("model.gone "));
  }
}

TEST_CASE("the pages are told of each model's task and fields", "[models]") {
  for (const models::ModelInfo* model : models::all()) {
    const json j = describe(*model);
    INFO(j.dump());
    CHECK(j["task"] == models::name(model->task));
    REQUIRE(j["fields"].size() == model->fields.size());
    for (size_t i = 0; i < model->fields.size(); ++i) {
      const json& f = j["fields"][i];
      CHECK(f["name"] == model->fields[i].name);
      if (f["type"] == "choice")
        CHECK(f["choices"][0] == f["default"]);
      else if (f["type"] == "bool")
        CHECK(f["default"].is_boolean());
      else
        CHECK((f["default"].is_number() && (f["type"] == "int" || f["type"] == "float")));
    }
  }
}

std::string unfit(const char* model, const models::Sizes& sizes, const models::Values& given = {}) {
  const models::ModelInfo& info = models::find(model);
  nn::Init init{device("cpu"), Generator{1, 0}};
  return refused("config.bad_field", [&] { models::make(info, init, sizes, validated(info, given)); });
}

TEST_CASE("a model for another task is refused, naming those that fit", "[models]") {
  const std::string message = unfit("char_transformer", small_sizes(Task::forecast));
  CHECK_THAT(message, Catch::StartsWith("model.name is 'char_transformer', which is for text, and the data is series"));
  CHECK_THAT(message, Catch::Contains("lstm") && !Catch::Contains("convnet"));
  CHECK_THAT(unfit("lstm", small_sizes(Task::image)), Catch::Contains("convnet") && Catch::Contains("pictures"));
}

TEST_CASE("sizes that a model cannot work with are refused with what to do", "[models]") {
  models::Sizes other = small_sizes(Task::forecast, 24);
  other.targets = {1, -1};
  for (const char* model : {"dlinear", "patchtst"})
    CHECK_THAT(unfit(model, other), Catch::StartsWith("data.features lack the column to forecast") &&
                                        Catch::Contains(model) && Catch::Contains("learn from that column"));
  CHECK_THAT(unfit("patchtst", small_sizes(Task::forecast, 15)),
             Catch::StartsWith("data.lookBack is 15") && Catch::Contains("model.patch, now 16"));
  CHECK_THAT(unfit("char_transformer", small_sizes(Task::text), {{"width", 30}, {"heads", 4}}),
             Catch::StartsWith("model.width is 30") && Catch::Contains("model.heads, now 4: 32 is one"));
  for (const char* model : {"transformer", "patchtst"})
    CHECK_THAT(unfit(model, small_sizes(Task::forecast, 24), {{"width", 30}, {"heads", 4}}),
               Catch::StartsWith("model.width is 30"));
  CHECK_THAT(unfit("convnet", small_sizes(Task::image), {{"stages", 4}}),
             Catch::StartsWith("model.stages is 4") && Catch::Contains("8 x 8") && Catch::Contains("at most 3"));
}

}  // namespace
}  // namespace sg::tests

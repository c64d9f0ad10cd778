#include "io/fields.h"

#include "io/csv_types.h"
#include "io/error.h"

namespace sg {

using nlohmann::json;

JsonFields::JsonFields(const json& object, const char* code, std::string where)
    : object_(object), code_(code), where_(std::move(where)) {
  if (!object.is_object()) throw Error(code_, (where_.empty() ? "it" : "'" + where_ + "'") + " must be an object");
}

void JsonFields::refuse(const std::string& name, const std::string& why) const {
  throw Error(code_, "'" + (where_.empty() ? "" : where_ + ".") + shorten(name, 60) + "' " + why);
}

bool JsonFields::has(const char* name) { return object_.contains(name); }

const json& JsonFields::any(const char* name) {
  const auto found = object_.find(name);
  if (found == object_.end()) refuse(name, "is missing");
  read_.insert(name);
  return *found;
}

const json& JsonFields::object(const char* name) {
  const json& value = any(name);
  if (!value.is_object()) refuse(name, "must be an object");
  return value;
}

const json& JsonFields::array(const char* name) {
  const json& value = any(name);
  if (!value.is_array()) refuse(name, "must be an array");
  return value;
}

const std::string& JsonFields::text(const char* name) {
  const json& value = any(name);
  if (!value.is_string()) refuse(name, "must be text");
  return value.get_ref<const std::string&>();
}

namespace {

bool is_whole(const json& value, uint64_t most) {
  return value.is_number_integer() && (value.is_number_unsigned() || value.get<int64_t>() >= 0) &&
         value.get<uint64_t>() <= most;
}

}  // namespace

uint64_t JsonFields::whole(const char* name, uint64_t most) {
  const json& value = any(name);
  if (!is_whole(value, most)) refuse(name, "must be a whole number from 0 to " + std::to_string(most));
  return value.get<uint64_t>();
}

bool JsonFields::flag(const char* name) {
  const json& value = any(name);
  if (!value.is_boolean()) refuse(name, "must be true or false");
  return value.get<bool>();
}

std::vector<uint64_t> JsonFields::wholes(const char* name, uint64_t most) {
  std::vector<uint64_t> all;
  for (const json& value : array(name)) {
    if (!is_whole(value, most)) refuse(name, "must hold whole numbers from 0 to " + std::to_string(most));
    all.push_back(value.get<uint64_t>());
  }
  return all;
}

std::vector<std::string> JsonFields::texts(const char* name) {
  std::vector<std::string> all;
  for (const json& value : array(name)) {
    if (!value.is_string()) refuse(name, "must hold texts");
    all.push_back(value.get<std::string>());
  }
  return all;
}

void JsonFields::finish() const {
  for (const auto& [name, value] : object_.items())
    if (read_.count(name) == 0) refuse(name, "is unknown");
}

}  // namespace sg

#pragma once
// What the files of the module's door share: replies as JSON, arguments from JSON, and the data sets by their handles.
// Exceptions are caught here and nowhere else.

#include <map>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "io/manifest.h"
#include "io/table_reader.h"

namespace sg::bindings {

using nlohmann::json;

struct Dataset {
  std::unique_ptr<TableReader> reader;  // none of an attached one
  std::string name;
  std::unique_ptr<Table> table;      // once finished; without values where there is a manifest
  std::optional<Manifest> manifest;  // the values lie in its shards
  json file = nullptr;               // of one with values: what its opener said of the file
};

inline std::map<int, Dataset> datasets;
inline int next_handle = 1;
inline std::string last_reply;

template <class F>
const char* reply(F&& work) {
  const json no_memory{
      {"ok", false},
      {"code", "memory.exhausted"},
      {"message", "the memory of this tab is used up: choose a smaller model, a smaller batch or fewer columns"}};
  json out;
  try {
    out = std::forward<F>(work)();
    out["ok"] = true;
  } catch (const Error& e) {
    out = {{"ok", false}, {"code", e.code()}, {"message", e.what()}};
  } catch (const std::bad_alloc&) {
    out = no_memory;
  } catch (const std::length_error&) {  // more than any vector may hold
    out = no_memory;
  } catch (const std::exception& e) {
    out = {{"ok", false}, {"code", "internal"}, {"message", e.what()}};
  }
  last_reply = out.dump(-1, ' ', false, json::error_handler_t::replace);
  return last_reply.c_str();
}

inline json parse(const char* text) {
  json j = json::parse(text, nullptr, false);
  if (!j.is_object()) throw Error("config.bad_json", "the argument is not a JSON object");
  return j;
}

template <class T>
T& find(std::map<int, T>& all, int handle, const char* what) {
  const auto found = all.find(handle);
  if (found == all.end())
    throw Error("handle.unknown", std::string("there is no open ") + what + " " + std::to_string(handle));
  return found->second;
}

}  // namespace sg::bindings

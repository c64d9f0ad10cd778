#include "native_host/manifest.h"

#include <algorithm>

#include "native_host/build.h"
#include "native_host/json.h"

namespace sg::host {
namespace {

constexpr const char* kDescription = "Keeps checkpoints and reads granted folders for the Shadegrad extension";
constexpr const char* kProgram = "shadegrad-host";  // how the name of every copy begins
constexpr std::size_t kMostBytes = 1 << 16;

const char* list_of(Family family) { return family == Family::firefox ? "allowed_extensions" : "allowed_origins"; }

Json ids_of(Family family) {
  if (family == Family::firefox) return {kFirefoxId};
  Json origins = Json::array();
  for (const std::string_view id : kChromiumIds) origins.push_back("chrome-extension://" + std::string(id) + "/");
  return origins;
}

bool holds(const Json& json, const char* key, const Json& value) { return json.contains(key) && json[key] == value; }

bool written_by_us(const Json& json, Family family, const std::string& program) {
  const std::size_t slash = program.find_last_of("/\\");
  return json.size() == 5 && holds(json, "name", kHostName) && holds(json, "description", kDescription) &&
         holds(json, "type", "stdio") && json.contains(list_of(family)) && slash != std::string::npos &&
         program.compare(slash + 1, std::char_traits<char>::length(kProgram), kProgram) == 0;
}

std::string fault_of(const Json& json, Family family) {
  if (!json.is_object()) return "it is not a JSON object";
  if (!holds(json, "name", kHostName)) return std::string("its 'name' is not ") + kHostName;
  if (!holds(json, "type", "stdio")) return "its 'type' is not stdio";
  const char* list = list_of(family);
  if (!json.contains(list) || !json[list].is_array()) return std::string("it has no list '") + list + "'";
  for (const Json& id : ids_of(family)) {
    if (std::find(json[list].begin(), json[list].end(), id) == json[list].end())
      return std::string("its list '") + list + "' lacks the extension's id, " + id.get<std::string>();
  }
  // Firefox refuses a manifest that has another field, above all the other browsers' list.
  for (const auto& [key, value] : json.items()) {
    const bool known = key == "name" || key == "description" || key == "path" || key == "type" || key == list;
    if (family == Family::firefox && !known) return "it has a field '" + key + "', and Firefox takes no other";
  }
  return "";
}

}  // namespace

std::string manifest_for(Family family, const std::string& program) {
  const nlohmann::ordered_json json{{"name", kHostName},
                                    {"description", kDescription},
                                    {"path", program},
                                    {"type", "stdio"},
                                    {list_of(family), ids_of(family)}};
  return json.dump(2) + "\n";
}

HostManifest read_manifest(const Target& target) {
  HostManifest manifest;
  struct stat s {};
  if (lstat(target.file.c_str(), &s) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return manifest;
    return {HostManifest::Kind::unreadable, "", "", error_text(errno)};
  }
  manifest.kind = HostManifest::Kind::unreadable;
  try {
    manifest.bytes = read_whole(target.file, kMostBytes);
    manifest.kind = HostManifest::Kind::foreign;
    const Json json = parse_json(manifest.bytes);
    if (json.is_object() && json.contains("path") && json["path"].is_string()) manifest.program = json["path"];
    manifest.fault = fault_of(json, target.family);
    // A link was put there by somebody else, whatever it leads to.
    if (json.is_object() && S_ISREG(s.st_mode) && written_by_us(json, target.family, manifest.program))
      manifest.kind = HostManifest::Kind::own;
  } catch (const std::system_error& e) {
    manifest.fault = e.code().value() == EINVAL ? "it is not a regular file" : error_text(e.code().value());
  } catch (const Failure&) {
    manifest.fault = "it is not JSON";
  }
  return manifest;
}

}  // namespace sg::host

#include "native_host/inspect.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <stdexcept>

#include "io/safetensors.h"
#include "native_host/files.h"
#include "native_host/json.h"
#include "native_host/terminal.h"

namespace sg::host {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kInspectSlice = 1 << 20;
constexpr std::size_t kMostValue = 100;  // bytes of a value in a table
constexpr std::size_t kMostRows = 60;    // of a section's settings

struct Check {
  std::string name;
  std::string fault;  // empty: passed
};

struct Inspection {
  std::string path;
  std::uint64_t size = 0;
  SafetensorsHeader header;  // empty when it can't be read
  std::vector<Check> checks;

  bool whole() const {
    return std::all_of(checks.begin(), checks.end(), [](const Check& c) { return c.fault.empty(); });
  }
};

std::string fault_of(const auto& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

/// Reads a file from its start in slices, each given to `take`.
void stream(const std::string& path, const auto& take) {
  std::ifstream in(path, std::ios::binary);
  std::vector<char> slice(kInspectSlice);
  do {
    in.read(slice.data(), static_cast<std::streamsize>(slice.size()));
    take(std::span(reinterpret_cast<const std::uint8_t*>(slice.data()), static_cast<std::size_t>(in.gcount())));
  } while (in);
  if (in.bad() || !in.eof()) throw std::runtime_error(shown(path) + " can't be read to its end");
}

SafetensorsHeader read_header(const std::string& path, std::uint64_t size, const SafetensorsRules& rules) {
  std::ifstream in(path, std::ios::binary);
  std::vector<std::uint8_t> prefix;
  const auto read_to = [&](std::uint64_t end) {
    const std::size_t have = prefix.size();
    prefix.resize(end);
    in.read(reinterpret_cast<char*>(prefix.data() + have), static_cast<std::streamsize>(end - have));
    prefix.resize(have + static_cast<std::size_t>(in.gcount()));
  };
  read_to(std::min<std::uint64_t>(size, 8));
  read_to(safetensors_header_size(prefix, size));
  return read_safetensors_header(prefix, size, rules);
}

/// One check of the whole content, fed in pieces until it fails.
class ContentCheck {
 public:
  ContentCheck(std::uint64_t size, const SafetensorsRules& rules) : checker_(size, rules) {}
  void feed(std::span<const std::uint8_t> bytes) {
    if (fault_.empty()) fault_ = fault_of([&] { checker_.feed(bytes); });
  }
  std::string finish() {
    return fault_.empty() ? fault_of([&] { checker_.finish(); }) : fault_;
  }

 private:
  SafetensorsChecker checker_;
  std::string fault_;
};

/// The metadata whose text should be JSON, by FORMATS.md.
bool is_json(const std::string& key) {
  static const std::vector<std::string> keys{"config", "state", "device", "scaler", "dataset", "history"};
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

std::string bad_texts(const SafetensorsHeader& header) {
  std::string bad;
  for (const auto& [key, text] : header.metadata) {
    const std::string fault = is_json(key) ? fault_of([&, &text = text] { parse_json(text); }) : "";
    if (!fault.empty()) bad += (bad.empty() ? "'" : "; '") + key + "': " + fault;
  }
  return bad;
}

/// What can't be read is not damaged.
void check_readable(const std::string& path) {
  const std::string name = "'" + shown(path) + "'";
  const Fd file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat s {};
  if (!file && errno == ENOENT) throw std::runtime_error("there is no file " + name);
  if (!file || fstat(file.get(), &s) != 0) throw std::runtime_error(name + " can't be read: " + error_text(errno));
  if (S_ISDIR(s.st_mode)) throw std::runtime_error(name + " is a folder; give the checkpoint in it");
  if (!S_ISREG(s.st_mode)) throw std::runtime_error(name + " is not a regular file");
}

Inspection examine(const std::string& path) {
  check_readable(path);
  Inspection i{path, fs::file_size(path), {}, {}};
  const std::string layout =
      fault_of([&] { i.header = read_header(path, i.size, {.hashes = false, .finite = false}); });
  i.checks.push_back({"layout", layout});
  if (!layout.empty()) return i;
  ContentCheck hashes(i.size, {.hashes = true, .finite = false}), finite(i.size, {.hashes = false, .finite = true});
  stream(path, [&](std::span<const std::uint8_t> bytes) {
    hashes.feed(bytes);
    finite.feed(bytes);
  });
  const std::string format = i.header.metadata.count("format") != 0 ? i.header.metadata["format"] : "";
  i.checks.push_back({"format", format == kCheckpointFormat ? ""
                                                            : "it is '" + format + "', and this version knows " +
                                                                  std::string(kCheckpointFormat)});
  i.checks.push_back({"hashes", hashes.finish()});
  i.checks.push_back({"finite", finite.finish()});
  // Bytes that are not those that were saved can't be judged as numbers.
  if (!i.checks.back().fault.empty() && i.checks.back().fault == i.checks[2].fault)
    i.checks.back().fault = "not judged: the hashes fail before";
  i.checks.push_back({"texts", bad_texts(i.header)});
  return i;
}

/// Rows of cells with each column as wide as its widest cell; the columns in `right` are flush right.
std::string table(const std::vector<std::vector<std::string>>& rows, const std::string& right = "") {
  std::vector<std::size_t> width;
  for (const auto& row : rows) {
    width.resize(std::max(width.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], columns_of(row[c]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string space(width[c] - columns_of(row[c]), ' ');
      const bool flush_right = c < right.size() && right[c] == 'r';
      line += "  " + (flush_right ? space + row[c] : row[c] + space);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string one_line(const Json& value) {
  if (value.is_string()) return shown(value.get_ref<const std::string&>(), kMostValue);
  if (value.is_array() && value.size() > 8) return "a list of " + grouped(value.size());
  return shown(value.dump(-1, ' ', false, Json::error_handler_t::replace), kMostValue);
}

/// The values of a JSON text as rows: `model.hidden  64`.
void flatten(const Json& value, const std::string& name, std::vector<std::vector<std::string>>& rows) {
  if (!value.is_object() || value.empty()) {
    rows.push_back({shown(name, kMostValue), one_line(value)});
    return;
  }
  for (const auto& [key, inner] : value.items()) flatten(inner, name.empty() ? key : name + "." + key, rows);
}

std::string section(const std::string& key, const std::string& text) {
  const Json json = fault_of([&] { parse_json(text); }).empty() ? parse_json(text) : Json(text);
  std::vector<std::vector<std::string>> rows;
  flatten(json, json.is_object() ? "" : key, rows);
  const std::size_t more = rows.size() > kMostRows ? rows.size() - kMostRows : 0;
  rows.resize(rows.size() - more);
  return "\n" + shown(key, kMostValue) + "\n" + table(rows) +
         (more > 0 ? "  and " + grouped(more) + " more (--json has all)\n" : "");
}

std::string shape_of(const TensorEntry& tensor) {
  std::string text = "[";
  for (const std::uint64_t n : tensor.shape) text += (text.size() > 1 ? ", " : "") + std::to_string(n);
  return text + "]";
}

std::string tensor_table(const SafetensorsHeader& header) {
  const double all = static_cast<double>(std::max<std::uint64_t>(header.total_size - header.data_begin, 1));
  std::vector<std::vector<std::string>> rows{{"name", "dtype", "shape", "bytes", "share"}};
  for (const TensorEntry& t : header.tensors) {
    char share[16];
    std::snprintf(share, sizeof share, "%.1f %%", 100.0 * static_cast<double>(t.end - t.begin) / all);
    rows.push_back({shown(t.name, kMostValue), std::string(to_string(t.dtype)), shown(shape_of(t), kMostValue),
                    grouped(t.end - t.begin), share});
  }
  return "\ntensors: " + grouped(header.tensors.size()) + ", " + grouped(header.total_size - header.data_begin) +
         " bytes\n" + table(rows, "lllrr");
}

/// The first things that one asks of a checkpoint, from what the run said of itself; what is not there is left out.
std::string summary(const SafetensorsHeader& header) {
  const auto part = [&](const char* key) {
    const auto at = header.metadata.find(key);
    Json json;
    if (at != header.metadata.end()) fault_of([&] { json = parse_json(at->second); });
    return json.is_object() ? json : Json::object();
  };
  std::vector<std::vector<std::string>> rows;
  const auto row = [&](const char* name, const Json& json, const std::string& pointer) {
    const Json::json_pointer at(pointer);
    if (json.contains(at) && !json[at].is_null()) rows.push_back({name, one_line(json[at])});
  };
  const auto format = header.metadata.find("format");
  if (format != header.metadata.end()) rows.push_back({"format", shown(format->second, kMostValue)});
  row("model", part("config"), "/model/name");
  row("step", part("state"), "/step");
  row("epoch", part("state"), "/epoch");
  row("validation loss", part("state"), "/validationLoss");
  row("best loss", part("state"), "/best/loss");
  row("data set", part("dataset"), "/name");
  row("rows", part("dataset"), "/rows");
  row("device", part("device"), "/device");
  return table(rows);
}

std::string as_text(const Inspection& i) {
  std::string text = shown(i.path) + ": " + grouped(i.size) + " bytes\n";
  if (i.checks.front().fault.empty()) {
    text += summary(i.header);
    for (const auto& [key, value] : i.header.metadata) {
      if (key != "format") text += section(key, value);
    }
    text += tensor_table(i.header);
  }
  std::vector<std::vector<std::string>> rows;
  for (const Check& c : i.checks) rows.push_back({c.name, c.fault.empty() ? "ok" : "FAILED: " + shown(c.fault)});
  return text + "\nchecks\n" + table(rows);
}

std::string as_json(const Inspection& i) {
  Json metadata = Json::object(), tensors = Json::array(), checks = Json::array();
  for (const auto& [key, text] : i.header.metadata) {
    metadata[key] = text;
    if (is_json(key)) fault_of([&, &key = key, &text = text] { metadata[key] = parse_json(text); });
  }
  for (const TensorEntry& t : i.header.tensors) {
    tensors.push_back({{"name", t.name},
                       {"dtype", to_string(t.dtype)},
                       {"shape", t.shape},
                       {"begin", t.begin},
                       {"bytes", t.end - t.begin}});
  }
  for (const Check& c : i.checks) checks.push_back({{"name", c.name}, {"ok", c.fault.empty()}, {"message", c.fault}});
  const Json all{{"path", i.path}, {"size", i.size}, {"metadata", metadata}, {"tensors", tensors}, {"checks", checks}};
  return all.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace

Report inspect(const std::vector<std::string>& arguments) {
  bool json = false;
  std::optional<std::string> file;
  for (const std::string& a : arguments) {
    if (a == "--json") {
      json = true;
    } else if (a.rfind("--", 0) == 0) {
      throw std::invalid_argument("inspect has no option '" + shown(a) + "'");
    } else if (file) {
      throw std::invalid_argument("inspect takes one FILE, and '" + shown(a) + "' is a second");
    } else {
      file = a;
    }
  }
  if (!file) throw std::invalid_argument("inspect needs a file");
  const Inspection inspection = examine(*file);
  return {json ? as_json(inspection) : as_text(inspection), inspection.whole() ? 0 : 1};
}

}  // namespace sg::host

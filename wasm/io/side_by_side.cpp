#include "io/side_by_side.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "io/csv_types.h"
#include "io/error.h"
#include "io/fields.h"
#include "io/npy_header.h"

namespace sg {
namespace {

std::vector<std::optional<std::string>> not_chosen(const std::vector<NamedRows>& arrays,
                                                   const std::vector<std::string>& chosen) {
  std::string names;
  for (const NamedRows& array : arrays)
    names += (names.empty() ? "'" : ", '") + shorten(array_name(array.name), 100) + "'";
  for (const std::string& name : chosen) {
    const auto named = [&](const NamedRows& array) { return array_name(array.name) == name; };
    if (std::none_of(arrays.begin(), arrays.end(), named))
      throw Error("npy.bad_option",
                  "option 'arrays': there is no array '" + shorten(name, 100) + "'; there are " + shorten(names, 1000));
  }
  std::vector<std::optional<std::string>> told;
  for (const NamedRows& array : arrays) {
    const bool taken = std::find(chosen.begin(), chosen.end(), array_name(array.name)) != chosen.end();
    told.push_back(taken ? std::nullopt
                         : std::optional("'" + shorten(array.name, 100) + "' was left out: it was not chosen"));
  }
  return told;
}

}  // namespace

std::string_view array_name(std::string_view file) {
  constexpr std::string_view kEnding = ".npy";
  return file.size() > kEnding.size() && file.ends_with(kEnding) ? file.substr(0, file.size() - kEnding.size()) : file;
}

std::optional<std::vector<std::string>> chosen_arrays(const nlohmann::json& options) {
  if (!options.is_object() || !options.contains("arrays")) return std::nullopt;
  JsonFields fields(options, "npy.bad_option", "");
  std::vector<std::string> names = fields.texts("arrays");
  if (names.empty()) fields.refuse("arrays", "must name an array");
  return names;
}

std::optional<uint64_t> npy_rows(std::span<const uint8_t> head) {
  constexpr std::string_view kMagic = "\x93NUMPY";
  if (head.size() < 12 || std::string_view(reinterpret_cast<const char*>(head.data()), kMagic.size()) != kMagic)
    return std::nullopt;
  const bool is_long = head[6] > 1;
  const size_t begin = is_long ? 12 : 10;
  const auto length = static_cast<size_t>(unsigned_at(head.data() + 8, is_long ? 4 : 2));
  if (length > kMaxNpyHeader || head.size() - begin < length) return std::nullopt;
  try {
    const auto shape = parse_npy_header({reinterpret_cast<const char*>(head.data()) + begin, length}).shape;
    return shape.empty() ? std::nullopt : std::optional(shape[0]);
  } catch (const Error&) {
    return std::nullopt;  // the reader says why, if the array is read
  }
}

std::vector<std::optional<std::string>> left_out(const std::vector<NamedRows>& arrays,
                                                 const std::optional<std::vector<std::string>>& named) {
  if (named) return not_chosen(arrays, *named);
  std::map<uint64_t, size_t> uses;
  for (const NamedRows& array : arrays)
    if (array.rows) ++uses[*array.rows];
  uint64_t chosen = 0;
  std::tuple<bool, size_t, uint64_t> best{};
  for (const auto& [rows, count] : uses) {
    const std::tuple claim{rows > 1, count, rows};
    if (claim > best) chosen = rows, best = claim;
  }
  std::vector<std::optional<std::string>> told(arrays.size());
  if (uses.empty()) return told;
  for (size_t i = 0; i < arrays.size(); ++i) {
    const auto& [name, rows] = arrays[i];
    if (rows == chosen) continue;
    told[i] = "'" + shorten(name, 100) + "' was left out: it " +
              (rows ? "has " + std::to_string(*rows) + (*rows == 1 ? " row" : " rows") : "has no rows") +
              ", and the arrays that were read have " + std::to_string(chosen);
  }
  return told;
}

}  // namespace sg

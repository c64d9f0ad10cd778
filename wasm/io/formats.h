#pragma once
// The formats of tables that can be read: each is a row of formats.def and a Format beside its reader. Containers
// (gzip, zip) are opened before: what comes here is the file inside, under its own name.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/table_reader.h"

namespace sg {

/// How strongly a format claims a file.
enum class Claim : uint8_t { none, by_name, by_content };

struct Format {
  const char* name;     // "csv": in options, manifests and FORMATS.md
  const char* title;    // "Delimited text (CSV, TSV)"
  const char* endings;  // " csv tsv txt ": of file names, lower case, between spaces; for the file chooser too
  /// `head` holds the first bytes (at least 512, or the whole file).
  Claim (*claims)(std::span<const uint8_t> head, std::string_view name);
  /// `options` has the format's own fields only; throws <format>.bad_option naming the field.
  std::unique_ptr<TableReader> (*open)(const nlohmann::json& options, std::string_view name, const ReadTarget& target);
};

/// In the order of formats.def.
const std::vector<const Format*>& formats();
/// Throws format.unknown, listing what there is.
const Format& format_named(std::string_view name);
const Format& detect_format(std::span<const uint8_t> head, std::string_view name);
/// Whether the file's name ends in one of the format's endings.
bool has_ending(const Format& format, std::string_view name);

/// Opens a reader on the file whose first bytes these are. `options` is {format?, ...the format's own}; the bytes
/// still have to be fed.
std::unique_ptr<TableReader> open_reader(const nlohmann::json& options, std::span<const uint8_t> head,
                                         std::string_view name, const ReadTarget& target);
inline constexpr size_t kHeadBytes = 4096;

/// A reader that waits for the first kHeadBytes to choose its format.
std::unique_ptr<TableReader> open_detecting(const nlohmann::json& options, std::string_view name,
                                            const ReadTarget& target);

}  // namespace sg

// Every format of tables, by its row in io/formats.def: a file gives the same table or the same error however it is
// cut, with its values kept or dropped.
#include <nlohmann/json.hpp>

#include "io/formats.h"
#include "io/table_json.h"
#include "tests/fuzz/targets.h"

namespace sg::fuzz {
namespace {

/// What a reader makes of a file: the table's description, or the error.
std::string outcome(const Format& format, Bytes bytes, bool pieces, const ReadTarget& target) {
  try {
    const auto reader = format.open(nlohmann::json::object(), "", target);
    if (pieces) {
      in_pieces(bytes, [&](Bytes piece) { reader->feed(piece); });
    } else {
      reader->feed(bytes);
    }
    const Table table = reader->finish();
    for (const Column& column : table.columns) {
      const std::size_t kept =
          std::max({column.numbers.size(), column.times.size(), column.codes.size(), column.bytes.size()});
      hold(kept == 0 || kept == table.rows * column.row_elements(),
           "column " + column.name + " has " + std::to_string(kept) + " of " + std::to_string(table.rows) + " rows");
      for (const std::uint32_t code : column.codes)
        hold(code == kMissingCode || code < column.categories.size(), "a code names no category");
    }
    return describe(table).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  } catch (const Error& e) {
    return e.code() + std::string(": ") + e.what();
  }
}

void read(const Format& format, Bytes bytes) {
  const ReadTarget kept{};
  const std::string whole = outcome(format, bytes, false, kept);
  const std::string cut = outcome(format, bytes, true, kept);
  hold(whole == cut, "in pieces: " + cut + "\nas a whole: " + whole);
  // Without values memory is bounded, and so are dictionaries: an error must be the same, a table may say less.
  const ReadTarget dropped{.keep = false};
  const std::string bare = outcome(format, bytes, true, dropped);
  hold((bare[0] == '{') == (whole[0] == '{'), "values dropped: " + bare + "\nvalues kept: " + whole);
  format.claims(bytes.first(std::min<std::size_t>(bytes.size(), kHeadBytes)), "");
}

}  // namespace

std::vector<Target> table_targets() {
  std::vector<Target> all;
  for (const Format* format : formats()) all.push_back({format->name, [format](Bytes bytes) { read(*format, bytes); }});
  return all;
}

}  // namespace sg::fuzz

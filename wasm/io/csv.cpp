// The reader: collects the sample, settles the dialect, then runs every record through the lexer once, the sample
// first. Where a chunk ends has no influence: the sample ends at a byte that the content alone decides.

#include "io/csv.h"

#include <algorithm>
#include <set>

#include "io/csv_column.h"
#include "io/csv_decode.h"
#include "io/csv_lexer.h"
#include "io/csv_options.h"
#include "io/csv_sniff.h"
#include "io/csv_types.h"
#include "io/formats.h"

namespace sg {

extern const Format csv_format;

namespace {

nlohmann::json facts_of(const CsvDialect& dialect) {
  return {{"delimiter", std::string(1, dialect.delimiter)},
          {"quote", dialect.quote == '\0' ? "" : std::string(1, dialect.quote)},
          {"header", dialect.header},
          {"decimalComma", dialect.decimal_comma},
          {"encoding", to_string(dialect.encoding)}};
}

Claim claim_csv(std::span<const uint8_t>, std::string_view name) {
  return has_ending(csv_format, name) ? Claim::by_name : Claim::none;
}

std::unique_ptr<TableReader> open_csv(const nlohmann::json& options, std::string_view name, const ReadTarget& target) {
  CsvOptions own = csv_options_from_json(options);
  own.name = name;
  own.target = target;
  return std::make_unique<CsvReader>(std::move(own));
}

}  // namespace

const Format csv_format{"csv", "Delimited text (CSV, TSV)", " csv tsv tab txt dat ", claim_csv, open_csv};

std::string_view to_string(Encoding encoding) {
  switch (encoding) {
    case Encoding::utf8:
      return "utf-8";
    case Encoding::utf16le:
      return "utf-16le";
    case Encoding::utf16be:
      return "utf-16be";
    case Encoding::windows1252:
      return "windows-1252";
  }
  return "utf-8";
}

struct CsvReader::State {
  static constexpr size_t preview_room_at_start = 2 * 1024 * 1024;
  static constexpr size_t preview_cell_bytes = 256;

  explicit State(CsvOptions o) : options(std::move(o)), sample_target(std::max<size_t>(options.sample_bytes, 16)) {
    if (options.quote && options.delimiter == options.quote) {
      throw Error("csv.bad_option", "the delimiter and the quote are the same character");
    }
  }

  CsvOptions options;
  uint64_t bytes = 0;
  std::vector<uint8_t> sample;
  size_t sample_target;
  size_t sample_line_ends = 0;
  bool started = false;
  bool ended = false;  // handed over, or an error was thrown
  std::optional<TextDecoder> decoder;
  std::optional<CsvLexer> lexer;
  CsvPlan plan;
  CsvTable table;
  std::vector<ColumnBuilder> builders;
  size_t dictionary_room = Dictionary::room_at_start;
  size_t preview_room = preview_room_at_start;
  bool header_pending = false;
  std::vector<std::string> names;
  uint64_t next_line = 1;                // where the next row would begin if lines and rows went together
  uint64_t first_blank = 0, blanks = 0;  // empty lines since the last record
  uint64_t chunk_first = 0, chunk_rows = 0;
  LineJumps chunk_jumps;

  void begin_use();
  void take_sample(std::span<const uint8_t>& input);
  void start(bool whole);
  void on_record(const CsvRecord& record);
  void settle_blanks();
  void add_row(const CsvRecord& record);
  LineJumps& line_jumps() { return options.target.sink == nullptr ? table.line_jumps : chunk_jumps; }
  void give_chunk();
  void note_width(const CsvRecord& record);
  void make_names(uint64_t header_line);
};

/// A reader that has thrown or ended is not used again: half a table must not pass for a whole one.
void CsvReader::State::begin_use() {
  if (ended) throw Error("csv.finished", "the reader has ended, by an error or by handing its table over");
  ended = true;
}

/// Fills the sample up to its target; a target that holds too few lines to judge by moves on.
void CsvReader::State::take_sample(std::span<const uint8_t>& input) {
  const size_t take = std::min(input.size(), sample_target - sample.size());
  sample.insert(sample.end(), input.begin(), input.begin() + static_cast<ptrdiff_t>(take));
  for (size_t i = 0; i < take; ++i) sample_line_ends += input[i] == '\n' || input[i] == '\r';
  input = input.subspan(take);
  if (sample.size() < sample_target) return;
  if (sample_line_ends < 4 && sample_target < 2 * options.max_line_bytes) {
    sample_target += std::max<size_t>(options.sample_bytes, 16);
  } else {
    start(false);
  }
}

void CsvReader::State::start(bool whole) {
  started = true;
  const EncodingGuess guess = guess_encoding(sample);
  const Encoding encoding = options.encoding.value_or(guess.encoding);
  refuse_binary(sample, encoding);
  std::span<const uint8_t> body = sample;
  if (guess.mark_bytes > 0 && encoding == guess.encoding) {
    body = body.subspan(guess.mark_bytes);
    table.repairs.add(1, 0, "bom", "a byte order mark was dropped");
  }
  if (encoding != Encoding::utf8) {
    table.repairs.add(1, 0, "encoding", "the file was decoded from " + std::string(to_string(encoding)));
  }
  decoder.emplace(encoding);
  std::string text(TextDecoder(encoding).decode(body));
  plan = sniff_csv(text, whole, options);
  plan.dialect.encoding = encoding;
  header_pending = plan.dialect.header;
  if (!options.types.empty() && plan.width > 0 && options.types.rbegin()->first >= plan.width) {
    throw Error("csv.bad_option", "option 'types' names column " + std::to_string(options.types.rbegin()->first) +
                                      ", and there are " + std::to_string(plan.width) + ", counted from 0");
  }
  chunk_rows = options.target.chunk_rows(plan.width * sizeof(double));
  builders.reserve(plan.width);
  for (size_t c = 0; c < plan.width; ++c) builders.emplace_back(c, plan.columns[c], options, dictionary_room);
  lexer.emplace(
      CsvLexer::Settings{plan.dialect.delimiter, plan.dialect.quote, options.max_line_bytes, options.max_columns},
      table.repairs, [this](const CsvRecord& record) { on_record(record); });
  lexer->feed(decoder->decode(body));
  sample = {};
}

/// In a table of one column an empty line is a missing value, unless nothing but empty lines follow.
void CsvReader::State::settle_blanks() {
  for (uint64_t line = first_blank; blanks > 0; ++line, --blanks) {
    if (plan.width == 1 && table.rows > 0) {
      const CsvField nothing{"", line, false};
      add_row({line, std::span(&nothing, 1), true});
    } else {
      table.repairs.add(line, 0, "blank_line", "an empty line was left out");
    }
  }
}

void CsvReader::State::on_record(const CsvRecord& record) {
  if (record.comment && record.line != plan.header_line) {
    table.repairs.add(record.line, 0, "comment", "a line that begins with # was left out");
    return;
  }
  if (record.blank) {
    if (blanks++ == 0) first_blank = record.line;
    return;
  }
  settle_blanks();
  if (names.empty()) make_names(record.line);
  if (header_pending) {
    header_pending = false;
    next_line = record.line + 1;
    return;
  }
  add_row(record);
}

void CsvReader::State::add_row(const CsvRecord& record) {
  if (!options.target.drops() && (record.line != next_line || line_jumps().empty())) {
    line_jumps().emplace_back(table.rows, record.line);
  }
  next_line = record.line + 1;
  note_width(record);
  const bool show = table.preview.size() < options.preview_rows && preview_room > 0;
  if (show) table.preview.emplace_back();
  const CsvField none{"", record.line, false};
  for (size_t c = 0; c < plan.width; ++c) {
    const CsvField& field = c < record.fields.size() ? record.fields[c] : none;
    builders[c].add(field.text, field.line, table.repairs);
    if (show) table.preview.back().push_back(shorten(field.text, preview_cell_bytes));
  }
  ++table.rows;
  if (options.target.sink != nullptr && table.rows - chunk_first == chunk_rows) give_chunk();
  if (!show) return;
  size_t spent = 0;
  for (const std::string& cell : table.preview.back()) spent += cell.size() + 8;
  preview_room -= std::min(preview_room, spent);
}

/// Each chunk begins with a jump, so that its lines can be told without those before it.
void CsvReader::State::give_chunk() {
  if (options.target.sink == nullptr || table.rows == chunk_first) return;
  Chunk chunk{chunk_first, table.rows - chunk_first, {}, std::move(chunk_jumps)};
  for (ColumnBuilder& builder : builders)
    if (auto values = builder.take()) chunk.columns.push_back(std::move(*values));
  chunk_first = table.rows;
  chunk_jumps = {};
  options.target.sink->take(std::move(chunk));
}

void CsvReader::State::note_width(const CsvRecord& record) {
  const size_t fields = record.fields.size();
  if (fields == plan.width || (fields < plan.width && record.blank)) return;
  const std::string counts = std::to_string(fields) + " fields for " + std::to_string(plan.width) + " columns: ";
  if (fields < plan.width) {
    table.repairs.add(record.line, fields + 1, "short_row", counts + "the rest is missing");
  } else {
    table.repairs.add(record.line, plan.width + 1, "long_row", counts + "the rest was cut off");
  }
}

void CsvReader::State::make_names(uint64_t header_line) {
  std::set<std::string> used(plan.names.begin(), plan.names.end());
  std::set<std::string> given;
  std::map<std::string, size_t> next;  // number of each name that stands twice
  for (size_t c = 0; c < plan.width; ++c) {
    const std::string number = std::to_string(c + 1);
    std::string name = c < plan.names.size() ? shorten(plan.names[c], 200) : "";
    const bool empty = name.empty(), twice = !empty && given.count(name) > 0;
    if (empty || twice) {
      const std::string stem = empty ? "column" : name;
      size_t& n = next.try_emplace(stem, 2).first->second;
      if (empty) n = c + 1;
      do {
        name = stem + "_" + std::to_string(n++);
      } while (used.count(name) > 0 || given.count(name) > 0);
    }
    if (plan.dialect.header && c >= plan.names.size()) {
      table.repairs.add(header_line, c + 1, "header_short", "column " + number + " has no name; called '" + name + "'");
    } else if (plan.dialect.header && empty) {
      table.repairs.add(header_line, c + 1, "header_empty", "column " + number + " has no name; called '" + name + "'");
    } else if (twice) {
      table.repairs.add(header_line, c + 1, "header_duplicate",
                        "'" + shorten(plan.names[c], 80) + "' stands twice; the second is called '" + name + "'");
    }
    given.insert(name);
    names.push_back(std::move(name));
  }
}

CsvReader::CsvReader(CsvOptions options) : state_(std::make_unique<State>(std::move(options))) {}
CsvReader::~CsvReader() = default;
CsvReader::CsvReader(CsvReader&&) noexcept = default;
CsvReader& CsvReader::operator=(CsvReader&&) noexcept = default;

uint64_t CsvReader::bytes() const { return state_->bytes; }
uint64_t CsvReader::rows() const { return state_->table.rows; }

void CsvReader::feed(std::span<const uint8_t> bytes) {
  State& s = *state_;
  s.begin_use();
  s.bytes += bytes.size();
  while (!s.started && !bytes.empty()) s.take_sample(bytes);
  if (!bytes.empty()) s.lexer->feed(s.decoder->decode(bytes));
  s.ended = false;
}

CsvTable CsvReader::finish_csv() {
  State& s = *state_;
  s.begin_use();
  if (s.bytes == 0) throw Error("csv.empty", "the file is empty");
  if (!s.started) s.start(true);
  s.lexer->feed(s.decoder->finish());
  s.lexer->finish();
  if (s.plan.width == 0) throw Error("csv.empty", "the file holds nothing but empty lines");
  if (s.table.rows == 0) {
    throw Error("csv.no_rows", "the file has a header and no data row under it", 2);
  }
  CsvTable& table = s.table;
  s.give_chunk();
  for (size_t c = 0; c < s.builders.size(); ++c) {
    table.columns.push_back(s.builders[c].finish(s.names[c], table.repairs));
  }
  table.name = s.options.name;
  table.format = csv_format.name;
  table.dialect = s.plan.dialect;
  table.facts = facts_of(table.dialect);
  return std::move(table);
}

CsvTable read_csv(std::span<const uint8_t> bytes, CsvOptions options) {
  CsvReader reader(std::move(options));
  reader.feed(bytes);
  return reader.finish_csv();
}

CsvTable read_csv(std::string_view text, CsvOptions options) {
  return read_csv(std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size()), std::move(options));
}

}  // namespace sg

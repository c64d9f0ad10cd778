// Plain text as a table of its characters: a row is a character, a category whose values are the characters in the
// order in which they first stand. Exact but for what is told: what is no character, what is beyond 10,000 different
// ones, and the CR of CRLF.

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "io/csv_decode.h"
#include "io/csv_types.h"
#include "io/formats.h"
#include "io/table_builder.h"

namespace sg {

extern const Format text_format;

namespace {

constexpr size_t kMaxCharacters = 10'000;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr uint32_t kNone = 0xffffffff;

class TextReader : public TableReader {
 public:
  explicit TextReader(const CsvOptions& options) : encoding_(options.encoding), table_(text_format.name, options) {
    ColumnKind kind;
    kind.type = ColumnType::category;
    kind.labels = true;
    kind.max_categories = kMaxCharacters + 1;  // and one for those beyond
    table_.add_typed("character", kind);
    table_.check_types();
    ascii_.fill(kNone);
  }

  void feed(std::span<const uint8_t> bytes) override;
  Table finish() override;
  uint64_t rows() const override { return table_.rows(); }

 private:
  void begin_use();
  void start();
  void take(std::string_view text, bool last);
  void add(std::string_view character);
  void put(std::string_view character);
  uint32_t new_code(std::string_view character);

  std::optional<Encoding> encoding_;
  TableBuilder table_;
  bool ended_ = false;
  uint64_t bytes_ = 0, line_ = 1;
  std::vector<uint8_t> head_;
  std::optional<TextDecoder> decoder_;
  std::string rest_;  // of a character that was cut
  bool after_return_ = false, told_returns_ = false;
  bool ends_with_line_ = false;
  size_t different_ = 0;
  std::array<uint32_t, 128> ascii_;  // codes by character
  std::unordered_map<std::string, uint32_t> others_;
};

void TextReader::begin_use() {
  if (ended_) throw Error("text.finished", "the reader has ended, by an error or by handing its table over");
  ended_ = true;
}

void TextReader::feed(std::span<const uint8_t> bytes) {
  begin_use();
  bytes_ += bytes.size();
  if (decoder_) {
    take(decoder_->decode(bytes), false);
  } else {
    const size_t n = std::min(bytes.size(), kHeadBytes - head_.size());
    head_.insert(head_.end(), bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(n));
    if (head_.size() == kHeadBytes) {
      start();
      take(decoder_->decode(bytes.subspan(n)), false);
    }
  }
  ended_ = false;
}

void TextReader::start() {
  const EncodingGuess guess = guess_encoding(head_);
  const Encoding encoding = encoding_.value_or(guess.encoding);
  try {
    refuse_binary(head_, encoding);
  } catch (const Error& error) {
    throw Error("text.binary", error.what(), 1);
  }
  std::span<const uint8_t> body = head_;
  if (guess.mark_bytes > 0 && encoding == guess.encoding) {
    body = body.subspan(guess.mark_bytes);
    table_.repairs().add(1, 0, "bom", "a byte order mark was dropped");
  }
  if (encoding != Encoding::utf8) {
    table_.repairs().add(1, 0, "encoding", "the file was decoded from " + std::string(to_string(encoding)));
  }
  table_.facts()["encoding"] = to_string(encoding);
  decoder_.emplace(encoding);
  take(decoder_->decode(body), false);
  head_ = {};
}

void TextReader::take(std::string_view piece, bool last) {
  std::string joined;
  if (!rest_.empty()) {
    joined = std::move(rest_);
    joined += piece;
    rest_.clear();
    piece = joined;
  }
  while (!piece.empty()) {
    const size_t length = utf8_length(piece);
    if (length == 0 && !last && piece.size() < 4 && could_begin_utf8(piece)) {
      rest_ = piece;
      return;
    }
    if (length == 0) {
      table_.repairs().add(line_, 0, "invalid_utf8", "a byte that is not UTF-8 became \xEF\xBF\xBD");
      add(kReplacement);
    } else {
      add(piece.substr(0, length));
    }
    piece.remove_prefix(std::max<size_t>(length, 1));
  }
}

/// CR comes with what follows it: CRLF is one end of a line.
void TextReader::add(std::string_view character) {
  const bool ends_line = character[0] == '\n';
  if (after_return_ && !ends_line) put("\r");
  if (after_return_ && ends_line && !told_returns_) {
    told_returns_ = true;
    table_.repairs().add(line_, 0, "line_ends", "lines end with CR and LF; the CR was left out");
  }
  after_return_ = character[0] == '\r';
  if (!after_return_) put(character);
  line_ += ends_line;
  ends_with_line_ = ends_line;
}

void TextReader::put(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  uint32_t code = kNone;
  if (first < ascii_.size()) {
    code = ascii_[first];
  } else if (const auto known = others_.find(std::string(character)); known != others_.end()) {
    code = known->second;
  }
  if (code == kNone) {
    if (different_ >= kMaxCharacters && character != kReplacement) {
      table_.repairs().add(line_, 0, "too_many_characters",
                           "beyond 10,000 different characters '" + std::string(character) + "' became \xEF\xBF\xBD");
      return put(kReplacement);
    }
    code = new_code(character);
  }
  table_.add_code(0, code, character);
  table_.end_row();
}

uint32_t TextReader::new_code(std::string_view character) {
  ++different_;
  const uint32_t code = table_.code_of(0, character).value();
  const auto first = static_cast<unsigned char>(character[0]);
  if (first < ascii_.size()) {
    ascii_[first] = code;
  } else {
    others_.emplace(character, code);
  }
  return code;
}

Table TextReader::finish() {
  begin_use();
  if (bytes_ == 0) throw Error("text.empty", "the file is empty");
  if (!decoder_) start();
  take(decoder_->finish(), true);
  if (after_return_) put("\r");
  if (table_.rows() == 0) throw Error("text.empty", "the file holds nothing but a byte order mark");
  table_.facts()["characters"] = table_.rows();
  table_.facts()["bytes"] = bytes_;
  table_.facts()["lines"] = ends_with_line_ ? line_ - 1 : line_;
  return table_.finish();
}

/// Whether lines mean something cell by cell: most of them are numbers or dates, or have the same number of one mark.
bool looks_like_table(std::string_view head) {
  std::map<char, std::map<size_t, size_t>> widths;  // by mark: how many lines have how many
  size_t lines = 0, typed = 0;
  while (!head.empty()) {
    const size_t end = head.find('\n');
    if (end == std::string_view::npos && lines > 0) break;  // perhaps cut
    const std::string_view line = trim(head.substr(0, end));
    head.remove_prefix(end == std::string_view::npos ? head.size() : end + 1);
    if (line.empty()) continue;
    ++lines;
    for (const char mark : {',', ';', '\t', '|'}) {
      ++widths[mark][static_cast<size_t>(std::count(line.begin(), line.end(), mark))];
    }
    size_t words = 0, values = 0;
    for (std::string_view rest = line; !rest.empty(); ++words) {
      const size_t space = rest.find(' ');
      const std::string_view word = rest.substr(0, space);
      values += parse_number(word, '.') || parse_number(word, ',') || parse_datetime(word);
      rest = space == std::string_view::npos ? std::string_view() : trim(rest.substr(space));
    }
    typed += values * 2 >= words;
  }
  if (typed * 2 >= lines) return true;
  for (const auto& [mark, counts] : widths) {
    for (const auto& [count, times] : counts) {
      if (count > 0 && times * 5 >= lines * 4 && lines > 1) return true;
    }
  }
  return false;
}

/// A .txt is a table where its lines look like one, else it is text; other endings say it themselves.
Claim claim_text(std::span<const uint8_t> head, std::string_view name) {
  if (has_ending(text_format, name)) return Claim::by_name;
  const size_t dot = name.find_last_of('.');
  if (dot == std::string_view::npos || (name.substr(dot) != ".txt" && name.substr(dot) != ".TXT")) return Claim::none;
  const EncodingGuess guess = guess_encoding(head);
  const std::string text(TextDecoder(guess.encoding).decode(head.subspan(guess.mark_bytes)));
  return text.empty() || looks_like_table(text) ? Claim::none : Claim::by_content;
}

std::unique_ptr<TableReader> open_text(const nlohmann::json& options, std::string_view name, const ReadTarget& target) {
  return std::make_unique<TextReader>(options_like_csv(options, text_format.name, name, target, {"encoding"}));
}

}  // namespace

const Format text_format{"text", "Plain text", " text md markdown rst ", claim_text, open_text};

}  // namespace sg

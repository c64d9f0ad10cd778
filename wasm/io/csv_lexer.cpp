// The states: at the start of a field, in a bare one, in a quoted one, after a closing quote. A lone CR ends a line at
// once; a LF right behind it belongs to the same end.

#include "io/csv_lexer.h"

#include <algorithm>

#include "io/csv_types.h"

namespace sg {

CsvLexer::CsvLexer(Settings settings, Repairs& repairs, std::function<void(const CsvRecord&)> on_record)
    : settings_(settings),
      between_blanks_(settings.delimiter == ' '),
      scan_(settings.delimiter, settings.quote, between_blanks_ ? '\t' : settings.delimiter),
      repairs_(repairs),
      on_record_(std::move(on_record)) {
  field_.line = 1;
  for (const char c : {settings.delimiter, settings.quote, '\n', '\r', '\0'})
    special_[static_cast<unsigned char>(c)] = true;
  if (between_blanks_) special_[static_cast<unsigned char>('\t')] = true;
}

/// How many of the next bytes mean only themselves in the present state.
size_t CsvLexer::plain_run(std::string_view bytes) const {
  if (at_ != At::bare && at_ != At::quoted) return 0;
  size_t n = 0;
  if (at_ == At::quoted) {
    while (n < bytes.size() && bytes[n] != settings_.quote && bytes[n] != '\n' && bytes[n] != '\r' && bytes[n] != '\0')
      ++n;
  } else {
    while (n < bytes.size() && !ends_bare(bytes[n])) ++n;
  }
  return n;
}

/// One more field of a plain line; false where the line needs step(). Between blanks there are no empty ones, and what
/// begins with '#' is a comment.
bool CsvLexer::take_plain_field(std::string_view text, size_t& fields) {
  if (between_blanks_) {
    if (text.empty()) return true;
    if (fields == 0 && text[0] == '#') return false;
  }
  if (fields == settings_.max_columns) return false;
  if (fields == fields_.size()) fields_.emplace_back();
  CsvField& field = fields_[fields++];
  field.text = text;
  field.line = line_;
  field.quoted = false;
  return true;
}

/// A whole line at the start of `bytes` that holds nothing but bare fields becomes a record in place, as step() would
/// make it; the bytes that it took. 0, and nothing has happened, where the line needs step() or does not end here.
size_t CsvLexer::take_plain_line(std::string_view bytes) {
  const size_t most = std::min(bytes.size(), settings_.max_line_bytes + 1);
  const CsvScan scan = scan_;
  size_t fields = 0, begin = 0;
  uint32_t non_ascii = 0;  // beyond the line's end, too: it costs a closer look and no more
  for (size_t at = 0; at < most; at += CsvScan::kBlock) {
    const char* const p = bytes.data() + at;
    const size_t left = bytes.size() - at;
    const CsvScan::Bits bits = left < CsvScan::kBlock ? scan.at_bytes(p, left) : scan.at(p);
    non_ascii |= bits.non_ascii;
    for (uint32_t marks = bits.marks; marks != 0; marks &= marks - 1) {
      const size_t i = at + static_cast<size_t>(__builtin_ctz(marks));
      const char c = bytes[i];
      const bool parts = parts_fields(c), crlf = c == '\r' && i + 1 < bytes.size() && bytes[i + 1] == '\n';
      if (!parts && c != '\n' && !crlf) return 0;
      if (!take_plain_field(bytes.substr(begin, i - begin), fields)) return 0;
      begin = i + 1;
      if (parts) continue;
      const size_t length = i + crlf;
      return end_plain_line(fields, length, crlf ? 'w' : '\n', non_ascii != 0) ? length + 1 : 0;
    }
  }
  return 0;
}

bool CsvLexer::end_plain_line(size_t fields, size_t length, char kind, bool non_ascii) {
  if (length > settings_.max_line_bytes) return false;
  if (first_end_ != kind && first_end_ != '\0' && !mixed_) return false;
  if (fields == 0) {  // nothing but blanks
    if (fields_.empty()) fields_.emplace_back();
    fields_[fields++] = {"", line_, false};
  }
  if (first_end_ == '\0') first_end_ = kind;
  ++line_;
  give_record(fields, non_ascii);
  return true;
}

void CsvLexer::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    if (is_between_records()) {
      if (const size_t taken = take_plain_line(bytes); taken > 0) {
        bytes.remove_prefix(taken);
        continue;
      }
    }
    // One byte over the limit is enough to fail, so no run is longer than that.
    const size_t room = settings_.max_line_bytes - record_bytes_ + 1;
    const size_t run = after_return_ ? 0 : plain_run(bytes.substr(0, room));
    if (run > 0) {
      text_.append(bytes.substr(0, run));
      in_nul_run_ = false;
      record_bytes_ += run;
      bytes.remove_prefix(run);
    } else {
      step(bytes[0]);
      bytes.remove_prefix(1);
    }
    if (record_bytes_ > settings_.max_line_bytes) fail_long();
  }
}

void CsvLexer::fail_long() {
  const uint64_t column = marks_.size() + 1;
  if (at_ == At::quoted && quote_line_ < line_) {
    throw Error("csv.unclosed_quote",
                "line " + std::to_string(quote_line_) + ", field " + std::to_string(column) +
                    ": a quote opens here and is not closed within " + std::to_string(settings_.max_line_bytes) +
                    " bytes; close it, or choose another quote character",
                quote_line_, column);
  }
  throw Error("csv.line_too_long",
              "line " + std::to_string(record_line_) + " is longer than " + std::to_string(settings_.max_line_bytes) +
                  " bytes; is this a table with one record a line?",
              record_line_);
}

void CsvLexer::step(char c) {
  if (after_return_) {
    after_return_ = false;
    const char kind = c == '\n' ? 'w' : '\r';
    if (at_ != At::quoted) {
      if (first_end_ == '\0') first_end_ = kind;
      if (first_end_ != kind && !mixed_) {
        mixed_ = true;
        repairs_.add(line_ - 1, 0, "line_ends", "line ends are mixed (LF, CRLF or CR); all of them were taken");
      }
    }
    if (c == '\n') {
      if (at_ == At::quoted) {
        text_ += c;
        ++record_bytes_;
      }
      return;
    }
  }
  if (c == '\n' || c == '\r') return line_end(c);
  ++record_bytes_;
  if (c == '\0') {
    if (!in_nul_run_) repairs_.add(line_, marks_.size() + 1, "nul_byte", "NUL bytes were dropped");
    in_nul_run_ = true;
    return;
  }
  in_nul_run_ = false;
  const bool quote = settings_.quote != '\0' && c == settings_.quote && !comment_;
  if (at_ == At::quoted) {
    if (quote) {
      at_ = At::closed;
      spaces_ = 0;
    } else {
      text_ += c;
    }
  } else if (parts_fields(c)) {
    if (at_ != At::start || !between_blanks_) end_field();
  } else if (at_ == At::closed) {
    after_quote(c, quote);
  } else if (at_ == At::start && quote) {
    text_.resize(field_.begin);  // spaces before the quote
    field_.quoted = true;
    quote_line_ = line_;
    at_ = At::quoted;
  } else if (between_blanks_ && c == '#' && at_ == At::start && marks_.empty() && !comment_) {
    comment_ = true;
  } else {
    if (quote) note_stray_quote();
    text_ += c;
    if (at_ != At::start || c != ' ') at_ = At::bare;
  }
}

/// After a closing quote: the same again is a quote in the text, spaces may stand before the delimiter, and whatever
/// else comes makes the rest of the field text as it stands, quotes and the spaces before it included.
void CsvLexer::after_quote(char c, bool quote) {
  if (quote && spaces_ == 0) {
    text_ += c;
    at_ = At::quoted;
  } else if (c == ' ') {
    ++spaces_;
  } else {
    note_stray_quote();
    text_.append(spaces_, ' ');
    text_ += c;
    at_ = At::bare;
  }
}

void CsvLexer::line_end(char c) {
  in_nul_run_ = false;
  if (c == '\r') {
    after_return_ = true;
  } else if (at_ != At::quoted) {
    if (first_end_ == '\0') first_end_ = '\n';
    if (first_end_ != '\n' && !mixed_) {
      mixed_ = true;
      repairs_.add(line_, 0, "line_ends", "line ends are mixed (LF, CRLF or CR); all of them were taken");
    }
  }
  ++line_;
  if (at_ == At::quoted) {
    text_ += c;
    ++record_bytes_;
  } else {
    end_last_field();
    end_record();
  }
}

void CsvLexer::note_stray_quote() {
  if (stray_) return;
  stray_ = true;
  repairs_.add(line_, marks_.size() + 1, "stray_quote",
               "a quote inside the field, or text after the closing one, was kept as it stands");
}

void CsvLexer::end_field() {
  if (marks_.size() == settings_.max_columns) {
    throw Error("csv.too_many_columns",
                "line " + std::to_string(record_line_) + " has more than " + std::to_string(settings_.max_columns) +
                    " fields; is the delimiter right?",
                record_line_, marks_.size() + 1);
  }
  marks_.push_back(field_);
  field_ = Mark{text_.size(), line_, false};
  at_ = At::start;
  stray_ = false;
}

/// Blanks before the end of a line part it from nothing.
void CsvLexer::end_last_field() {
  if (!between_blanks_ || at_ != At::start || marks_.empty()) end_field();
}

/// Makes ill-formed UTF-8 visible as U+FFFD, field by field.
void CsvLexer::clean_fields(std::span<CsvField> fields) {
  for (size_t i = 0; i < fields.size(); ++i) {
    if (find_invalid_utf8(fields[i].text) == std::string_view::npos) continue;
    cleaned_.push_back(replace_invalid_utf8(fields[i].text));
    repairs_.add(fields[i].line, i + 1, "invalid_utf8",
                 "bytes that are not UTF-8 became \xEF\xBF\xBD: " + shorten(cleaned_.back(), 80));
  }
  size_t next = 0;
  for (CsvField& field : fields) {
    if (find_invalid_utf8(field.text) != std::string_view::npos) field.text = cleaned_[next++];
  }
}

void CsvLexer::end_record() {
  if (fields_.size() < marks_.size()) fields_.resize(marks_.size());
  for (size_t i = 0; i < marks_.size(); ++i) {
    const size_t end = i + 1 < marks_.size() ? marks_[i + 1].begin : text_.size();
    fields_[i] = {std::string_view(text_).substr(marks_[i].begin, end - marks_[i].begin), marks_[i].line,
                  marks_[i].quoted};
  }
  const bool ascii =
      std::all_of(text_.begin(), text_.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  give_record(marks_.size(), !ascii);
  text_.clear();
  marks_.clear();
}

/// Hands the first fields over and begins the next record.
void CsvLexer::give_record(size_t fields, bool non_ascii) {
  const std::span<CsvField> own(fields_.data(), fields);
  cleaned_.clear();
  if (non_ascii) clean_fields(own);
  const bool blank = fields == 1 && !own[0].quoted && trim(own[0].text).empty();
  on_record_({record_line_, own, blank, comment_});
  comment_ = false;
  record_bytes_ = 0;
  record_line_ = line_;
  field_ = Mark{0, line_, false};
}

void CsvLexer::finish() {
  if (at_ == At::quoted) {
    const uint64_t column = marks_.size() + 1;
    throw Error("csv.unclosed_quote",
                "line " + std::to_string(quote_line_) + ", field " + std::to_string(column) +
                    ": a quote opens here and is not closed before the end of the file",
                quote_line_, column);
  }
  if (record_bytes_ == 0) return;
  end_last_field();
  end_record();
}

}  // namespace sg

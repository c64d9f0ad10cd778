// Values that leave a reader in chunks are those that it would have kept, also where a type or the order of day and
// month is decided after the first chunk has left.

#include "tests/io/chunks.h"
#include "tests/io/csv_text.h"

using namespace sg;

namespace {

Table read_chunks(std::string_view text, Chunks& chunks, size_t chunk_bytes, CsvOptions options = {}) {
  options.target = {.keep = false, .sink = &chunks, .chunk_bytes = chunk_bytes};
  CsvReader reader(std::move(options));
  for (size_t at = 0; at < text.size(); at += 7) reader.feed(as_bytes(text.substr(at, 7)));
  return reader.finish();
}

void check_chunks(const std::string& text, size_t chunk_bytes, size_t expected_chunks) {
  const Table kept = read_csv(text);
  Chunks chunks;
  const Table told = read_chunks(text, chunks, chunk_bytes);
  CHECK(chunks.all.size() == expected_chunks);
  CHECK(describe(told) == describe(kept));
  uint64_t row = 0;
  for (const Chunk& chunk : chunks.all) {
    CHECK(chunk.first_row == row);
    for (uint64_t r = row; r < row + chunk.rows; ++r)
      REQUIRE(line_of_row(chunk.line_jumps, r) == line_of_row(kept.line_jumps, r));
    row += chunk.rows;
  }
  CHECK(row == kept.rows);
  for (size_t c = 0; c < kept.columns.size(); ++c) {
    CAPTURE(kept.columns[c].name);
    CHECK(told.columns[c].empty());
    const ColumnValues all = joined(chunks, told.columns[c], told.rows);
    CHECK(same_values(all.numbers, kept.columns[c].numbers));
    CHECK(same_values(all.times, kept.columns[c].times));
    CHECK(same_values(all.codes, kept.columns[c].codes));
  }
}

}  // namespace

TEST_CASE("Chunks hold the rows that a kept table holds", "[io][chunks]") {
  const std::string text = "a,b,c\n" + lines_of(100, [](size_t i) {
                             return std::to_string(i) + (i % 9 == 3 ? ",," : ",x" + std::to_string(i % 5) + ",") +
                                    "2020-01-0" + std::to_string(1 + i % 9) + (i % 11 == 5 ? "\n" : "");
                           });
  check_chunks(text, 24 * 8, 13);
  check_chunks(text, 1, 100);
  check_chunks(text, 1 << 20, 1);
}

TEST_CASE("A type that is decided late makes the rows before it missing", "[io][chunks]") {
  const std::string text =
      "a,late\n" + lines_of(60, [](size_t i) { return std::to_string(i) + "," + (i < 41 ? "NA" : "2.5"); });
  check_chunks(text, 160, 6);
}

TEST_CASE("Day and month that are told apart late hold for the chunks before", "[io][chunks]") {
  const std::string text = "when,v\n" + lines_of(40, [](size_t i) {
                             return (i < 25 ? "0" + std::to_string(1 + i % 9) : std::to_string(13 + i % 9)) +
                                    "/05/2021," + std::to_string(i);
                           });
  check_chunks(text, 160, 4);
  Chunks chunks;
  CHECK(read_chunks(text, chunks, 160).columns[0].day_first);
}

TEST_CASE("A category that becomes text after chunks have left is text", "[io][chunks]") {
  const std::string text = "name,v\n" + lines_of(1500, [](size_t i) { return "n" + std::to_string(i) + ",1"; });
  CsvOptions options;
  options.types[0] = ColumnType::category;
  Chunks chunks;
  const Table table = read_chunks(text, chunks, 1600, options);
  CHECK(table.columns[0].type == ColumnType::text);
  CHECK(chunks.all.size() == 15);
  CHECK(chunks.all.front().columns.size() == 2);
  CHECK(chunks.all.back().columns.size() == 1);
}

TEST_CASE("A format is chosen by name or by option, and refused by the names there are", "[io][formats]") {
  CHECK(&detect_format(as_bytes("a,b\n1,2\n"), "data.CSV") == &format_named("csv"));
  CHECK_FALSE(has_ending(format_named("csv"), "csv"));
  CHECK_FALSE(has_ending(format_named("csv"), "data.csv/readme"));
  try {
    open_reader({{"format", "cvs"}}, {}, "x", {});
    FAIL("accepted");
  } catch (const Error& e) {
    CHECK(e.code() == "format.unknown");
    CHECK(e.message().find("csv") != std::string::npos);
  }
  const auto reader = open_detecting({{"delimiter", ";"}}, "data.csv", {});
  reader->feed(as_bytes("a;b\n1;2\n"));
  const Table table = reader->finish();
  CHECK(table.columns.size() == 2);
  CHECK(table.format == "csv");
  CHECK(table.facts["delimiter"] == ";");
}

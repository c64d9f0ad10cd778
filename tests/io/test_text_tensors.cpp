// Plain text as characters, and safetensors files as data.

#include "io/safetensors.h"
#include "tests/io/chunks.h"
#include "tests/io/csv_text.h"

using namespace sg;
using namespace std::string_literals;

namespace {

/// The characters of the column, one after the other.
std::string text_of(const Table& table) {
  std::string text;
  for (const uint32_t code : table.columns[0].codes) text += table.columns[0].categories.at(code);
  return text;
}

std::string tensors(const std::vector<TensorBytes>& all, const std::map<std::string, std::string>& metadata = {}) {
  const std::vector<uint8_t> bytes = write_safetensors(all, metadata, Values::any);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

TEST_CASE("A text is its characters, each a category in order of first appearance", "[io][text]") {
  const std::string text = "To be,\nor nöt to be: 日本 😀!\n";
  const Table table = check_reading(text, "a.md");
  CHECK(text_of(table) == text);
  CHECK(table.columns[0].type == ColumnType::category);
  CHECK(table.columns[0].categories[0] == "T");
  CHECK(table.columns[0].categories[2] == " ");
  CHECK(table.columns[0].stats.missing == 0);
  CHECK(table.facts["characters"] == table.rows);
  CHECK(table.facts["lines"] == 2);
  CHECK(table.facts["bytes"] == text.size());
  CHECK(table.repairs.total == 0);
  CHECK(check_reading("x", "a.text").facts["lines"] == 1);
}

TEST_CASE("What is not plain in a text is told", "[io][text]") {
  const Table bytes = check_reading("words and words a\xC3(\xFF\xE2\x82", "a.md");
  CHECK(text_of(bytes) == "words and words a\xEF\xBF\xBD(\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(bytes.repairs.by_kind.at("invalid_utf8") == 4);
  const Table ends = check_reading(
      "\xEF\xBB\xBF"
      "a\r\nb\rc\r\n\r",
      "a.md");
  CHECK(text_of(ends) == "a\nb\rc\n\r");
  CHECK(ends.repairs.by_kind.at("line_ends") == 1);
  CHECK(ends.repairs.by_kind.at("bom") == 1);
  const Table wide = check_reading(utf16("plain words", true, true), "a.md");
  CHECK(text_of(wide) == "plain words");
  CHECK(wide.facts["encoding"] == "utf-16le");
  const Table old = check_reading("na\xEFve", "a.md", {{"encoding", "windows-1252"}});
  CHECK(text_of(old) == "na\xC3\xAFve");
  CHECK(read_error("", "a.md").code() == "text.empty");
  CHECK(read_error("\xEF\xBB\xBF", "a.md").code() == "text.empty");
  CHECK(read_error(std::string(5000, '\0'), "a.md").code() == "text.binary");
  CHECK(read_error("x", "a.md", {{"delimiter", ","}}).code() == "text.bad_option");
}

TEST_CASE("Beyond ten thousand different characters a text has one for the rest", "[io][text]") {
  std::string text;
  for (uint32_t code = 0x4E00; code < 0x4E00 + 10'050; ++code) {
    text += static_cast<char>(0xE0 | code >> 12);
    text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    text += static_cast<char>(0x80 | (code & 0x3F));
  }
  const Table table = read_table(text + text, "a.md");
  CHECK(table.columns[0].categories.size() == 10'001);
  CHECK(table.columns[0].categories.back() == "\xEF\xBF\xBD");
  CHECK(table.repairs.by_kind.at("too_many_characters") == 100);
  CHECK(table.rows == 2 * 10'050);
}

TEST_CASE("A .txt is a table where its lines look like one, else text", "[io][text][formats]") {
  const auto format_of = [](const std::string& content, std::string_view name = "a.txt") {
    return std::string(detect_format(bytes_of(content), name).name);
  };
  CHECK(format_of("Call me Ishmael. Some years ago, never mind how long,\nhaving little or no money,\nI thought\n") ==
        "text");
  CHECK(format_of("First Citizen:\nBefore we proceed any further, hear me speak.\n\nAll:\nSpeak, speak.\n") == "text");
  CHECK(format_of("a,b\n1,2\n3,4\n") == "csv");
  CHECK(format_of("name\tcity\nann\trome\nbob\toslo\n") == "csv");
  CHECK(format_of("1.5\n2.5\n-3e2\n") == "csv");
  CHECK(format_of("1.0 2.0 3.0\n4.0 5.0 6.0\n") == "csv");
  CHECK(format_of("2020-01-01\n2020-01-02\n") == "csv");
  CHECK(format_of("") == "csv");
  CHECK(format_of("only words here\n", "a.csv") == "csv");
  CHECK(format_of("a,b\n1,2\n", "a.md") == "text");
}

TEST_CASE("Tensors of one length stand side by side", "[io][tensors]") {
  const std::vector<float> x = {1, 2, 3, 4, 5, 6};
  const std::vector<int64_t> y = {7, -8, 9};
  const auto bytes = [](const auto& v) {
    return std::span(reinterpret_cast<const uint8_t*>(v.data()), v.size() * sizeof(v[0]));
  };
  const std::string file = tensors(
      {{"x", Dtype::F32, {3, 2}, bytes(x)}, {"y", Dtype::I64, {3}, bytes(y)}, {"z", Dtype::F32, {3, 1, 2}, bytes(x)}});
  const Table table = check_reading(file, "a.safetensors", {}, 16);
  REQUIRE(table.columns.size() == 4);
  CHECK(table.columns[0].name == "x.0");
  CHECK(table.columns[1].numbers == std::vector<float>{2, 4, 6});
  CHECK(table.columns[2].numbers == std::vector<float>{7, -8, 9});
  CHECK(table.columns[3].shape == std::vector<size_t>{1, 2});
  CHECK(table.preview[1] == std::vector<std::string>{"3", "4", "-8", "3 4"});
  CHECK(read_error(file + "x", "a").code() == "safetensors.trailing_bytes");
  CHECK(read_error(file.substr(0, file.size() - 1), "a").code() == "safetensors.truncated");
  CHECK(read_error(file, "a", {}, {.file_bytes = file.size() - 1}).code() == "safetensors.truncated");

  const auto refused = [&](const std::vector<TensorBytes>& all,
                           const std::map<std::string, std::string>& metadata = {}) {
    return read_error(tensors(all, metadata), "a.safetensors").message();
  };
  CHECK_THAT(refused({{"x", Dtype::F32, {3, 2}, bytes(x)}, {"y", Dtype::F32, {6}, bytes(x)}}),
             Catch::Contains("'y' has 6 rows and 'x' has 3"));
  CHECK_THAT(refused({{"x", Dtype::F32, {}, bytes(x).subspan(0, 4)}}), Catch::Contains("single value"));
  CHECK_THAT(refused({{"x", Dtype::F32, {6}, bytes(x)}}, {{"format", std::string(kCheckpointFormat)}}),
             Catch::Contains("checkpoint"));
  CHECK_THAT(refused({{"x", Dtype::F32, {0, 5}, {}}}), Catch::Contains("no values"));
  CHECK_THAT(refused({}), Catch::Contains("no values"));
  CHECK(read_error("\x02\0\0\0\0\0\0\0{ "s, "a.safetensors").code() == "safetensors.bad_header");
  CHECK(read_error("\xff\xff\xff\xff\xff\xff\xff\xff{}"s, "a.safetensors").code() == "safetensors.bad_header");
}

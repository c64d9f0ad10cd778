// A shard's values lie where its header says, in the types that FORMATS.md names, and what only looks like a shard is
// refused before a byte of it is used.

#include <fstream>
#include <iterator>
#include <limits>

#include "tests/io/shards.h"

using namespace sg;

namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

/// Ten rows with every type of column; the third has no value yet.
Chunk chunk_of_ten() {
  Chunk chunk{100, 10, {}, {{100, 102}, {104, 110}}};
  ChunkColumn number{{}, 0, ColumnType::number, {}};
  for (int i = 0; i < 10; ++i) number.numbers.push_back(i == 3 || i == 9 ? kNone : 0.5f * static_cast<float>(i));
  ChunkColumn time{{}, 1, ColumnType::datetime, {}};
  for (int i = 0; i < 10; ++i) time.times.push_back(1e9 + i), time.times_day_first.push_back(2e9 + i);
  ChunkColumn category{{}, 3, ColumnType::category, {}};
  for (uint32_t i = 0; i < 10; ++i) category.codes.push_back(i == 0 ? kMissingCode : i % 3);
  ChunkColumn image{{}, 4, ColumnType::elements, {}};
  for (int i = 0; i < 60; ++i) image.bytes.push_back(static_cast<uint8_t>(i));
  ChunkColumn signal{{}, 5, ColumnType::elements, {}};
  for (int i = 0; i < 20; ++i) signal.numbers.push_back(static_cast<float>(-i));
  chunk.columns = {number, time, category, image, signal};
  return chunk;
}

}  // namespace

TEST_CASE("A tensor is found by its name, in a file in whatever order", "[io][shard]") {
  std::vector<std::string> names;
  for (int i = 0; i < 1000; ++i) names.push_back("c" + std::to_string(i * 7 % 1000));
  const std::vector<uint8_t> byte{1};
  std::vector<TensorBytes> tensors;
  for (const std::string& name : names) tensors.push_back({name, Dtype::U8, {1}, byte});
  const std::vector<uint8_t> file = write_safetensors(tensors, {{"format", "x"}}, Values::any);
  SafetensorsHeader header =
      read_safetensors_header(file, file.size(), SafetensorsRules{.hashes = false, .finite = false});
  CHECK(header.sorted);
  const auto check = [&] {
    for (const std::string& name : names) REQUIRE(header.find(name)->name == name);
    CHECK(header.find("c1000") == nullptr);
    CHECK(header.find("") == nullptr);
  };
  check();
  std::reverse(header.tensors.begin(), header.tensors.end());
  header.sorted = false;
  check();
}

TEST_CASE("A shard gives the rows of a column by offset", "[io][shard]") {
  const std::vector<uint8_t> file = write_shard(chunk_of_ten(), 7);
  const ShardIndex index = index_of(file);
  CHECK(index.first_row() == 100);
  CHECK(index.rows() == 10);
  CHECK(values_at<float>(file, *index.values(7, false, 4, 3)) == std::vector<float>{2, 2.5, 3});
  CHECK(values_at<double>(file, *index.values(8, false, 2, 2)) == std::vector<double>{1e9 + 2, 1e9 + 3});
  CHECK(values_at<double>(file, *index.values(8, true, 2, 2)) == std::vector<double>{2e9 + 2, 2e9 + 3});
  CHECK_FALSE(index.values(9, false, 0, 10));
  CHECK(values_at<int32_t>(file, *index.values(10, false, 0, 4)) == std::vector<int32_t>{-1, 1, 2, 0});
  CHECK(values_at<uint8_t>(file, *index.values(11, false, 9, 1)) == std::vector<uint8_t>{54, 55, 56, 57, 58, 59});
  CHECK(values_at<float>(file, *index.values(12, false, 1, 2)) == std::vector<float>{-2, -3, -4, -5});
  CHECK(index.values(7, false, 10, 0)->size() == 0);
  CHECK(index.row_bytes(11) == 6);
  CHECK(index.dtype(11) == Dtype::U8);
  CHECK_FALSE(index.dtype(9));
  CHECK(error_of([&] { index.values(7, false, 8, 3); }).code() == "shard.bad_range");
  CHECK(error_of([&] { index.values(7, false, ~uint64_t{0}, 2); }).code() == "shard.bad_range");
}

TEST_CASE("A shard's bitmap has a bit for each missing row and is there only where one is", "[io][shard]") {
  const std::vector<uint8_t> file = write_shard(chunk_of_ten());
  const ShardIndex index = index_of(file);
  CHECK(values_at<uint8_t>(file, *index.missing(0)) == std::vector<uint8_t>{0b00001000, 0b00000010});
  CHECK_FALSE(index.missing(1));
  CHECK(values_at<uint8_t>(file, *index.missing(3)) == std::vector<uint8_t>{1, 0});
  CHECK(values_at<int64_t>(file, *index.lines()) == std::vector<int64_t>{100, 102, 104, 110});
}

TEST_CASE("A chunk whose column lacks rows makes no shard", "[io][shard]") {
  Chunk chunk = chunk_of_ten();
  chunk.columns[0].numbers.pop_back();
  CHECK(error_of([&] { write_shard(chunk); }).code() == "shard.bad_chunk");
  chunk = chunk_of_ten();
  chunk.columns[3].bytes.push_back(1);
  CHECK(error_of([&] { write_shard(chunk); }).code() == "shard.bad_chunk");
}

TEST_CASE("What is no shard is refused by its header", "[io][shard]") {
  const std::vector<uint8_t> ten(10), forty(40), eighty(80);
  using Metadata = std::map<std::string, std::string>;
  const Metadata good{{"format", "shadegrad-shard/1"}, {"first_row", "0"}, {"rows", "10"}};
  const auto code = [&](const TensorBytes& tensor, const Metadata& metadata) {
    const auto file = write_safetensors({&tensor, 1}, metadata);
    return error_of([&] { index_of(file); }).code();
  };
  const TensorBytes fine{"c0", Dtype::F32, {10}, forty};
  CHECK_NOTHROW(index_of(write_safetensors({&fine, 1}, good)));
  for (const char* name : {"d0", "c", "c00", "c1234567", "c0.nul", "c0.null.null", "line", "c-1", "x"})
    CHECK(code({name, Dtype::F32, {10}, forty}, good) == "shard.invalid");
  CHECK(code({"c0", Dtype::F32, {5, 2}, forty}, good) == "shard.invalid");
  CHECK(code({"c0", Dtype::U8, {10}, ten}, good) == "shard.invalid");
  CHECK(code({"c0", Dtype::I64, {10}, eighty}, good) == "shard.invalid");
  CHECK(code({"c0.null", Dtype::U8, {10}, ten}, good) == "shard.invalid");
  CHECK(code({"c0.day_first", Dtype::F32, {10}, forty}, good) == "shard.invalid");
  CHECK(code({"lines", Dtype::I64, {10}, eighty}, good) == "shard.invalid");
  for (const auto& [key, value] : {std::pair{"rows", "11"},
                                   {"rows", "-1"},
                                   {"rows", "010"},
                                   {"rows", ""},
                                   {"rows", "1e1"},
                                   {"rows", "10 "},
                                   {"first_row", "99999999999999999999"},
                                   {"format", "shadegrad/2"}}) {
    Metadata bad = good;
    bad[key] = value;
    CHECK(code(fine, bad) == "shard.invalid");
    bad.erase(key);
    CHECK(code(fine, bad) == "shard.invalid");
  }
}

TEST_CASE("A small shard has these bytes", "[io][shard]") {
  Chunk chunk{6, 3, {}, {{6, 8}}};
  ChunkColumn number{{}, 2, ColumnType::number, {}};
  number.numbers = {1, kNone, -2.5f};
  chunk.columns = {number};
  const std::string header =
      R"({"__metadata__":{"first_row":"6","format":"shadegrad-shard/1","header_sha256":)"
      R"("4462d63703c66f15be2dfd6fecff0f51c3ba796a45a947200afefb42696e4614","rows":"3","sha256":"{)"
      R"(\"c2\":\"abcfb4c1b7aeb821fcd9a2037a294f0f504c199172c2d56f22ac15c3b86ec81e\",)"
      R"(\"c2.null\":\"dbc1b4c900ffe48d575b5da5c638040125f65db0fe3e24494b76ea986457d986\",)"
      R"(\"lines\":\"c13b209460f9e676a0e3f4826067233bb2edccbb3891bab90114d387e329cdcd\"}"},)"
      R"("c2":{"dtype":"F32","shape":[3],"data_offsets":[0,12]},"c2.null":{"dtype":"U8","shape":[1],"data_offsets":[12,13]},)"
      R"("lines":{"dtype":"I64","shape":[1,2],"data_offsets":[13,29]}}  )";
  const std::vector<uint8_t> data{0x00, 0x00, 0x80, 0x3f, 0x00, 0x00, 0xc0, 0x7f, 0x00, 0x00, 0x20, 0xc0, 0x02, 6, 0,
                                  0,    0,    0,    0,    0,    0,    8,    0,    0,    0,    0,    0,    0,    0};
  std::vector<uint8_t> expected{0x48, 0x02, 0, 0, 0, 0, 0, 0};
  expected.insert(expected.end(), header.begin(), header.end());
  expected.insert(expected.end(), data.begin(), data.end());
  CHECK(write_shard(chunk) == expected);
}

TEST_CASE("A small shard that is checked as a whole has these bytes, and is read like any other", "[io][shard]") {
  Chunk chunk{6, 3, {}, {{6, 8}}};
  ChunkColumn number{{}, 2, ColumnType::number, {}};
  number.numbers = {1, kNone, -2.5f};
  chunk.columns = {number};
  const std::vector<uint8_t> file = write_shard(chunk, 0, Hashes::none);
  std::ifstream golden(std::string(SG_SOURCE_DIR) + "/tests/golden/io/plain_shard.safetensors", std::ios::binary);
  CHECK(file == std::vector<uint8_t>(std::istreambuf_iterator<char>(golden), {}));
  const ShardIndex index = index_of(file), hashed = index_of(write_shard(chunk));
  CHECK_FALSE(index.hashed());
  CHECK(hashed.hashed());
  CHECK(index.first_row() == 6);
  CHECK(index.rows() == 3);
  CHECK(values_at<float>(file, *index.values(2, false, 2, 1)) == std::vector<float>{-2.5f});
  CHECK(values_at<uint8_t>(file, *index.missing(2)) == std::vector<uint8_t>{2});
  CHECK(values_at<int64_t>(file, *index.lines()) == std::vector<int64_t>{6, 8});
}

TEST_CASE("A shard without hashes, or with a changed header, is refused", "[io][shard]") {
  const std::string header = R"({"__metadata__":{"format":"shadegrad-shard/1","first_row":"0","rows":"1"},)"
                             R"("c0":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  std::vector<uint8_t> file{static_cast<uint8_t>(header.size()), 0, 0, 0, 0, 0, 0, 0};
  file.insert(file.end(), header.begin(), header.end());
  file.resize(file.size() + 4);
  CHECK(error_of([&] { index_of(file); }).message().find("SHA-256") != std::string::npos);
  std::vector<uint8_t> changed = write_shard(chunk_of_ten());
  const std::string_view text(reinterpret_cast<const char*>(changed.data()), changed.size());
  changed[text.find("\"first_row\":\"100\"") + 13] = '2';
  CHECK(error_of([&] { index_of(changed); }).code() == "checkpoint.corrupt");
}

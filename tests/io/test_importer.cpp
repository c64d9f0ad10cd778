// An import gives shards that hold what a kept table holds, wherever the bytes are cut and whatever is decided late,
// and a manifest that says so.

#include "tests/io/shards.h"

using namespace sg;

namespace {

void check_import(const std::string& text, size_t shard_bytes, size_t expected_shards) {
  const Table kept = read_csv(text);
  const Imported got = import_texts({{"t.csv", text}}, shard_bytes);
  CHECK(got.manifest.shards.size() == expected_shards);
  CHECK(got.shards.files.size() == expected_shards);
  CHECK(got.manifest.rows == kept.rows);
  for (const ManifestShard& shard : got.manifest.shards) {
    const std::vector<uint8_t>& file = got.shards.files.at(shard.file);
    CHECK(shard.bytes == file.size());
    CHECK(shard.sha256 == sha256(file));
    const ShardIndex index = index_of(file);
    LineJumps jumps;
    if (const auto lines = index.lines()) {
      const auto pairs = values_at<int64_t>(file, *lines);
      for (size_t i = 0; i < pairs.size(); i += 2) jumps.emplace_back(pairs[i], pairs[i + 1]);
    }
    for (uint64_t row = shard.first; row < shard.first + shard.rows; ++row)
      REQUIRE(line_of_row(jumps, row) == kept.line_of_row(row));
  }
  for (size_t c = 0; c < kept.columns.size(); ++c) {
    CAPTURE(kept.columns[c].name);
    const ColumnValues values = column_of(got.manifest, got.shards, c);
    CHECK(same_values(values.numbers, kept.columns[c].numbers));
    CHECK(same_values(values.times, kept.columns[c].times));
    CHECK(same_values(values.codes, kept.columns[c].codes));
    CHECK(got.manifest.columns[c].categories == kept.columns[c].categories);
  }
  Table told = kept;
  told.name = "t.csv";
  DescribeLimits all;
  all.columns = kept.columns.size();
  CHECK(got.manifest.description == describe(told, all));
  // What comes back from the manifest's text is the same data set.
  const Manifest again = parse_manifest(to_json(got.manifest).dump());
  CHECK(to_json(again) == to_json(got.manifest));
  CHECK(describe(table_of(again), all)["columns"].size() == kept.columns.size());
  for (size_t c = 0; c < kept.columns.size(); ++c) {
    const Column back = table_of(again).columns[c];
    CHECK(back.stats.mean == kept.columns[c].stats.mean);
    CHECK(back.stats.step_seconds == kept.columns[c].stats.step_seconds);
    CHECK(back.stats.missing == kept.columns[c].stats.missing);
    CHECK(back.day_first == kept.columns[c].day_first);
  }
}

std::string numbers(const std::string& header, size_t rows, int from = 0) {
  return header + "\n" + lines_of(rows, [&](size_t i) { return std::to_string(from + static_cast<int>(i)); });
}

}  // namespace

TEST_CASE("An import's shards hold the rows of the file", "[io][import]") {
  const std::string text = "a,b,c\n" + lines_of(100, [](size_t i) {
                             return std::to_string(i) + (i % 9 == 3 ? ",," : ",x" + std::to_string(i % 5) + ",") +
                                    "2020-01-0" + std::to_string(1 + i % 9) + (i % 11 == 5 ? "\n" : "");
                           });
  check_import(text, 24 * 8, 13);
  check_import(text, 1, 100);
  check_import(text, 1 << 20, 1);
}

TEST_CASE("An import holds what is decided after shards have left", "[io][import]") {
  check_import("a,late\n" + lines_of(60, [](size_t i) { return std::to_string(i) + "," + (i < 41 ? "NA" : "2.5"); }),
               160, 6);
  check_import("when,v\n" + lines_of(40,
                                     [](size_t i) {
                                       return (i < 25 ? "0" + std::to_string(1 + i % 9) : std::to_string(13 + i % 9)) +
                                              "/05/2021," + std::to_string(i);
                                     }),
               160, 4);
  check_import("name,v\n" + lines_of(1500, [](size_t i) { return "n" + std::to_string(i) + ",1"; }), 1600, 15);
}

TEST_CASE("Parts stand side by side over the same rows", "[io][import]") {
  const Imported got = import_texts(
      {{"x/first.csv", numbers("value", 50)},
       {"second.csv",
        "value,other\n" + lines_of(50, [](size_t i) { return std::to_string(1000 + i) + "," + (i % 2 ? "a" : "b"); })}},
      80);
  const Manifest& m = got.manifest;
  REQUIRE(m.columns.size() == 3);
  CHECK(m.columns[0].name == "first.value");
  CHECK(m.columns[1].name == "second.value");
  CHECK(m.columns[2].name == "other");
  CHECK(m.rows == 50);
  CHECK(column_of(m, got.shards, 0).numbers[49] == 49);
  CHECK(column_of(m, got.shards, 1).numbers[49] == 1049);
  CHECK(column_of(m, got.shards, 2).codes[1] == 1);
  CHECK(m.shards.front().first_column == 0);
  CHECK(m.shards.front().column_count == 1);
  CHECK(m.shards.back().first_column == 1);
  CHECK(m.shards.back().column_count == 2);
  REQUIRE(m.source.parts.size() == 2);
  CHECK(m.source.parts[0] == SourcePart{"x/first.csv", numbers("value", 50).size()});
  CHECK(m.description["preview"][1] == nlohmann::json{"1", "1001", "a"});
  CHECK(m.description["columns"][2]["index"] == 2);
  CHECK_NOTHROW(manifest_from_json(to_json(m)));
}

TEST_CASE("An import whose sink takes the hashes leaves them to it, and is the same otherwise", "[io][import]") {
  const std::string text = numbers("a", 50);
  const Imported with = import_texts({{"a.csv", text}}, 80);
  Shards shards;
  Importer importer({}, source_named("a.csv", text.size()), shards, 80, Hashing::sink);
  importer.begin_part("a.csv");
  importer.feed(as_bytes(text));
  importer.end_part();
  nlohmann::json manifest = to_json(importer.finish()), expected = to_json(with.manifest);
  CHECK(error_of([&] { manifest_from_json(manifest); }).code() == "manifest.invalid");
  REQUIRE(manifest["shards"].size() > 1);
  for (nlohmann::json& shard : manifest["shards"]) {
    CHECK_FALSE(shard.contains("sha256"));
    CHECK_FALSE(index_of(shards.files.at(shard["file"])).hashed());
    shard["sha256"] = to_hex(sha256(shards.files.at(shard["file"])));
  }
  const Manifest whole = manifest_from_json(manifest);
  CHECK(column_of(whole, shards, 0).numbers == column_of(with.manifest, with.shards, 0).numbers);
  for (auto* const both : {&manifest, &expected})
    for (nlohmann::json& shard : (*both)["shards"]) shard.erase("sha256"), shard.erase("bytes");
  CHECK(manifest == expected);
}

TEST_CASE("Parts of unequal rows are refused by both names", "[io][import]") {
  for (const size_t rows : {size_t{49}, size_t{51}, size_t{500}}) {
    const Error e = error_of([&] {
      import_texts({{"images.csv", numbers("a", 50)}, {"labels.csv", numbers("b", rows)}}, 80);
    });
    CHECK(e.code() == "import.rows");
    CHECK(e.message().find("'images.csv' has 50 rows") != std::string::npos);
    CHECK(e.message().find("'labels.csv'") != std::string::npos);
  }
  // Long before the end, when there are far too many.
  Shards shards;
  Importer importer({}, source_named("a", 1), shards, 80);
  importer.begin_part("a.csv");
  importer.feed(as_bytes(numbers("a", 50)));
  importer.end_part();
  importer.begin_part("b.csv");
  CHECK(error_of([&] {
          for (int i = 0; i < 10; ++i) importer.feed(as_bytes(numbers("1", 20'000)));
        }).code() == "import.rows");
  CHECK(shards.files.size() < 20);
  CHECK(error_of([&] { importer.feed(as_bytes("1")); }).code() == "import.finished");
}

TEST_CASE("The same name stays apart however many parts have it", "[io][import]") {
  const Imported got =
      import_texts({{"v.csv", numbers("x", 5)}, {"v.tsv", numbers("x", 5)}, {"w.csv", numbers("v.x", 5)}}, 80);
  CHECK(got.manifest.columns[0].name == "v.x_2");
  CHECK(got.manifest.columns[1].name == "v.x_3");
  CHECK(got.manifest.columns[2].name == "v.x");
}

TEST_CASE("A fingerprint is of the first and last 64 KiB wherever the bytes are cut", "[io][import]") {
  std::string text;
  for (size_t i = 0; i < 200'000; ++i) text += static_cast<char>(i * 31 + i / 251);
  for (const size_t size :
       {size_t{0}, size_t{1}, size_t{65'535}, size_t{65'536}, size_t{65'537}, size_t{131'072}, size_t{200'000}}) {
    const std::string_view bytes = std::string_view(text).substr(0, size);
    const Digest head = sha256(as_bytes(bytes.substr(0, 65'536)));
    const Digest tail = sha256(as_bytes(bytes.substr(size > 65'536 ? size - 65'536 : 0)));
    for (const size_t piece : {size_t{1}, size_t{4'099}, size_t{65'536}, size_t{100'000}, size_t{300'000}}) {
      Fingerprint f;
      for (size_t at = 0; at < size; at += piece) f.feed(as_bytes(bytes.substr(at, piece)));
      CHECK(f.head() == head);
      CHECK(f.tail() == tail);
      CHECK(f.size() == size);
    }
  }
}

TEST_CASE("A source's description is checked, and its hashes are its own where they are given", "[io][import]") {
  Shards shards;
  const std::string hash(64, 'a');
  nlohmann::json source = source_named("a.npz", 10);
  source["head"] = source["tail"] = hash;
  source["path"] = "Shadegrad/a.npz";
  Importer importer({{"delimiter", ";"}}, source, shards);
  importer.begin_part("a.csv");
  importer.feed(as_bytes("a;b\n1;2\n"));
  importer.end_part();
  const Manifest m = importer.finish();
  CHECK(to_hex(m.source.head) == hash);
  CHECK(m.source.path == "Shadegrad/a.npz");
  CHECK(m.source.mtime == 1'700'000'000'123);
  CHECK(m.options == nlohmann::json{{"delimiter", ";"}});
  const auto code = [&](nlohmann::json bad) { return error_of([&] { Importer({}, bad, shards); }).code(); };
  for (const auto& patch : {nlohmann::json{{"name", nullptr}},
                            {{"name", 3}},
                            {{"size", -1}},
                            {{"size", 1.5}},
                            {{"mtime", "x"}},
                            {{"head", hash}},
                            {{"head", "x"}, {"tail", "y"}},
                            {{"more", 1}}}) {
    nlohmann::json bad = source_named("a", 1);
    bad.merge_patch(patch);
    CAPTURE(bad.dump());
    CHECK(code(bad) == "import.bad_source");
  }
  CHECK(code(nlohmann::json::array()) == "import.bad_source");
}

TEST_CASE("An import that is called out of order says so", "[io][import]") {
  Shards shards;
  CHECK(error_of([&] { Importer({}, source_named("a", 1), shards).feed(as_bytes("1")); }).code() == "import.order");
  CHECK(error_of([&] { Importer({}, source_named("a", 1), shards).end_part(); }).code() == "import.order");
  CHECK(error_of([&] { Importer({}, source_named("a", 1), shards).finish(); }).code() == "import.order");
  Importer importer({}, source_named("a", 1), shards);
  importer.begin_part("a.csv");
  CHECK(error_of([&] { importer.begin_part("b.csv"); }).code() == "import.order");
}

TEST_CASE("Columns that lie one after the other become shards side by side", "[io][import]") {
  // A matrix of 3 columns in Fortran order: all of the first, then all of the second, and so on.
  const std::string head = "{'descr': '<f4', 'fortran_order': True, 'shape': (100, 3), }";
  std::string file("\x93NUMPY\x01\x00", 8);
  file += std::string{static_cast<char>(118), '\0'} + head + std::string(117 - head.size(), ' ') + "\n";
  for (int i = 0; i < 300; ++i) {
    const auto value = static_cast<float>(i);
    file.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  const Imported got = import_texts({{"m.npy", file}}, 160);
  const Manifest& m = got.manifest;
  REQUIRE(m.columns.size() == 3);
  CHECK(m.rows == 100);
  for (size_t c = 0; c < 3; ++c) {
    const auto values = column_of(m, got.shards, c).numbers;
    REQUIRE(values.size() == 100);
    CHECK(values.front() == static_cast<float>(100 * c));
    CHECK(values.back() == static_cast<float>(100 * c + 99));
  }
  CHECK_NOTHROW(manifest_from_json(to_json(m)));
}

TEST_CASE("Texts that lie column by column may have too many values for a category, any of them", "[io][import]") {
  constexpr size_t rows = 1200;
  for (const size_t kept : {size_t{0}, size_t{1}, size_t{2}, size_t{3}}) {  // 3: none of them
    const std::string head = "{'descr': '|S5', 'fortran_order': True, 'shape': (1200, 3), }";
    std::string file("\x93NUMPY\x01\x00", 8);
    file += std::string{static_cast<char>(118), '\0'} + head + std::string(117 - head.size(), ' ') + "\n";
    for (size_t c = 0; c < 3; ++c) {
      for (size_t r = 0; r < rows; ++r) {
        const std::string value = c == kept ? (r % 2 ? "even" : "odd") : std::to_string(r);
        file += value + std::string(5 - value.size(), '\0');
      }
    }
    const Imported got = import_texts({{"m.npy", file}}, 1600);
    const Manifest& m = got.manifest;
    CAPTURE(kept);
    REQUIRE(m.columns.size() == 3);
    CHECK_NOTHROW(manifest_from_json(to_json(m)));
    for (size_t c = 0; c < 3; ++c) {
      CHECK(m.columns[c].type == (c == kept ? ColumnType::category : ColumnType::text));
      const std::vector<uint32_t> codes = column_of(m, got.shards, c).codes;
      REQUIRE(codes.size() == (c == kept ? rows : 0));
      for (size_t r = 0; r < codes.size(); ++r) REQUIRE(codes[r] == r % 2);
    }
  }
}

TEST_CASE("Images and labels become bytes and codes over the same rows", "[io][import]") {
  std::string images("\0\0\x08\x03\0\0\0\x32\0\0\0\x02\0\0\0\x03", 16), labels("\0\0\x08\x01\0\0\0\x32", 8);
  for (int i = 0; i < 50 * 6; ++i) images += static_cast<char>(i);
  for (int i = 0; i < 50; ++i) labels += static_cast<char>(i % 10);
  const Imported got = import_texts({{"train-images-idx3-ubyte", images}, {"train-labels-idx1-ubyte", labels}}, 60);
  const Manifest& m = got.manifest;
  REQUIRE(m.columns.size() == 2);
  CHECK(m.columns[0].type == ColumnType::elements);
  CHECK(m.columns[0].dtype == Dtype::U8);
  CHECK(m.columns[0].shape == std::vector<size_t>{2, 3});
  const auto bytes = column_of(m, got.shards, 0).bytes;
  REQUIRE(bytes.size() == 300);
  CHECK(bytes[299] == static_cast<uint8_t>(299));
  const Manifest again = parse_manifest(to_json(m).dump());
  CHECK(table_of(again).columns[0].byte_elements);
  CHECK(table_of(again).columns[0].row_elements() == 6);
}

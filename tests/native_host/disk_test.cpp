// Files and the store by themselves, without the program around them: what must be the same on every system. These
// cases also run on Windows (under Wine), where the calls beneath are others.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "io/safetensors.h"
#include "native_host/store.h"

// In this namespace because Windows' calls of the same names stand outside of it.
namespace sg::host {

namespace fs = std::filesystem;

namespace {

/// A folder with a name that is no ASCII, gone at the end.
struct Place {
  fs::path path = fs::temp_directory_path() / fs::path(u8"shadegrad ä名") / random_name();
  Place() { fs::create_directories(path); }
  ~Place() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  std::string operator/(const char* name) const {
    const std::u8string text = (path / name).generic_u8string();
    return {text.begin(), text.end()};
  }
};

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(fs::path(std::u8string(path.begin(), path.end())), std::ios::binary) << bytes;
}

std::string checkpoint(char with) {
  const std::vector<std::uint8_t> raw(4096, static_cast<std::uint8_t>(with));
  const sg::TensorBytes tensor{"w", sg::Dtype::U8, {raw.size()}, raw};
  const auto file = sg::write_safetensors({&tensor, 1}, {{"format", std::string(sg::kCheckpointFormat)}});
  return {file.begin(), file.end()};
}

Stored save(Store& store, const std::string& name, const std::string& bytes) {
  const auto handle = store.begin(name, bytes.size());
  // Bytes that a text file would change are in every checkpoint: its length begins with them.
  std::int64_t sequence = 0;
  for (std::size_t at = 0; at < bytes.size(); at += 1000)
    store.write(handle, sequence++, std::string_view(bytes).substr(at, 1000));
  return store.commit(handle);
}

std::string read_open(int file) { return read_start(file, 1 << 16); }

std::vector<std::string> names(const std::string& folder) {
  auto all = names_in(open_folder(folder).get(), 100);
  std::sort(all.begin(), all.end());
  return all;
}

std::string code_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Failure& e) {
    return e.code();
  }
  return "";
}

const std::string kName = "run/one.safetensors";

}  // namespace

TEST_CASE("a store keeps, lists, opens, replaces and removes", "[disk]") {
  const Place place;
  Store store(place / "deep/er");
  REQUIRE(store.list().empty());
  const std::string first = checkpoint('a'), second = checkpoint('\n');
  const Stored saved = save(store, kName, first);
  REQUIRE(saved.size == first.size());
  REQUIRE(saved.mtime > 1'600'000'000'000);
  std::optional<OpenFile> open(store.open(kName));
  REQUIRE(read_open(open->file.get()) == first);
#if defined(_WIN32)
  open.reset();  // Wine lacks the way of renaming over an open file that Windows has since version 10
#endif
  save(store, kName, second);
  // Whoever has the old one open keeps it; the name leads to the new one.
  if (open) REQUIRE(read_open(open->file.get()) == first);
  REQUIRE(read_open(store.open(kName).file.get()) == second);
  const auto list = store.list();
  REQUIRE(list.size() == 1);
  REQUIRE(list[0].name == kName);
  REQUIRE(list[0].reason.empty());
  REQUIRE(list[0].metadata.at("format") == sg::kCheckpointFormat);
  store.remove(kName);
  REQUIRE(store.list().empty());
  REQUIRE(code_of([&] { store.open(kName); }) == "store.not_found");
}

TEST_CASE("a save that does not end well leaves the old file and nothing else", "[disk]") {
  const Place place;
  const std::string folder = place / "store", run = folder + "/run";
  const std::string good = checkpoint('a');
  {
    Store store(folder);
    save(store, kName, good);
    const auto before = names(run);
    const auto aborted = store.begin(kName, good.size());
    store.write(aborted, 0, "half");
    store.abort(aborted);
    REQUIRE(names(run) == before);
    const auto damaged = store.begin(kName, good.size());
    store.write(damaged, 0, std::string(good.size(), 'x'));
    REQUIRE(code_of([&] { store.commit(damaged); }) == "store.corrupt");
    const auto open = store.begin(kName, good.size());
    store.write(open, 0, "half");
  }
  Store store(folder);
  REQUIRE(names(run).size() == 1);
  REQUIRE(read_open(store.open(kName).file.get()) == good);
}

TEST_CASE("the hidden files of hosts that are gone are removed, those of others are not", "[disk]") {
  const Place place;
  const std::string folder = place / "store";
  Store one(folder), two(folder);
  save(one, kName, checkpoint('a'));
  const auto handle = one.begin(kName, 8);
  write_file(folder + "/run/.partial-0123456789abcdef", "left");
  const std::size_t before = names(folder + "/run").size();
  two.remove_leftovers();
  REQUIRE(names(folder + "/run").size() == before - 1);
  one.abort(handle);
}

TEST_CASE("a folder in the place of a checkpoint is told, not opened", "[disk]") {
  const Place place;
  Store store(place / "store");
  save(store, "run/a.safetensors", checkpoint('a'));
  fs::create_directories(place.path / "store" / "run" / "b.safetensors");
  const auto list = store.list();
  REQUIRE(list.size() == 2);
  REQUIRE(std::count_if(list.begin(), list.end(), [](const Stored& s) { return !s.reason.empty(); }) == 1);
  REQUIRE_FALSE(code_of([&] { store.open("run/b.safetensors"); }).empty());
}

TEST_CASE("names that mean something else somewhere are refused everywhere", "[disk]") {
  const Place place;
  Store store(place / "store");
  for (const char* name : {"", "x.safetensors", "../x.safetensors", "/x.safetensors", "run/../x.safetensors",
                           "C:/x.safetensors", "run/a:b.safetensors", "run\\x.safetensors", "run/..\\x.safetensors",
                           "run/.x.safetensors", "run/x.safetensors ", "run/x.safetensors."}) {
    CAPTURE(name);
    REQUIRE(code_of([&] { store.begin(name, 8); }) == "store.name_refused");
  }
}

TEST_CASE("files are read and written at any position, beyond four gigabytes too", "[disk]") {
  const Place place;
  const Fd folder = open_folder(place / "a/b/c", true);
  REQUIRE_FALSE(names(place / "a").empty());
  const Fd file(openat(folder.get(), "big", O_RDWR | O_CREAT | O_EXCL, 0600));
  REQUIRE(file);
  constexpr std::uint64_t kFar = (std::uint64_t{1} << 32) + 5;
  write_at(file.get(), "\r\n\x1A end", kFar);
  sync_file(file.get());
  sync_file(folder.get());
  struct stat s {};
  REQUIRE(fstat(file.get(), &s) == 0);
  REQUIRE(size_of(s) == kFar + 7);
  char bytes[16];
  REQUIRE(read_at(file.get(), bytes, sizeof bytes, kFar) == 7);
  REQUIRE(std::string(bytes, 7) == "\r\n\x1A end");
  REQUIRE(read_at(file.get(), bytes, sizeof bytes, kFar + 7) == 0);
  REQUIRE(read_at(file.get(), bytes, 4, 100) == 4);
  REQUIRE(std::string(bytes, 4) == std::string(4, '\0'));
}

TEST_CASE("what comes in pieces is read to its end, and no further than was asked for", "[disk]") {
  const std::string all = "0123456789";
  std::size_t calls = 0;
  // Three bytes at once, as a packed file or a network's share may give them.
  const auto read = [&](char* to, std::size_t size, std::size_t have) {
    ++calls;
    return all.copy(to, std::min<std::size_t>(size, 3), have);
  };
  std::string bytes(16, '.');
  REQUIRE(read_full(bytes.data(), bytes.size(), read) == all.size());
  REQUIRE(bytes == all + "......");
  REQUIRE(calls == 5);
  std::string four(6, '.');
  REQUIRE(read_full(four.data(), 4, read) == 4);
  REQUIRE(four == "0123..");
  REQUIRE(read_full(four.data(), 0, read) == 0);
  REQUIRE(calls == 7);
}

TEST_CASE("of a file that is shorter than was asked for the bytes that there are come", "[disk]") {
  const Place place;
  const std::string bytes = "twelve bytes";
  write_file(place / "short", bytes);
  const Fd file(open((place / "short").c_str(), O_RDONLY));
  REQUIRE(file);
  REQUIRE(read_start(file.get(), 1 << 20) == bytes);
  REQUIRE(read_start(file.get(), 6) == "twelve");
  REQUIRE(read_start(file.get(), 0).empty());
  std::string tail(100, '.');
  REQUIRE(read_at(file.get(), tail.data(), tail.size(), 7) == 5);
  REQUIRE(tail == "bytes" + std::string(95, '.'));
  REQUIRE(read_at(file.get(), tail.data(), tail.size(), 100) == 0);
}

TEST_CASE("a small file is replaced whole, and read back", "[disk]") {
  const Place place;
  for (const std::string& bytes : {std::string("{}\n"), std::string("\r\n\x1A"), std::string()}) {
    write_whole(place / "folder/file.json", bytes, 0600);
    REQUIRE(read_whole(place / "folder/file.json", 100) == bytes);
    REQUIRE(names(place / "folder").size() == 1);
  }
  REQUIRE_THROWS_AS(read_whole(place / "folder/none", 100), std::system_error);
  REQUIRE_THROWS_AS(read_whole(place / "folder", 100), std::system_error);
  write_whole(place / "folder/file.json", "12345", 0600);
  REQUIRE_THROWS_AS(read_whole(place / "folder/file.json", 4), std::system_error);
}

TEST_CASE("nothing beneath an open folder leads out of it", "[disk]") {
  const Place place;
  write_whole(place / "in/side/file", "x", 0600);
  write_whole(place / "out", "x", 0600);
  const Fd folder = open_folder(place / "in");
  REQUIRE(open_beneath(folder.get(), "side/file", O_RDONLY));
  for (const char* path : {"../out", "side/../../out", "", "side//file", "/out"}) {
    CAPTURE(path);
    REQUIRE_THROWS_AS(open_beneath_by_steps(folder.get(), path, O_RDONLY), std::system_error);
  }
  std::error_code refused;  // Windows lets not everybody make links
  fs::create_symlink(place.path / "out", place.path / "in/link", refused);
  if (!refused) REQUIRE_THROWS_AS(open_beneath(folder.get(), "link", O_RDONLY), std::system_error);
}

}  // namespace sg::host

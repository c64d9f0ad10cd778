// `shadegrad-host convert`: the same import from the shell, with an exit status and a place to look at.
#include "native_host/convert.h"

#include "tests/native_host/imports.h"

using namespace sg::test;
namespace fs = std::filesystem;

TEST_CASE("convert makes a data set that a message finds again", "[host][import]") {
  ImportHome s;
  write_file(s.file("wave.csv"), two_columns(5000) + "x,1\n");
  const Result made = run_host(s.home.path(), {"convert", s.file("wave.csv")});
  INFO(made.err);
  REQUIRE(made.status == 0);
  CHECK(made.err.empty());  // no bar where nobody watches
  CHECK(made.out.find("5,001 rows, 2 columns, 1 shards") != std::string::npos);
  CHECK(made.out.find("1 repairs") != std::string::npos);
  REQUIRE(s.in_sets().size() == 1);
  CHECK(made.out.find(s.sets() + "/" + s.in_sets()[0]) != std::string::npos);
  const Json reused = import_file(*s.host, "Shadegrad/wave.csv").reply;
  CHECK(reused["reused"] == true);
  CHECK(reused["path"] == "Shadegrad/wave.csv");
  const Result again = run_host(s.home.path(), {"convert", s.file("wave.csv")});
  CHECK(again.status == 0);
  CHECK(again.out.find("has not changed") != std::string::npos);
  write_file(s.file("wave.csv"), two_columns(10));
  CHECK(run_host(s.home.path(), {"convert", s.file("wave.csv")}).out.find("has changed") != std::string::npos);
  CHECK(s.in_sets().size() == 2);
}

TEST_CASE("convert takes a folder, a format and options", "[host][import]") {
  ImportHome s;
  write_file(s.home / "elsewhere/a.txt", "1;2\n3;4\n");
  const std::string into = s.home / "sets";
  const Result made = run_host(s.home.path(), {"convert", s.home / "elsewhere/a.txt", "--into", into, "--format", "csv",
                                               "--option", "delimiter=;", "--option", "header=true"});
  INFO(made.err);
  REQUIRE(made.status == 0);
  REQUIRE(names(into).size() == 1);
  const sg::Manifest m = sg::parse_manifest(read_file(into + "/" + names(into)[0] + "/manifest.json"));
  CHECK(m.rows == 1);
  CHECK(m.columns[1].name == "2");
  CHECK(m.options == Json{{"format", "csv"}, {"delimiter", ";"}, {"header", true}});
  CHECK(m.source.path == s.home / "elsewhere/a.txt");
}

TEST_CASE("convert says with file and line what is wrong, and keeps nothing", "[host][import]") {
  ImportHome s;
  const std::string file = s.file("bad\x1b[2J.csv");
  write_file(file, "a,b\n1,2\n3,\"4\n");
  const Result bad = run_host(s.home.path(), {"convert", file});
  CHECK(bad.status == 1);
  CHECK(bad.err.find(".csv:3:") != std::string::npos);
  CHECK(bad.err.find('\x1b') == std::string::npos);
  CHECK(s.in_sets().empty());
  const auto status = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"convert"};
    words.insert(words.end(), more.begin(), more.end());
    const Result r = run_host(s.home.path(), words);
    CHECK_FALSE(r.err.empty());
    return r.status;
  };
  CHECK(status({s.file("none.csv")}) == 1);
  CHECK(status({s.home.path()}) == 1);
  CHECK(status({file, "--format", "cvs"}) == 1);
  CHECK(status({}) == 2);
  CHECK(status({file, file}) == 2);
  CHECK(status({file, "--into"}) == 2);
  CHECK(status({file, "--fast"}) == 2);
  CHECK(status({file, "--option", "header"}) == 2);
}

TEST_CASE("a line of progress has bytes, speed, rows and the time that is left", "[host][import]") {
  using sg::host::progress_line;
  CHECK(progress_line(5'200'000'000, 10'000'000'000, 1'234'567, 50) ==
        "[============------------]  52%  5.2 GB of 10.0 GB  104.0 MB/s  1,234,567 rows  0:46 left");
  CHECK(progress_line(0, 1000, 0, 0) == "[------------------------]   0%  0.0 kB of 1.0 kB  0.0 kB/s  0 rows");
  CHECK(progress_line(1000, 1000, 3, 2).find("100%") != std::string::npos);
  CHECK(progress_line(0, 0, 0, 2).find("  0%") != std::string::npos);
}

// How quickly delimited text is read: MB/s of the reader without keeping values, beside a bare scan of the same bytes
// for line ends, which is what any reader has to do at least. Tables as they come: numbers, dates with numbers, words
// and quotes. Started by hand; natively, or built as WebAssembly with node.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "io/csv.h"

namespace {

constexpr size_t kBytes = size_t{24} << 20;

std::string table(const char* header, const std::function<std::string(std::mt19937&, size_t)>& row) {
  std::mt19937 random(7);
  std::string text = std::string(header) + "\n";
  for (size_t i = 0; text.size() < kBytes; ++i) text += row(random, i) + "\n";
  return text;
}

std::string decimal(std::mt19937& random) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4f", static_cast<double>(random() % 20'000'000) / 10'000 - 1000);
  return text;
}

double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

size_t count_lines(const std::string& text) {
  size_t lines = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  while ((at = static_cast<const char*>(std::memchr(at, '\n', static_cast<size_t>(end - at)))) != nullptr)
    ++at, ++lines;
  return lines;
}

void measure(const char* name, const std::string& text) {
  std::vector<double> reading, scanning;
  size_t rows = 0, lines = 0;
  for (int round = 0; round < 5; ++round) {
    scanning.push_back(seconds([&] { lines += count_lines(text); }));
    reading.push_back(seconds([&] {
      sg::CsvOptions options;
      options.target.keep = false;
      sg::CsvReader reader(options);
      for (size_t at = 0; at < text.size(); at += 65536) {
        const size_t n = std::min<size_t>(65536, text.size() - at);
        reader.feed({reinterpret_cast<const uint8_t*>(text.data()) + at, n});
      }
      rows += reader.finish().rows;
    }));
  }
  const double megabytes = static_cast<double>(text.size()) / 1e6;
  std::printf("%-28s %8.1f MB/s   scan %8.1f MB/s   %6.1f times the scan   (%zu rows, %zu lines)\n", name,
              megabytes / median(reading), megabytes / median(scanning), median(reading) / median(scanning), rows / 5,
              lines / 5);
}

}  // namespace

int main() {
  measure("numbers, 8 columns", table("a,b,c,d,e,f,g,h", [](std::mt19937& random, size_t) {
            std::string row = decimal(random);
            for (int c = 1; c < 8; ++c) row += "," + decimal(random);
            return row;
          }));
  measure("whole numbers, 30 columns", table("a", [](std::mt19937& random, size_t) {
            std::string row = std::to_string(random() % 1000);
            for (int c = 1; c < 30; ++c) row += "," + std::to_string(random() % 1000);
            return row;
          }));
  measure("time and 3 numbers", table("time,a,b,c", [](std::mt19937& random, size_t i) {
            char time[48];
            std::snprintf(time, sizeof time, "2020-01-%02zu %02zu:%02zu:00", 1 + i / 1440 % 28, i / 60 % 24, i % 60);
            return time + ("," + decimal(random)) + "," + decimal(random) + "," + decimal(random);
          }));
  measure("words and quotes", table("name,place,n", [](std::mt19937& random, size_t) {
            return "\"item, " + std::to_string(random() % 100) + "\",city" + std::to_string(random() % 300) + "," +
                   std::to_string(random() % 10);
          }));
}

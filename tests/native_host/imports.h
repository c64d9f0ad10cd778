// Shared by the tests of imported data sets: a host with a home, imports driven to their end, and columns put together
// again from streams by PROTOCOL.md alone.
#pragma once
#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>

#include "io/manifest.h"
#include "tests/native_host/program.h"

namespace sg::test {

struct ImportHome {
  Folder home;
  std::unique_ptr<Program> host;
  ImportHome() { start(); }
  void start(unsigned long file_size_limit = 0) {
    std::filesystem::create_directories(home / "Shadegrad");
    host = std::make_unique<Program>(home.path(), chromium_arguments(), file_size_limit);
    host->hello();
  }
  std::string file(const std::string& name) const { return home / ("Shadegrad/" + name); }
  std::string sets() const { return home / "Shadegrad/datasets"; }
  /// Everything in the folder of data sets, hidden or not.
  std::vector<std::string> in_sets() const { return exists(sets()) ? names(sets()) : std::vector<std::string>(); }
  Json ask(const std::string& type, Json fields = Json::object()) const {
    fields["id"] = 50;
    fields["type"] = type;
    return host->ask(fields);
  }
};

struct Outcome {
  Json reply;
  std::vector<Json> progress;
};

inline Outcome import_file(Program& host, const std::string& path, const Json& options = Json::object(), long id = 9) {
  host.send({{"id", id}, {"type", "dataset.import"}, {"path", path}, {"options", options}});
  Outcome outcome;
  for (;;) {
    const auto message = host.receive();
    if (!message) throw std::runtime_error("the host ended; stderr: " + host.err());
    if ((*message)["id"] != id) continue;
    if (message->contains("ok")) {
      outcome.reply = *message;
      return outcome;
    }
    REQUIRE((*message)["type"] == "import.progress");
    outcome.progress.push_back(*message);
  }
}

/// The plain bytes of a shard.read with these fields; `reply` and `end` are what came before and after.
struct ReadShard {
  Json reply, end;
  std::string plain;
  std::size_t sent = 0;  // bytes in frames
};
ReadShard read_shard(Program& host, const Json& fields);

Manifest manifest_of(const ImportHome& s, const std::string& id);

template <class T>
std::vector<T> as_values(const std::string& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

/// "a,b" rows that are easy to tell: row i has i and i modulo 7 times a quarter.
inline std::string two_columns(std::size_t rows) {
  std::string csv = "a,b\n";
  for (std::size_t i = 0; i < rows; ++i)
    csv += std::to_string(i) + "," + std::to_string(i % 7) + (i % 2 ? ".25\n" : ".75\n");
  return csv;
}

std::string gzip(const std::string& bytes);
std::string zip(const std::string& path, const std::vector<std::pair<std::string, std::string>>& files);

}  // namespace sg::test

// Checkpoints whose hashes are right and whose content is not, and runs that no memory could hold: each is refused by
// name, and the module goes on.
#include <catch2/catch.hpp>

#include "io/safetensors.h"
#include "tests/bindings/module.h"
#include "tests/train/series.h"

using namespace sg::test;

namespace {

/// The checkpoint with one text of its metadata replaced, and new hashes.
std::vector<uint8_t> with_metadata(const std::vector<uint8_t>& bytes, const std::string& key, const std::string& text) {
  const sg::SafetensorsFile file(bytes);
  std::vector<sg::TensorBytes> tensors;
  for (const sg::TensorEntry& t : file.header().tensors)
    tensors.push_back({t.name, t.dtype, t.shape, file.bytes(t.name)});
  std::map<std::string, std::string> metadata = file.header().metadata;
  metadata[key] = text;
  return write_safetensors(tensors, metadata);
}

std::string nested(int levels) {
  const auto count = static_cast<size_t>(levels);
  return std::string(count, '[') + std::string(count, ']');
}

void check_refused(const json& r, const std::string& code, const std::vector<std::string>& parts) {
  INFO(r.dump());
  REQUIRE_FALSE(r["ok"].get<bool>());
  CHECK(r["code"] == code);
  for (const std::string& part : parts) CHECK(r["message"].get<std::string>().find(part) != std::string::npos);
}

}  // namespace

TEST_CASE("a checkpoint with hostile metadata is refused by name, and the next one is read", "[bindings]") {
  const int dataset = open_dataset(wave_csv(300)), longer = open_dataset(wave_csv(320));
  const int session = reply(sg_session_create(dataset, config().dump().c_str()))["session"];
  train(session, 5);
  const auto good = checkpoint(session);
  const auto restore = [](int data, const std::vector<uint8_t>& bytes) {
    return reply(sg_session_restore(data, bytes.data(), static_cast<uint32_t>(bytes.size()), "{}"));
  };
  for (const char* key : {"config", "state", "scaler", "dataset", "history"}) {
    check_refused(restore(dataset, with_metadata(good, key, nested(100'000))), "checkpoint.corrupt",
                  {key, "32 levels"});
  }

  const json state = json::parse(sg::SafetensorsFile(good).value("state"));
  const auto with_state = [&](const char* key, const json& value) {
    json changed = state;
    changed[key] = value;
    return with_metadata(good, "state", changed.dump());
  };
  for (const char* key : {"step", "epoch", "stepInEpoch", "draws", "lossCount"}) {
    for (const json& value : {json(-1), json(1.5), json(1e300), json(uint64_t{1} << 60), json("1"), json()}) {
      INFO(key << " " << value);
      check_refused(restore(dataset, with_state(key, value)), "checkpoint.corrupt", {std::string("state.") + key});
    }
  }

  const json odd = restore(longer, with_metadata(good, "dataset", json{{"rows", std::string(50'000, 'x')}}.dump()));
  REQUIRE(odd["ok"]);
  CHECK(odd["notice"].get<std::string>().size() < 300);
  const json unreadable = restore(dataset, with_metadata(good, "history", "{"));
  REQUIRE(unreadable["ok"]);
  CHECK(unreadable["history"].is_null());
  const json whole = restore(dataset, good);
  REQUIRE(whole["ok"]);
  CHECK(train(whole["session"], 3).size() == 3);
  for (const json& r : {odd, unreadable, whole}) sg_session_close(r["session"]);
  sg_session_close(session);
  for (const int d : {dataset, longer}) sg_dataset_close(d);
}

TEST_CASE("a batch that no memory could hold is refused before the run begins", "[bindings]") {
  std::string csv = "load";
  for (int c = 1; c < 20; ++c) csv += ",c" + std::to_string(c);
  csv += "\n";
  for (int row = 0; row < 9000; ++row) {
    csv += std::to_string(row % 97);
    for (int c = 1; c < 20; ++c) csv += ",1";
    csv += "\n";
  }
  const int dataset = open_dataset(csv);
  json wanted = config();
  wanted["data"] = {{"target", "load"}, {"lookBack", 4096}, {"horizon", 1}, {"validationFraction", 0.1}};
  wanted["training"]["batchSize"] = 4096;
  check_refused(reply(sg_session_create(dataset, wanted.dump().c_str())), "config.too_large",
                {"4004 windows", "4096 rows", "20 columns", "smaller batch"});
  wanted["training"]["batchSize"] = 1;
  wanted["data"]["lookBack"] = 8;
  const json possible = reply(sg_session_create(dataset, wanted.dump().c_str()));
  INFO(possible.dump());
  REQUIRE(possible["ok"]);
  CHECK(train(possible["session"], 2).size() == 2);
  sg_session_close(possible["session"]);
  sg_dataset_close(dataset);
}

// Sessions on data sets whose values lie in shards, through the door: what they ask for, and that a selection that fits
// into memory then trains as a table in memory does, bit for bit.
#include <catch2/catch.hpp>

#include "io/safetensors.h"
#include "tests/bindings/module.h"
#include "tests/bindings/shards.h"
#include "tests/train/series.h"

using namespace sg::test;

namespace {

json create(int dataset, const json& config) { return reply(sg_session_create(dataset, config.dump().c_str())); }

json restore(int dataset, const std::vector<uint8_t>& bytes) {
  return reply(sg_session_restore(dataset, bytes.data(), static_cast<uint32_t>(bytes.size()), "{}"));
}

}  // namespace

TEST_CASE("a session on an attached data set asks for its columns, then is that of the table, bit for bit",
          "[bindings][fed]") {
  const std::string csv = wave_csv(300);
  const Shards shards(csv);
  const int attached = shards.attach(), table = open_dataset(csv);
  const json first = create(attached, config());
  INFO(first.dump());
  REQUIRE(first["ok"]);
  CHECK(first["racing"].is_null());
  CHECK_FALSE(first.contains("state"));
  CHECK(first["needs"]["first"] == 0);
  CHECK(first["needs"]["rows"] == 300);
  CHECK(first["needs"]["columns"] == json({1, 2}));
  CHECK(first["needs"]["total"] == 300);
  const int fed = first["session"];
  CHECK(reply(sg_session_needs(fed))["needs"] == first["needs"]);
  const json waits{{"ok", true}, {"needs", first["needs"]}};
  CHECK(reply(sg_session_step(fed, 1)) == waits);
  CHECK(reply(sg_session_validate(fed)) == waits);
  CHECK(reply(sg_session_predict(fed, 0, 1)) == waits);
  CHECK(reply(sg_session_checkpoint(fed, "{}"))["code"] == "session.loading");

  const json begun = shards.feed(fed, first), straight = create(table, config());
  INFO(begun.dump());
  REQUIRE(begun["ok"]);
  for (const char* key : {"config", "device", "parameters", "stepsPerEpoch", "trainWindows", "validationWindows",
                          "skippedWindows", "season"})
    CHECK(begun[key] == straight[key]);
  CHECK(begun["state"]["needs"].is_null());
  CHECK(reply(sg_session_fed(fed))["code"] == "rows.not_asked");
  const int whole = straight["session"];
  const auto a = train(fed, 1000), b = train(whole, 1000);
  REQUIRE(a.size() > 20);
  CHECK(a == b);
  CHECK(reply(sg_session_validate(fed)) == reply(sg_session_validate(whole)));
  CHECK(reply(sg_session_predict(fed, 3, 5)) == reply(sg_session_predict(whole, 3, 5)));
  const auto bytes_a = checkpoint(fed), bytes_b = checkpoint(whole);
  const sg::SafetensorsFile file_a(bytes_a), file_b(bytes_b);
  for (const sg::TensorEntry& t : file_b.header().tensors) CHECK(file_a.floats(t.name) == file_b.floats(t.name));
  CHECK(file_a.value("state") == file_b.value("state"));
  CHECK(file_a.value("scaler") == file_b.value("scaler"));
  for (const int s : {fed, whole}) sg_session_close(s);
  for (const int d : {attached, table}) sg_dataset_close(d);
}

TEST_CASE("a checkpoint goes on on an attached data set after its rows are fed, on the table, and on the shards again",
          "[bindings][fed]") {
  const std::string csv = wave_csv(300);
  const Shards shards(csv), longer(wave_csv(320));
  const int attached = shards.attach(), table = open_dataset(csv), other = longer.attach();
  const json straight = shards.feed(0, create(table, config("cpu", 3)));
  const auto all = train(straight["session"], 1000);
  const json first = create(attached, config("cpu", 3));
  const int session = first["session"];
  shards.feed(session, first);
  auto joined = train(session, 17);
  const auto bytes = checkpoint(session);

  json restored = restore(attached, bytes);
  REQUIRE(restored["ok"]);
  CHECK(restored["history"]["epochs"].size() == 2);
  CHECK_FALSE(restored["needs"].is_null());
  restored = shards.feed(restored["session"], restored);
  INFO(restored.dump());
  CHECK(restored["notice"].is_null());
  CHECK(restored["state"]["step"] == 17);
  const auto rest = train(restored["session"], 1000);
  joined.insert(joined.end(), rest.begin(), rest.end());
  CHECK(joined == all);

  const json of_table = restore(table, bytes);
  CHECK(of_table["notice"].is_null());
  CHECK(of_table["state"]["stepInEpoch"] == restored["state"]["stepInEpoch"]);
  json changed = restore(other, bytes);
  changed = longer.feed(changed["session"], changed);
  CHECK(changed["notice"].get<std::string>().find("300 rows then, 320 now") != std::string::npos);
  CHECK(changed["state"]["stepInEpoch"] == 0);
  for (const json& s : {straight, first, restored, of_table, changed}) sg_session_close(s["session"]);
  for (const int d : {attached, table, other}) sg_dataset_close(d);
}

TEST_CASE("a checkpoint tells of its file the same whether its rows were in memory or in shards", "[bindings][fed]") {
  const std::string csv = wave_csv(300);
  const Shards shards(csv);
  const int attached = shards.attach(), table = open_dataset(csv);
  json source;
  for (const char* field : {"size", "head", "tail"}) source[field] = shards.manifest["source"][field];
  json opening{{"name", "wave.csv"}, {"source", source}};
  const int told = reply(sg_dataset_open(opening.dump().c_str()))["dataset"];
  sg_dataset_feed(told, reinterpret_cast<const uint8_t*>(csv.data()), static_cast<uint32_t>(csv.size()));
  REQUIRE(reply(sg_dataset_finish(told))["ok"]);
  const auto data_of = [&](int dataset) {
    json session = create(dataset, config("cpu", 1));
    session = shards.feed(session["session"], session);
    const auto bytes = checkpoint(session["session"]);
    sg_session_close(session["session"]);
    return json::parse(sg::SafetensorsFile(bytes).value("dataset"));
  };
  CHECK(data_of(told)["source"] == source);
  CHECK(data_of(told) == data_of(attached));
  CHECK_FALSE(data_of(table).contains("source"));
  for (const int d : {attached, table, told}) sg_dataset_close(d);
  opening["source"]["head"] = "no digest";
  CHECK(reply(sg_dataset_open(opening.dump().c_str()))["code"] == "dataset.bad_source");
  opening["source"].erase("head");
  CHECK(reply(sg_dataset_open(opening.dump().c_str()))["code"] == "dataset.bad_source");
}

TEST_CASE("what is wrong with rows that are fed is said by the last of them and from then on, and names the row",
          "[bindings][fed]") {
  std::string csv = "time,load,temperature\n";
  for (int i = 0; i < 300; ++i)
    csv += std::to_string(i) + "," + (i % 10 ? std::to_string(i) : "") + "," + std::to_string(i) + "\n";
  const Shards shards(csv);
  const int attached = shards.attach();
  const json first = create(attached, config());
  const int session = first["session"];
  const json last = shards.feed(session, first);
  CHECK(last["code"] == "forecast.gaps");
  CHECK(last["message"].get<std::string>().find("column 'load', row 1 (line 2);") != std::string::npos);
  CHECK(reply(sg_session_needs(session))["code"] == "forecast.gaps");
  CHECK(reply(sg_session_step(session, 1))["code"] == "forecast.gaps");
  json text = config();
  text["data"]["target"] = "time of day";
  CHECK(create(attached, text)["code"] == "table.no_such_column");
  CHECK(reply(sg_session_close(session))["closed"] == 1);
  sg_dataset_close(attached);
}

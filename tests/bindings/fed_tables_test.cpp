// Tables whose values lie in shards, through the door: a run on them is that on the table in memory, bit for bit, and
// so are what it says of other rows and how it goes on from a checkpoint.
#include <catch2/catch.hpp>

#include "bindings/evaluation_exports.h"
#include "io/manifest.h"
#include "io/safetensors.h"
#include "tests/bindings/flowers.h"
#include "tests/bindings/shards.h"
#include "train/opening.h"

using namespace sg::test;

namespace {

json create(int dataset, const json& config) { return reply(sg_session_create(dataset, config.dump().c_str())); }

/// Served by `shards` where rows are asked for; null: they never are.
std::string predicted(int session, int dataset, const Shards* shards) {
  const json opened = reply(sg_prediction_open(session, dataset));
  if (!opened["ok"]) throw std::runtime_error(opened.dump());
  std::string text;
  for (json turn = reply(sg_prediction_turn(opened["prediction"]));;) {
    if (!turn["ok"]) throw std::runtime_error(turn.dump());
    text += turn["text"].get<std::string>();
    if (turn["done"]) break;
    CHECK(turn["needs"].is_null() == (shards == nullptr));
    if (shards) shards->serve(turn["needs"]);
    turn = reply(shards ? sg_prediction_fed(opened["prediction"]) : sg_prediction_turn(opened["prediction"]));
  }
  sg_prediction_close(opened["prediction"]);
  return text;
}

json evaluated(int session) {
  for (;;) {
    const json e = reply(sg_session_evaluate(session));
    if (!e["ok"]) throw std::runtime_error(e.dump());
    if (e["done"]) return e["evaluation"];
  }
}

}  // namespace

TEST_CASE("a run on a table in shards is that on the table in memory, bit for bit", "[bindings][tables][fed]") {
  const std::string csv = flowers(300), more = flowers(80, false, "peat");
  const Shards shards(csv), others(more);
  const int attached = shards.attach(), table = open_dataset(csv);
  for (const char* target : {"kind", "weight"}) {
    const json config = table_config(target, 4);
    const json first = create(attached, config);
    INFO(first.dump());
    REQUIRE(first["ok"]);
    CHECK(first["needs"]["total"] == 300);
    CHECK(first["needs"]["columns"].size() == 4);
    const json fed = shards.feed(first["session"], first), whole = create(table, config);
    INFO(fed.dump());
    REQUIRE(fed["ok"]);
    for (const char* key : {"config", "trainWindows", "validationWindows", "parameters"}) CHECK(fed[key] == whole[key]);
    const int a = fed["session"], b = whole["session"];
    const auto losses = train(a, 11);
    CHECK(losses == train(b, 11));
    const auto bytes = checkpoint(a);
    CHECK(sg::SafetensorsFile(bytes).value("encoding") == sg::SafetensorsFile(checkpoint(b)).value("encoding"));
    json back = reply(sg_session_restore(attached, bytes.data(), static_cast<uint32_t>(bytes.size()), "{}"));
    back = shards.feed(back["session"], back);
    INFO(back.dump());
    REQUIRE(back["ok"]);
    const auto rest = train(b, 13);
    CHECK(train(back["session"], 13) == rest);
    train(a, 13);
    CHECK(evaluated(a) == evaluated(b));
    CHECK(predicted(a, others.attach(), &others) == predicted(b, open_dataset(more), nullptr));
  }
}

TEST_CASE("a table that is larger than the memory for it is refused before anything is read",
          "[bindings][tables][fed]") {
  const Shards shards(flowers(300));
  const sg::Table table = sg::table_of(sg::parse_manifest(shards.manifest.dump()));
  const auto config = sg::train::TrainConfig::from_json(table_config("kind", 1));
  const sg::TableChoice choice = sg::choose_table(table, {0, 1, 2}, 3, true);
  const auto open = [&](size_t bytes) {
    sg::train::Bounds bounds;
    bounds.resident = bytes;
    return sg::train::Opening(choice, config, std::nullopt, nullptr, bounds);
  };
  CHECK(open(300 * 4 * 2 * sizeof(float)).need()->total == 300);
  CHECK_THROWS_WITH(open(300 * 4 * 2 * sizeof(float) - 1), Catch::Contains("300 rows of 4 columns"));
}

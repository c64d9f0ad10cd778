// A run on data larger than memory as the module keeps it: what it waits for at each stage, what it tells then, and
// that it goes on from a checkpoint where it stood.
#include <catch2/catch.hpp>

#include "bindings/run.h"
#include "tests/train/fed.h"
#include "tests/train/losable_device.h"
#include "tests/train/runs.h"

using namespace sg;
using namespace sg::test;
using nlohmann::json;

namespace {

const json kSource{{"size", 12345}, {"head", "aa"}, {"tail", "bb"}};

struct Fed {
  bindings::Run& run;
  std::optional<RowFeed::Need> need() const { return bindings::need(run); }
  void fed() { began = bindings::fed(run) || began; }
  bool began = false;  // whether the last fed was what the run began with
};

bindings::Run start(Farm& farm, const Elsewhere& data, const char* device) {
  return bindings::start_run(farm.devices(), {data.table(), "waves", kSource}, small_config({{"device", device}}),
                             tight());
}

bindings::Run resume(Farm& farm, const Elsewhere& data, const std::vector<uint8_t>& bytes,
                     const json& source = kSource) {
  return bindings::resume_run(farm.devices(), {data.table(), "waves", source}, train::read_checkpoint(bytes),
                              json::object(), tight());
}

/// Steps until so many are made and their losses here; what is needed in between is fed.
std::vector<json> steps(bindings::Run& run, Elsewhere& data, int64_t until) {
  std::vector<json> replies;
  for (int calls = 0; run.session->state().step < until || run.session->pending() > 0; ++calls) {
    REQUIRE(calls < 10'000);
    const bool more = run.session->state().step < until;
    if (run.session->epoch_done() && more) run.session->next_epoch();
    bindings::step(run, more ? 1 : 0);
    replies.push_back(state_json(run));
    Fed fed{run};
    feed(fed, data);
    CHECK_FALSE(fed.began);
  }
  return replies;
}

json losses(const std::vector<json>& replies) {
  json all = json::array();
  for (const json& r : replies)
    for (const json& loss : r["recent"]) all.push_back(loss);
  return all;
}

}  // namespace

TEST_CASE("a run in blocks waits for the scan, its first block and the race in turn, and says what it needs",
          "[bindings][blocks]") {
  Elsewhere data = waves(900);
  Farm farm;
  bindings::Run run = start(farm, data, "auto");
  REQUIRE(run.loading);
  CHECK(session_json(run)["racing"].is_null());
  CHECK(needs_json(run)["columns"] == json({0, 2}));
  CHECK(needs_json(run)["total"] == 900);  // the scan
  std::vector<uint64_t> totals;
  Fed fed{run};
  while (const auto need = fed.need()) {
    CHECK_FALSE(fed.began);
    CHECK_FALSE(run.race);
    if (totals.empty() || totals.back() != need->total) totals.push_back(need->total);
    data.serve(*need);
    fed.fed();
  }
  CHECK(fed.began);
  CHECK(totals.size() == 3);  // the validation's rows, and those of a block
  REQUIRE(run.race);
  CHECK(session_json(run)["racing"] < 1);
  CHECK(session_json(run)["needs"].is_null());
  for (int turns = 0; run.race; ++turns) {
    REQUIRE(turns < 1'000'000);
    bindings::race(run);
  }
  const json told = session_json(run);
  CHECK(told["needs"].is_null());
  CHECK(told["trainWindows"] == 711);
  CHECK(told["stepsPerEpoch"] == 45);
  CHECK(told["season"] == 24);
  const auto replies = steps(run, data, 60);
  CHECK(losses(replies).size() == 60);
  int waits = 0;
  for (size_t i = 0; i < replies.size(); ++i) {
    if (replies[i]["needs"].is_null()) continue;
    ++waits;
    CHECK(replies[i]["pending"] == 0);
    CHECK(replies[i]["needs"]["total"] < 400);
  }
  CHECK(waits >= 4);
}

TEST_CASE("while a block is missing a run makes no step, and can be saved", "[bindings][blocks]") {
  Elsewhere data = waves(900);
  Farm farm;
  bindings::Run run = start(farm, data, "cpu");
  Fed fed{run};
  feed(fed, data);
  REQUIRE(run.session);
  bindings::step(run, 5);
  const json waiting = state_json(run);
  REQUIRE_FALSE(waiting["needs"].is_null());
  CHECK(waiting["step"] == 0);
  data.serve(*fed.need());
  fed.fed();
  bindings::step(run, 5);
  CHECK(state_json(run)["step"] == 0);
  CHECK(state_json(run)["needs"]["done"] > 0);
  CHECK_FALSE(train::save_checkpoint(*run.session, "waves", "null", {}).empty());
  feed(fed, data);
  bindings::step(run, 5);
  CHECK(state_json(run)["step"] == 5);
}

TEST_CASE("a run in blocks goes on from its checkpoint as if it had not stopped, and says what has changed",
          "[bindings][blocks]") {
  Elsewhere data = waves(900);
  Farm farm;
  bindings::Run straight = start(farm, data, "cpu");
  Fed of_straight{straight};
  feed(of_straight, data);
  json all = losses(steps(straight, data, 70));
  bindings::Run first = start(farm, data, "cpu");
  Fed of_first{first};
  feed(of_first, data);
  json joined = losses(steps(first, data, 38));
  const auto bytes = train::save_checkpoint(*first.session, "waves", "null", bindings::stored_choice(first));

  bindings::Run resumed = resume(farm, data, bytes);
  REQUIRE(resumed.loading);
  Fed of_resumed{resumed};
  feed(of_resumed, data);
  CHECK(of_resumed.began);
  CHECK(resumed.notice.empty());
  CHECK(resumed.choice.how == train::How::resumed);
  for (const json& loss : losses(steps(resumed, data, 70))) joined.push_back(loss);
  CHECK(joined == all);

  CHECK(train::read_checkpoint(bytes).dataset["source"] == kSource);
  bindings::Run copied = resume(farm, data, bytes, json{{"size", 1}, {"head", "a"}, {"tail", "b"}});
  Fed of_copied{copied};
  feed(of_copied, data);
  CHECK(copied.notice.empty());  // another file with the same values
  data.columns[0][500] += 1;
  bindings::Run other = resume(farm, data, bytes);
  Fed of_other{other};
  feed(of_other, data);
  CHECK(other.notice.find("900 rows then, 900 now") != std::string::npos);
}

TEST_CASE("a run that cannot begin once its rows are fed says why, then and whenever it is asked",
          "[bindings][blocks]") {
  Elsewhere data = waves(900);
  Farm farm{.has_cpu = false};
  const auto code_of = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const Error& e) {
      return e.code();
    }
    return "nothing was thrown";
  };
  for (const train::Bounds& bounds : {tight(), train::bounds_of(train::TrainConfig())}) {
    bindings::Run run = bindings::start_run(farm.devices(), {data.table(), "waves", kSource},
                                            small_config({{"device", "cpu"}}), bounds);
    Fed fed{run};
    CHECK(code_of([&] { feed(fed, data); }) == "device.memory");
    CHECK(code_of([&] { (void)fed.need(); }) == "device.memory");
    CHECK(code_of([&] { (void)session_json(run); }) == "device.memory");
  }
}

// The GPU's self-test: it passes here, in time, and refuses a GPU on which any one of its probes is spoilt. This
// program has the self-test built with SG_BREAK_PROBES.
#include "webgl/self_test.h"

#include <catch2/catch.hpp>
#include <set>

#include "bindings/devices.h"
#include "io/error.h"
#include "tests/webgl/kernel_runner.h"

using namespace sg;
using namespace sg::test;

namespace {

std::vector<std::string> probe_names() {
  std::vector<std::string> names;
  for (const Probe& probe : webgl_self_test().probes) names.push_back(probe.name);
  return names;
}

std::string refusal() {
  try {
    bindings::devices().make("webgl");
  } catch (const Error& error) {
    return error.code() + ": " + error.message();
  }
  return "";
}

/// While it lives, one probe is spoilt.
struct Broken {
  explicit Broken(const std::string& probe) { break_probe(probe); }
  ~Broken() { break_probe(""); }
};

}  // namespace

TEST_CASE("the self-test passes here, and says what each probe is for and what came", "[webgl][self_test]") {
  const SelfTest& test = webgl_self_test();
  INFO(test.reason());
  CHECK(test.ok);
  CHECK(test.reason() == "");
  CHECK(test.probes.size() >= 12);
  std::set<std::string> names;
  for (const Probe& probe : test.probes) {
    INFO(probe.name << ": " << probe.came);
    CHECK(probe.ok);
    CHECK_FALSE(probe.expected.empty());
    CHECK_FALSE(probe.came.empty());
    CHECK(names.insert(probe.name).second);
  }
}

TEST_CASE("a context is tested once, and another one anew", "[webgl][self_test][loss]") {
  const SelfTest& first = webgl_self_test();
  const double ms = first.ms;
  CHECK(ms > 0);
  CHECK(webgl_self_test().ms == ms);
  lose_webgl_context();
  CHECK(webgl_self_test().ok);
  CHECK(webgl_self_test().ms != ms);
}

TEST_CASE("a GPU that fails any one probe is refused, and the reason names the probe", "[webgl][self_test]") {
  for (const std::string& name : probe_names()) {
    INFO(name);
    const Broken broken(name);
    const train::Gpu gpu = bindings::devices().gpu();
    CHECK_FALSE(gpu.available);
    CHECK_THAT(gpu.reason, Catch::StartsWith("this GPU fails its self-test: "));
    CHECK_THAT(gpu.reason, Catch::Contains(name + " ("));
    CHECK_THAT(refusal(), Catch::StartsWith("webgl.unavailable: this GPU fails its self-test"));
    const SelfTest& test = webgl_self_test();
    CHECK_FALSE(test.ok);
    for (const Probe& probe : test.probes) {
      if (probe.name == name) CHECK_FALSE(probe.ok);
    }
  }
  CHECK(bindings::devices().gpu().available);
  CHECK(refusal() == "");
}

TEST_CASE("a probe that nothing is known to break is an error", "[webgl][self_test]") {
  const Broken broken("no_such_probe");
  CHECK_THROWS_AS(webgl_self_test(), Error);
}

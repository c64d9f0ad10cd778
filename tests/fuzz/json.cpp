// JSON from outside: what is accepted means the same when it is written out and read again, and is no deeper than the
// bound that makes copies safe.
#include "native_host/json.h"

#include "tests/fuzz/targets.h"

namespace sg::fuzz {
namespace {

void run(Bytes bytes) {
  host::Json json;
  try {
    json = host::parse_json(text_of(bytes));
  } catch (const host::Failure&) {
    return;
  }
  hold(host::valid_utf8(text_of(bytes)), "text was accepted that is not UTF-8");
  const std::string text = json.dump();
  hold(host::parse_json(text) == json, "JSON changed on its way: " + text);
}

const Registered target("json", run);

}  // namespace
}  // namespace sg::fuzz

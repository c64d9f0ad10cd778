// The op cases as a module for the browsers: the page asks for one case after the other.
#include <emscripten/emscripten.h>

#include "tests/op_suite/check.h"

namespace {

std::string text;

}  // namespace

extern "C" {

EMSCRIPTEN_KEEPALIVE int suite_count() { return static_cast<int>(sg::tests::op_cases().size()); }

EMSCRIPTEN_KEEPALIVE const char* suite_op(int i) { return sg::tests::op_cases()[static_cast<size_t>(i)].op.c_str(); }

EMSCRIPTEN_KEEPALIVE const char* suite_title(int i) {
  text = sg::tests::op_cases()[static_cast<size_t>(i)].title();
  return text.c_str();
}

/// Values and gradients of a case: "" where they are right.
EMSCRIPTEN_KEEPALIVE const char* suite_check(int i, int webgl) {
  const sg::tests::OpCase& c = sg::tests::op_cases()[static_cast<size_t>(i)];
  const char* const device = webgl ? "webgl" : "cpu";
  text = sg::tests::check(c, device, sg::tests::What::values);
  if (text.empty()) text = sg::tests::check(c, device, sg::tests::What::gradients);
  return text.c_str();
}
}

// The op cases as a module for the browsers: the page asks for one case after the other.
#include <emscripten/emscripten.h>

#include "cpu/pool.h"
#include "tests/op_suite/check.h"
#include "tests/op_suite/lost_context.h"

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

/// Has the cpu device's kernels run on so many threads, however small the work. -> how many there are
EMSCRIPTEN_KEEPALIVE int suite_set_threads(int count) {
  sg::cpu::pool::least_work = 1;
  return sg::cpu::set_threads(count);
}

/// Whether the cpu device has fused multiply-adds.
EMSCRIPTEN_KEEPALIVE int suite_is_fused() { return sg::cpu::has_fused_multiply_add() ? 1 : 0; }

/// Values and gradients of a case: "" where they are right.
EMSCRIPTEN_KEEPALIVE const char* suite_check(int i, int webgl) {
  const sg::tests::OpCase& c = sg::tests::op_cases()[static_cast<size_t>(i)];
  const char* const device = webgl ? "webgl" : "cpu";
  text = sg::tests::check(c, device, sg::tests::What::values);
  if (text.empty()) text = sg::tests::check(c, device, sg::tests::What::gradients);
  return text.c_str();
}

EMSCRIPTEN_KEEPALIVE int suite_kernels() { return static_cast<int>(sg::Kernel::count); }

EMSCRIPTEN_KEEPALIVE const char* suite_kernel(int i) {
  text = sg::info(static_cast<sg::Kernel>(i)).name;
  return text.c_str();
}

/// A context that is lost at this kernel: "" where nothing of it is taken and the next one is right.
EMSCRIPTEN_KEEPALIVE const char* suite_lose_at(int i) {
  text = sg::tests::check_lost_at(static_cast<sg::Kernel>(i));
  return text.c_str();
}
}

// The few functions between WebAssembly's exceptions and the C++ runtime, for modules with threads, in place of
// libunwind's. There __wasm_lpad_context is one for each thread, while the code that this compiler makes writes to it
// at a fixed address, so that no typed `catch` ever finds its exception. Here it is one for all. What follows from
// that: with several threads at work only the one that trains may have a `catch` with a type. A bare `catch (...)` and
// destructors do without the context; cpu/pool.cpp has nothing else in the ranges of other threads.
#include <cstdint>

namespace {

struct Exception {  // _Unwind_Exception
  uint64_t exception_class;
  void (*cleanup)(int reason, Exception* exception);
  uintptr_t private_1, private_2;
};

struct LandingPad {  // _Unwind_Context: two words of the caller's landing pad, and the handler that was found
  uintptr_t index, table, selector;
};

constexpr int kVersion = 1, kCleanupPhase = 2, kForeignExceptionCaught = 1, kSelectorRegister = 1;

}  // namespace

extern "C" {

LandingPad __wasm_lpad_context;

int __gxx_personality_wasm0(int version, int actions, uint64_t exception_class, Exception* exception, LandingPad* at);

/// Called in each landing pad with a type: finds the handler.
int _Unwind_CallPersonality(Exception* exception) {
  __wasm_lpad_context.selector = 0;
  return __gxx_personality_wasm0(kVersion, kCleanupPhase, exception->exception_class, exception, &__wasm_lpad_context);
}

int _Unwind_RaiseException(Exception* exception) { __builtin_wasm_throw(0, exception); }

void _Unwind_DeleteException(Exception* exception) {
  if (exception->cleanup != nullptr) exception->cleanup(kForeignExceptionCaught, exception);
}

void _Unwind_SetGR(LandingPad* at, int index, uintptr_t value) {
  if (index == kSelectorRegister) at->selector = value;
}
void _Unwind_SetIP(LandingPad*, uintptr_t) {}
/// Landing pads count from 0; the caller subtracts one from an address that lies behind a call and counts from 1.
uintptr_t _Unwind_GetIP(LandingPad* at) { return at->index + 2; }
uintptr_t _Unwind_GetLanguageSpecificData(LandingPad* at) { return at->table; }
uintptr_t _Unwind_GetRegionStart(LandingPad*) { return 0; }
}

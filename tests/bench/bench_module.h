// The door through which a benchmark's network is made and trained, from JavaScript as from a native program. One
// network at a time. What returns an int returns 1 on success, else 0, and bench_message() says why.
#pragma once
#include <cstdint>

#ifdef __EMSCRIPTEN__
#include <emscripten/emscripten.h>
#define SG_BENCH_EXPORT EMSCRIPTEN_KEEPALIVE
#else
#define SG_BENCH_EXPORT
#endif

extern "C" {

SG_BENCH_EXPORT void* bench_alloc(uint32_t bytes);
SG_BENCH_EXPORT const char* bench_message();

/// Threads that the cpu device is to use from now on; returns how many there are.
SG_BENCH_EXPORT int bench_set_threads(int count);
/// webgl: 0 cpu, 1 webgl. numbers: kind (lstm, mlp, encoder, gpt, cnn), batch, time, features, outputs, width, heads,
/// blocks, inner, height, kernel, dense, how many units, the units. Adam, or SGD where beta1 is 0.
SG_BENCH_EXPORT int bench_create(int webgl, const int* numbers, const float* weights, float learning_rate, float beta1,
                                 float beta2, float eps);
/// One training step on a batch. The loss is fetched by bench_loss.
SG_BENCH_EXPORT int bench_step(const float* x, const float* y);
/// Losses that are still on their way.
SG_BENCH_EXPORT int bench_pending();
/// The oldest loss that was not fetched yet, or NaN while it is still on its way.
SG_BENCH_EXPORT float bench_loss();

/// Numbers of the device since it was made.
SG_BENCH_EXPORT double bench_kernels();
SG_BENCH_EXPORT double bench_draws();
SG_BENCH_EXPORT double bench_programs();
SG_BENCH_EXPORT double bench_live_buffers();
SG_BENCH_EXPORT double bench_peak_bytes();
}

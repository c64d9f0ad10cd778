#include "core/trace.h"

#include <algorithm>
#include <utility>

#include "core/check.h"

namespace sg {
namespace {

[[noreturn]] void no_numbers() {
  throw Error("plan.values", "a step asks for numbers while it is being recorded: they are not known then");
}

}  // namespace

Value Tracer::value(Buffer buffer) const {
  if (buffer == 0 || buffer > trace_.values.size())
    throw Error("device.handle", "buffer " + std::to_string(buffer) + " is not a value of the step being recorded");
  return buffer - 1;
}

Buffer Tracer::allocate(int64_t floats) {
  if (floats < 1) throw Error("device.size", "a buffer holds 1 float or more, not " + std::to_string(floats));
  trace_.values.push_back({.floats = floats, .source = Trace::Source::nothing, .numbers = {}});
  ++counters_.live_buffers;
  return static_cast<Buffer>(trace_.values.size());
}

void Tracer::upload(Buffer buffer, std::span<const float> values) {
  Trace::Info& to = trace_.values[value(buffer)];
  if (to.source != Trace::Source::nothing)
    throw Error("plan.upload", "a step uploads into a buffer that has numbers already: give the step such numbers");
  if (static_cast<int64_t>(values.size()) != to.floats)
    throw Error("device.size",
                "upload of " + std::to_string(values.size()) + " floats into a buffer of " + std::to_string(to.floats));
  to.numbers.assign(values.begin(), values.end());
  to.source = Trace::Source::constant;
}

void Tracer::download(Buffer, std::span<float>) { no_numbers(); }
uint32_t Tracer::begin_read(Buffer, int64_t) { no_numbers(); }
bool Tracer::finish_read(uint32_t, std::span<float>) { no_numbers(); }

void Tracer::run(const Call& call) {
  check(*this, call);
  TracedCall traced{call.kernel, {}, {}, {call.parameters.begin(), call.parameters.end()}};
  for (const Buffer b : call.inputs) {
    traced.inputs.push_back(value(b));
    if (trace_.values[value(b)].source == Trace::Source::nothing)
      throw Error("plan.undefined", std::string(info(call.kernel).name) + " reads a buffer that nothing has written");
  }
  for (const Buffer b : call.outputs) {
    traced.outputs.push_back(value(b));
    Trace::Source& source = trace_.values[value(b)].source;
    if (source != Trace::Source::nothing)
      throw Error("plan.upload", std::string(info(call.kernel).name) + " writes a buffer that has numbers already");
    source = Trace::Source::computed;
  }
  trace_.calls.push_back(std::move(traced));
  ++counters_.kernels;
}

Trace Tracer::take() { return std::exchange(trace_, {}); }

}  // namespace sg

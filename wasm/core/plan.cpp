#include "core/plan.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "core/check.h"

namespace sg {
namespace {

/// Constants that are larger are computed anew in each step.
constexpr int64_t kMostConstant = int64_t{1} << 16;

params::strided_copy copying(int64_t floats) {
  const int n = static_cast<int>(floats);
  return {.scale = 1, .d0 = 1, .d1 = 1, .d2 = 1, .d3 = 1, .d4 = 1, .d5 = n, .s5 = 1};
}

void copy(Device& device, const Tensor& from, const Tensor& to) {
  const params::strided_copy p = copying(from.size());
  const Buffer in = from.buffer(), out = to.buffer();
  device.run({p.kernel, {&in, 1}, {&out, 1}, bytes(p)});
}

using Bindings = std::vector<std::array<Buffer, kVariants>>;

/// While it lives, tensors stand for values of a trace.
class Symbols {
 public:
  Symbols(Tracer& tracer, const std::vector<Tensor>& tensors) : tensors_(tensors) {
    for (Tensor& t : tensors_) {
      numbers_.push_back(t.detach());
      const Tensor symbol = Tensor::empty(tracer, t.shape());
      tracer.give(symbol.buffer());
      values_.push_back(tracer.value(symbol.buffer()));
      t.set_value(symbol);
    }
  }
  ~Symbols() {
    for (size_t i = 0; i < tensors_.size(); ++i) tensors_[i].set_value(numbers_[i]);
  }
  Symbols(const Symbols&) = delete;
  Symbols& operator=(const Symbols&) = delete;
  const std::vector<Value>& before() const { return values_; }

 private:
  std::vector<Tensor> tensors_, numbers_;
  std::vector<Value> values_;
};

}  // namespace

/// A trace with the values that matter: of the carried tensors before and after, of the inputs, and of the result.
struct Carried::Recording {
  Trace trace;
  std::vector<TracedCall> constants;  // the calls that are the same at every step, taken out of it
  std::vector<Value> before, after, inputs;
  Value result = 0;
  Shape result_shape;

  bool changed(size_t i) const { return after[i] != before[i]; }
  void simplify() {
    std::vector<Value> wanted = after;
    wanted.push_back(result);
    drop_unused(trace, wanted);
    constants = take_constant_calls(trace, kMostConstant, wanted);
    result = wanted.back();
    wanted.pop_back();
    after = std::move(wanted);
    separate();
  }
  /// Each changed tensor and the result get a value of their own that a call computes: two may be set to the same, or
  /// one to another's old value.
  void separate() {
    std::unordered_set<Value> taken;
    const auto own = [&](Value& v) {
      if (trace.values[v].source == Trace::Source::computed && taken.insert(v).second) return;
      const params::strided_copy p = copying(trace.values[v].floats);
      const auto given = sg::bytes(p);
      const Value to = static_cast<Value>(trace.values.size());
      trace.values.push_back({.floats = trace.values[v].floats, .source = Trace::Source::computed, .numbers = {}});
      trace.calls.push_back({p.kernel, {v}, {to}, {given.begin(), given.end()}});
      v = to;
    };
    for (size_t i = 0; i < after.size(); ++i) {
      if (changed(i)) own(after[i]);
    }
    own(result);
  }
};

Carried::Carried(Device& device, std::vector<Tensor> tensors) : device_(device) {
  std::unordered_set<const void*> seen;
  for (Tensor& t : tensors) {
    if (seen.insert(t.id()).second) tensors_.push_back(std::move(t));
  }
  std::unordered_set<Buffer> shared;
  for (Tensor& t : tensors_) {
    Home home{t.detach(), {}};
    if (!shared.insert(t.buffer()).second) {  // an average begins as the weight's own floats
      home.now = Tensor::empty(device_, t.shape());
      copy(device_, t, home.now);
    }
    homes_.push_back(home);
  }
  settle();
}

uint64_t Carried::bytes() const {
  uint64_t floats = 0;
  for (const Home& home : homes_) floats += static_cast<uint64_t>(home.now.size()) * (home.next.defined() ? 2 : 1);
  return floats * sizeof(float);
}

/// Brings tensors that were set between steps back into their homes.
void Carried::settle() {
  for (size_t i = 0; i < tensors_.size(); ++i) {
    if (tensors_[i].buffer() == homes_[i].now.buffer()) continue;
    copy(device_, tensors_[i], homes_[i].now);
    tensors_[i].set_value(homes_[i].now);
  }
}

/// After a step: every tensor that has two homes is in the other one.
void Carried::turn(const std::vector<bool>& written) {
  for (size_t i = 0; i < tensors_.size(); ++i) {
    Home& home = homes_[i];
    if (!home.next.defined()) continue;
    if (!written[i]) copy(device_, home.now, home.next);
    std::swap(home.now, home.next);
    tensors_[i].set_value(home.now);
  }
  turn_ = 1 - turn_;
}

Carried::Recording Carried::trace(std::vector<Tensor>& inputs, const std::function<Tensor()>& step) {
  Recording r;
  {
    const Symbols carried(tracer_, tensors_), given(tracer_, inputs);
    const Tensor result = step();
    SG_CHECK(&result.device() == &tracer_, "a recorded step's result was not made by it");
    r.before = carried.before(), r.inputs = given.before();
    for (const Tensor& t : tensors_) r.after.push_back(tracer_.value(t.buffer()));
    for (size_t i = 0; i < inputs.size(); ++i)
      SG_CHECK(tracer_.value(inputs[i].buffer()) == r.inputs[i], "a recorded step sets one of its inputs");
    r.result = tracer_.value(result.buffer());
    r.result_shape = result.shape();
  }
  r.trace = tracer_.take();
  if (tracer_.counters().live_buffers)
    throw Error("plan.outlives", "a tensor that a recorded step made outlives it, and is not one that it carries over");
  return r;
}

/// The values that are the same at every step, made once: uploaded, or computed by `calls`.
std::vector<Tensor> RecordedStep::make_constants(Device& device, const Trace& trace,
                                                 const std::vector<TracedCall>& calls) {
  std::vector<Tensor> made(trace.values.size());
  const auto buffer = [&](Value v) {
    if (!made[v].defined()) {
      const Trace::Info& info = trace.values[v];
      const Shape shape{static_cast<int>(info.floats)};
      made[v] = info.numbers.empty() ? Tensor::empty(device, shape) : Tensor::from(device, shape, info.numbers);
    }
    return made[v].buffer();
  };
  for (const TracedCall& call : calls) {
    std::vector<Buffer> in, out;
    for (const Value v : call.inputs) in.push_back(buffer(v));
    for (const Value v : call.outputs) out.push_back(buffer(v));
    device.run({call.kernel, in, out, call.parameters});
  }
  std::vector<Tensor> used(trace.values.size());
  for (const TracedCall& call : trace.calls) {
    for (const Value v : call.inputs) {
      if (trace.values[v].source != Trace::Source::constant) continue;
      (void)buffer(v);
      used[v] = made[v];
    }
  }
  return used;
}

std::unique_ptr<RecordedStep> Carried::record(std::vector<Tensor> inputs, const std::function<Tensor()>& step) {
  settle();
  Recording r = trace(inputs, step);
  r.simplify();
  std::unique_ptr<RecordedStep> made(new RecordedStep(*this));
  Bindings bound(r.trace.values.size());
  const auto bind = [&](Value v, const Tensor& now, const Tensor& next) {
    bound[v] = {now.buffer(), next.buffer()};
    if (turn_ == 1) std::swap(bound[v][0], bound[v][1]);
  };
  for (size_t i = 0; i < tensors_.size(); ++i) {
    Home& home = homes_[i];
    made->written_.push_back(r.changed(i));
    if (r.changed(i) && !home.next.defined()) {
      SG_CHECK(!recorded_, "a step changes a tensor that those recorded before it do not change");
      home.next = Tensor::empty(device_, home.now.shape());
    }
    const Tensor& next = home.next.defined() ? home.next : home.now;
    bind(r.before[i], home.now, next);
    if (r.changed(i)) bind(r.after[i], next, home.now);
  }
  for (size_t i = 0; i < inputs.size(); ++i) bind(r.inputs[i], inputs[i], inputs[i]);
  made->result_ = Tensor::empty(device_, r.result_shape);
  bind(r.result, made->result_, made->result_);
  made->constants_ = RecordedStep::make_constants(device_, r.trace, r.constants);
  for (Value v = 0; v < made->constants_.size(); ++v) {
    if (made->constants_[v].defined()) bind(v, made->constants_[v], made->constants_[v]);
  }
  made->inputs_ = std::move(inputs);
  made->finish(device_, schedule_of(std::move(r.trace), std::move(bound)));
  recorded_ = true;
  return made;
}

void RecordedStep::finish(Device& device, const Schedule& schedule) {
  calls_ = schedule.calls.size();
  replay_ = device.prepare(schedule);
  bytes_ = replay_->bytes() + static_cast<uint64_t>(result_.size()) * sizeof(float);
  for (const Tensor& t : constants_) {
    if (t.defined()) bytes_ += static_cast<uint64_t>(t.size()) * sizeof(float);
  }
}

void RecordedStep::run() {
  carried_.settle();
  replay_->run(carried_.turn_);
  carried_.turn(written_);
}

}  // namespace sg

#include "core/schedule.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/check.h"

namespace sg {
namespace {

/// A replay for devices without one of their own.
class CallByCall final : public Replay {
 public:
  CallByCall(Device& device, const Schedule& schedule) : device_(device), calls_(schedule.calls) {
    for (auto& b : buffers_) b.resize(schedule.values.size());
    std::vector<std::vector<Value>> ending(calls_.size());
    std::map<int64_t, std::vector<Buffer>> free;  // by size
    for (Value v = 0; v < schedule.values.size(); ++v) {
      if (schedule.values[v].bound[0]) {
        for (size_t i = 0; i < kVariants; ++i) buffers_[i][v] = schedule.values[v].bound[i];
      } else if (schedule.values[v].floats > 0) {
        ending[schedule.values[v].last].push_back(v);
      }
    }
    for (size_t c = 0; c < calls_.size(); ++c) {
      for (const Value v : calls_[c].outputs) {
        if (!schedule.values[v].bound[0]) take(v, schedule.values[v].floats, free[schedule.values[v].floats]);
      }
      for (const Value v : ending[c]) free[schedule.values[v].floats].push_back(buffers_[0][v]);
    }
  }
  ~CallByCall() override {
    for (const Buffer b : owned_) device_.release(b);
  }
  CallByCall(const CallByCall&) = delete;
  CallByCall& operator=(const CallByCall&) = delete;

  void run(size_t variant) override {
    const std::vector<Buffer>& buffers = buffers_[variant];
    for (const TracedCall& call : calls_) {
      in_.clear(), out_.clear();
      for (const Value v : call.inputs) in_.push_back(buffers[v]);
      for (const Value v : call.outputs) out_.push_back(buffers[v]);
      device_.run({call.kernel, in_, out_, call.parameters});
    }
  }
  uint64_t bytes() const override { return bytes_; }

 private:
  void take(Value v, int64_t floats, std::vector<Buffer>& free) {
    Buffer b;
    if (free.empty()) {
      b = device_.allocate(floats);
      owned_.push_back(b);
      bytes_ += static_cast<uint64_t>(floats) * sizeof(float);
    } else {
      b = free.back();
      free.pop_back();
    }
    for (auto& buffers : buffers_) buffers[v] = b;
  }

  Device& device_;
  std::vector<TracedCall> calls_;
  std::array<std::vector<Buffer>, kVariants> buffers_;
  std::vector<Buffer> owned_, in_, out_;
  uint64_t bytes_ = 0;
};

bool same(const TracedCall& a, const TracedCall& b) {
  return a.kernel == b.kernel && a.inputs == b.inputs && a.parameters == b.parameters;
}

}  // namespace

void drop_unused(Trace& trace, std::span<const Value> wanted) {
  std::vector<bool> needed(trace.values.size());
  for (const Value v : wanted) needed[v] = true;
  std::vector<TracedCall> kept;
  for (auto call = trace.calls.rbegin(); call != trace.calls.rend(); ++call) {
    if (std::none_of(call->outputs.begin(), call->outputs.end(), [&](Value v) { return needed[v]; })) continue;
    for (const Value v : call->inputs) needed[v] = true;
    kept.push_back(std::move(*call));
  }
  std::reverse(kept.begin(), kept.end());
  trace.calls = std::move(kept);
}

std::vector<TracedCall> take_constant_calls(Trace& trace, int64_t most, std::span<Value> wanted) {
  std::vector<Value> stands_for(trace.values.size());
  for (Value v = 0; v < stands_for.size(); ++v) stands_for[v] = v;
  std::vector<TracedCall> kept, constant;
  for (TracedCall& call : trace.calls) {
    for (Value& v : call.inputs) v = stands_for[v];
    const bool same_always = std::all_of(call.inputs.begin(), call.inputs.end(),
                                         [&](Value v) { return trace.values[v].source == Trace::Source::constant; });
    if (!same_always || trace.values[call.outputs[0]].floats > most) {
      kept.push_back(std::move(call));
      continue;
    }
    const auto twin = std::find_if(constant.begin(), constant.end(), [&](const TracedCall& c) {
      return same(c, call) && trace.values[c.outputs[0]].floats == trace.values[call.outputs[0]].floats;
    });
    if (twin != constant.end()) {
      for (size_t i = 0; i < call.outputs.size(); ++i) stands_for[call.outputs[i]] = twin->outputs[i];
      continue;
    }
    for (const Value v : call.outputs) trace.values[v].source = Trace::Source::constant;
    constant.push_back(std::move(call));
  }
  for (Value& v : wanted) v = stands_for[v];
  trace.calls = std::move(kept);
  return constant;
}

Schedule schedule_of(Trace trace, std::vector<std::array<Buffer, kVariants>> bound) {
  Schedule schedule{.values = {}, .calls = std::move(trace.calls)};
  schedule.values.resize(trace.values.size());
  const auto use = [&](Value v) -> Schedule::Info& {
    Schedule::Info& info = schedule.values[v];
    info.floats = trace.values[v].floats;
    info.bound = bound[v];
    return info;
  };
  for (uint32_t c = 0; c < schedule.calls.size(); ++c) {
    for (const Value v : schedule.calls[c].inputs) {
      Schedule::Info& info = use(v);
      SG_CHECK(info.bound[0] || trace.values[v].source == Trace::Source::computed,
               "a value is read that has no buffer");
      if (!info.bound[0]) info.last = c;
    }
    for (const Value v : schedule.calls[c].outputs) {
      Schedule::Info& info = use(v);
      if (!info.bound[0]) info.first = info.last = c;
    }
  }
  return schedule;
}

std::unique_ptr<Replay> replay_calls(Device& device, const Schedule& schedule) {
  return std::make_unique<CallByCall>(device, schedule);
}

}  // namespace sg

#include "tests/op_suite/lost_context.h"

#include <map>

#include "core/check.h"
#include "cpu/cpu_device.h"
#include "tests/op_suite/check.h"
#include "tests/ops/compare.h"
#include "tests/ops/devices.h"
#include "webgl/webgl_device.h"

namespace sg::tests {
namespace {

class LosingDevice final : public RecordingDevice {
 public:
  explicit LosingDevice(Kernel at) : RecordingDevice(make_webgl_device()), at_(at) {}
  void run(const Call& call) override {
    if (call.kernel == at_) lose_webgl_context();
    RecordingDevice::run(call);
  }

 private:
  Kernel at_;
};

void run_case(Device& d, const OpCase& c) {
  const Values inputs = input_values(c);
  value_on(d, c, inputs);
  if (c.gradient) gradients_on(d, c, inputs);
}

/// For each kernel the first case that runs it, as the cpu device shows.
const std::map<Kernel, const OpCase*>& case_of_kernel() {
  static const std::map<Kernel, const OpCase*> cases = [] {
    std::map<Kernel, const OpCase*> found;
    std::map<std::string, int> seen;
    for (const OpCase& c : op_cases()) {
      if (++seen[c.op] > 2) continue;
      RecordingDevice d(make_cpu_device());
      run_case(d, c);
      for (const Kernel kernel : d.kernels()) found.emplace(kernel, &c);
    }
    return found;
  }();
  return cases;
}

}  // namespace

std::string check_lost_at(Kernel kernel) {
  const auto found = case_of_kernel().find(kernel);
  if (found == case_of_kernel().end()) return "no case runs it";
  const OpCase& c = *found->second;
  try {
    LosingDevice d(kernel);
    run_case(d, c);
    return c.title() + " went on without a context";
  } catch (const Error& e) {
    if (e.code() != "webgl.context_lost") return c.title() + " ended with " + e.code() + ": " + e.what();
  }
  const std::string wrong = check(c, "webgl", What::values);
  return wrong.empty() ? "" : "afterwards " + c.title() + ": " + wrong;
}

}  // namespace sg::tests

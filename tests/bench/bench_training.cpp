#include "tests/bench/bench_training.h"

namespace sg::bench {

Training::Training(std::unique_ptr<Device> device, const Workload& workload, const float* weights, const Rates& rates)
    : device_(std::move(device)),
      learning_rate_(rates.learning_rate),
      net_(make_net(*device_, workload, weights)),
      values_(Tensor::empty(*device_, {StepValues::kCount})) {
  const bool adam = rates.beta1 > 0;
  optim::Config config = optim::defaults(adam ? optim::Kind::adam : optim::Kind::sgd);
  if (adam) config.beta1 = rates.beta1, config.beta2 = rates.beta2, config.eps = rates.eps;
  optimizer_ = std::make_unique<optim::Optimizer>(net_->parameters(), config);
  std::vector<Tensor> all{optimizer_->guard()};
  for (const Parameter& p : net_->parameters()) all.push_back(p.value);
  for (const Parameter& p : optimizer_->state()) all.push_back(p.value);
  carried_ = std::make_unique<Carried>(*device_, all);
}

void Training::record() {
  step_ = carried_->record({values_, net_->x(), net_->y()}, [&] {
    const Tensor loss = net_->loss(net_->x(), net_->y());
    loss.backward();
    optimizer_->step(loss, values_);
    return loss.detach();
  });
}

uint32_t Training::step(const float* x, const float* y) {
  const auto upload = [&](const Tensor& to, const float* from) {
    device_->upload(to.buffer(), {from, static_cast<size_t>(to.size())});
  };
  if (!step_) record();
  upload(net_->x(), x);
  upload(net_->y(), y);
  StepValues values;
  optimizer_->begin_step(learning_rate_, values);
  device_->upload(values_.buffer(), values.floats());
  step_->run();
  return device_->begin_read(step_->result().buffer(), 1);
}

uint64_t Training::bytes() const {
  const uint64_t step = step_ ? step_->bytes() : 0;
  return carried_->bytes() + step + 4 * static_cast<uint64_t>(net_->x().size() + net_->y().size());
}

}  // namespace sg::bench

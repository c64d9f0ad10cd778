// The tape. Nodes are numbered as they are made, so that going through the reachable ones by falling number is a
// reverse topological order.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/check.h"
#include "core/tensor.h"

namespace sg {
namespace {

bool recording = true;
uint64_t next_order = 0;

/// a + b, for a tensor that is used more than once.
Tensor add_gradients(const Tensor& a, const Tensor& b) {
  return run(params::combine{.a = 1, .b = 1}, {a, b}, a.shape());
}

}  // namespace

NoGrad::NoGrad() : before_(recording) { recording = false; }
NoGrad::~NoGrad() { recording = before_; }
bool tape_is_on() { return recording; }

Tensor record(const Tensor& result, std::vector<Tensor> inputs, Backward backward) {
  const bool needed = std::any_of(inputs.begin(), inputs.end(), [](const Tensor& t) { return t.requires_grad(); });
  if (!recording || !needed) return result;
  Tensor out = result.detach();
  out.body_->requires_grad = true;
  out.body_->node = std::make_shared<Node>(Node{next_order++, std::move(inputs), std::move(backward)});
  return out;
}

std::vector<Tensor> Tensor::tape() const {
  std::vector<Tensor> order;
  std::unordered_set<const void*> seen;
  std::vector<Tensor> open{*this};
  while (!open.empty()) {
    const Tensor t = open.back();
    open.pop_back();
    if (!t.requires_grad() || !seen.insert(t.id()).second) continue;
    order.push_back(t);
    if (t.body_->node) open.insert(open.end(), t.body_->node->inputs.begin(), t.body_->node->inputs.end());
  }
  const auto rank = [](const Tensor& t) { return t.body_->node ? t.body_->node->order + 1 : 0; };
  std::sort(order.begin(), order.end(), [&](const Tensor& a, const Tensor& b) { return rank(a) > rank(b); });
  return order;
}

void Tensor::walk_tape(const std::function<void(const Tensor&, const std::vector<Tensor>&)>& visit) const {
  std::vector<Tensor> order = tape();
  for (auto t = order.rbegin(); t != order.rend(); ++t)
    if (t->body_->node) visit(*t, t->body_->node->inputs);
}

void Tensor::backward() const {
  SG_CHECK(size() == 1, "backward: starts from one number, not from " + str(shape()));
  SG_CHECK(requires_grad(), "backward: nothing that this number was made from requires a gradient");
  const NoGrad off;
  std::vector<Tensor> order = tape();
  std::unordered_map<const void*, Tensor> grads;
  grads[id()] = full(device(), shape(), 1);
  for (Tensor& t : order) {
    const auto found = grads.find(t.id());
    if (found == grads.end()) continue;
    const Tensor dy = found->second;
    grads.erase(found);
    if (!t.body_->node) {
      t.body_->grad = t.body_->grad.defined() ? add_gradients(t.body_->grad, dy) : dy;
      continue;
    }
    const Grads dx = t.body_->node->backward(dy);
    SG_CHECK(dx.size() == t.body_->node->inputs.size(), "a backward returned another number of gradients than inputs");
    for (size_t i = 0; i < dx.size(); ++i) {
      const Tensor& x = t.body_->node->inputs[i];
      if (!x.requires_grad() || !dx[i].defined()) continue;
      SG_CHECK(dx[i].shape() == x.shape(), "a gradient " + str(dx[i].shape()) + " for a tensor " + str(x.shape()));
      const auto sum = grads.find(x.id());
      if (sum == grads.end())
        grads.emplace(x.id(), dx[i]);
      else
        sum->second = add_gradients(sum->second, dx[i]);
    }
  }
}

}  // namespace sg

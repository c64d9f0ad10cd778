// A tensor: a handle to floats on a device, with a shape and, where it needs a gradient, the tape node that made it.
// Copies share the floats. Values never change in place, except by set_value (parameters, between steps).
#pragma once
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "core/device.h"
#include "core/shape.h"

namespace sg {

class Tensor;
using Grads = std::vector<Tensor>;
using Backward = std::function<Grads(const Tensor& grad)>;

/// What made a tensor: its inputs, and the function from its gradient to theirs (an undefined tensor for "none").
struct Node {
  uint64_t order;
  std::vector<Tensor> inputs;
  Backward backward;
};

class Tensor {
 public:
  Tensor() = default;
  static Tensor from(Device& device, const Shape& shape, std::span<const float> values);
  static Tensor full(Device& device, const Shape& shape, float value);
  /// Undefined values: only for a kernel that writes all of them.
  static Tensor empty(Device& device, const Shape& shape);

  bool defined() const { return body_ != nullptr; }
  const Shape& shape() const;
  int rank() const { return shape().rank(); }
  int dim(int axis) const { return shape()[shape().axis(axis)]; }
  int64_t size() const { return shape().size(); }
  Device& device() const;
  Buffer buffer() const;

  /// Waits for the device.
  std::vector<float> values() const;
  float item() const;

  bool requires_grad() const;
  Tensor& set_requires_grad();
  /// The sum of the gradients of every backward since clear_grad; undefined when there was none.
  Tensor grad() const;
  void clear_grad();
  /// Takes over the floats of `value` (same shape); the gradient and the identity stay.
  void set_value(const Tensor& value);
  /// The same floats, outside the tape.
  Tensor detach() const;
  /// The same floats, outside the tape, under another shape of the same size. Ops use it; models use ops::reshape.
  Tensor view(const Shape& shape) const;
  /// Walks the tape back from this scalar and adds the gradients to the tensors that require one.
  void backward() const;
  /// Every recorded tensor that this one was made from, itself included, with its inputs, in the order of making.
  void walk_tape(const std::function<void(const Tensor& result, const std::vector<Tensor>& inputs)>& visit) const;

  const void* id() const { return body_.get(); }

 private:
  struct Storage;
  struct Body;
  explicit Tensor(std::shared_ptr<Body> body) : body_(std::move(body)) {}
  /// What this tensor was made from and needs a gradient, the latest first; tensors without a node (parameters) last.
  std::vector<Tensor> tape() const;
  friend Tensor record(const Tensor& result, std::vector<Tensor> inputs, Backward backward);

  std::shared_ptr<Body> body_;
};

/// What every copy of a tensor shares.
struct Tensor::Body {
  std::shared_ptr<Storage> storage;
  Shape shape;
  bool requires_grad = false;
  std::shared_ptr<Node> node = nullptr;
  Tensor grad = {};
};

/// Runs a kernel into one new tensor per output, all of shape `shape`.
std::vector<Tensor> run_kernel(Kernel kernel, std::span<const std::byte> parameters, std::span<const Tensor> inputs,
                               Device& device, const Shape& shape);

template <class Params>
std::vector<Tensor> run_all(const Params& p, std::initializer_list<Tensor> inputs, const Shape& shape) {
  return run_kernel(Params::kernel, bytes(p), {inputs.begin(), inputs.size()}, inputs.begin()->device(), shape);
}

template <class Params>
Tensor run(const Params& p, std::initializer_list<Tensor> inputs, const Shape& shape) {
  return run_all(p, inputs, shape)[0];
}

template <class Params>
Tensor make(const Params& p, Device& device, const Shape& shape) {
  return run_kernel(Params::kernel, bytes(p), {}, device, shape)[0];
}

/// Puts `result` on the tape as made from `inputs`, if any of them needs a gradient and the tape is on. `backward` may
/// capture `result`: it is another handle than the returned one, so no cycle arises.
Tensor record(const Tensor& result, std::vector<Tensor> inputs, Backward backward);

/// While one lives, nothing is recorded.
class NoGrad {
 public:
  NoGrad();
  ~NoGrad();
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;

 private:
  bool before_;
};
bool tape_is_on();

}  // namespace sg

// The networks of the workloads on which libraries are compared, built from given weights in the order in which a
// workload lists them: Keras's layouts (dense kernels [in, out], convolutions [kh, kw, in, out]).
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "core/parameter.h"

namespace sg::bench {

/// What a workload says of itself; only the fields of its kind are set.
struct Workload {
  enum class Kind { lstm, mlp, encoder, gpt, cnn } kind = Kind::lstm;
  int batch = 0, time = 0, features = 0;
  std::vector<int> units;  // lstm: hidden sizes; mlp: widths; cnn: channels of the image and of each convolution
  int outputs = 1;         // numbers, classes or characters
  int width = 0, heads = 0, blocks = 0, inner = 0;  // encoder, gpt
  int height = 0, kernel = 0, dense = 0;            // cnn
};

class Net {
 public:
  virtual ~Net() = default;
  /// The loss of one batch, tensors of x_shape and y_shape.
  virtual Tensor loss(const Tensor& x, const Tensor& y) const = 0;
  const Shape& x_shape() const { return x_shape_; }
  const Shape& y_shape() const { return y_shape_; }
  const std::vector<Parameter>& parameters() const { return parameters_; }

 protected:
  Net(Device& device, const float* weights, Shape x, Shape y)
      : device_(device), from_(weights), x_shape_(std::move(x)), y_shape_(std::move(y)) {}
  /// The next weight of this shape.
  Tensor take(const Shape& shape);

 private:
  Device& device_;
  const float* from_;
  Shape x_shape_, y_shape_;
  std::vector<Parameter> parameters_;
};

std::unique_ptr<Net> make_net(Device& device, const Workload& workload, const float* weights);

}  // namespace sg::bench

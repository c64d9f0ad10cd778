// The networks of the workloads on which libraries are compared, built from given weights in the order in which a
// workload lists them: Keras's layouts (dense kernels [in, out], convolutions [kh, kw, in, out]).
#pragma once
#include <memory>
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
  /// The loss of one batch.
  virtual Tensor loss(const Tensor& x, const Tensor& y) const = 0;
  const std::vector<Parameter>& parameters() const { return parameters_; }
  /// Tensors for a batch as the workload gives it, without numbers.
  const Tensor& x() const { return x_; }
  const Tensor& y() const { return y_; }

 protected:
  Net(Device& device, const Workload& w, const float* weights);
  /// The next weight of this shape.
  Tensor take(const Shape& shape);

  Workload w_;

 private:
  Device* device_;
  const float* from_;
  Tensor x_, y_;
  std::vector<Parameter> parameters_;
};

std::unique_ptr<Net> make_net(Device& device, const Workload& workload, const float* weights);

}  // namespace sg::bench

// Sequences of different lengths side by side in one tensor, by their lengths. What lies beyond a length is never read
// into a result, except where reverse_sequence leaves it in place, and lengths carry no gradient.
#include "core/check.h"
#include "ops/ops.h"

namespace sg::ops {
namespace {

/// The modes of the kernel by_length.
enum Mode { kReverse, kMask, kLast, kLastBackward };

params::by_length parameters(const char* op, Mode mode, const Tensor& x, const Tensor& lengths) {
  SG_CHECK(
      x.rank() == 3 && lengths.shape() == Shape{x.dim(0)},
      std::string(op) + ": x " + str(x.shape()) + " must be [N, T, F] and lengths " + str(lengths.shape()) + " [N]");
  return {.mode = mode, .batch = x.dim(0), .steps = x.dim(1), .features = x.dim(2)};
}

}  // namespace

Tensor reverse_sequence(const Tensor& x, const Tensor& lengths) {
  const params::by_length p = parameters("reverse_sequence", kReverse, x, lengths);
  return record(run(p, {x, lengths}, x.shape()), {x}, [p, lengths](const Tensor& dy) -> Grads {
    return {run(p, {dy, lengths}, dy.shape())};  // the same permutation, its own inverse
  });
}

Tensor mask_sequence(const Tensor& x, const Tensor& lengths) {
  const params::by_length p = parameters("mask_sequence", kMask, x, lengths);
  return record(run(p, {x, lengths}, x.shape()), {x}, [p, lengths](const Tensor& dy) -> Grads {
    return {run(p, {dy, lengths}, dy.shape())};  // dx = dy within the length, 0 beyond
  });
}

Tensor last_of_sequence(const Tensor& x, const Tensor& lengths) {
  params::by_length p = parameters("last_of_sequence", kLast, x, lengths);
  const Tensor y = run(p, {x, lengths}, Shape{p.batch, p.features});
  p.mode = kLastBackward;
  return record(y, {x}, [p, lengths, shape = x.shape()](const Tensor& dy) -> Grads {
    return {run(p, {dy, lengths}, shape)};  // dx = dy at the last step, 0 elsewhere
  });
}

}  // namespace sg::ops

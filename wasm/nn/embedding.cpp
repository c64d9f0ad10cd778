#include "nn/embedding.h"

#include "core/check.h"
#include "ops/ops.h"

namespace sg::nn {

Embedding::Embedding(Init& init, int rows, int width) {
  SG_CHECK(rows > 0 && width > 0,
           "Embedding: " + std::to_string(rows) + " rows of " + std::to_string(width) + " must both be above 0");
  weight_ = parameter("weight", init.normal({rows, width}, 1));
}

Tensor Embedding::forward(const Tensor& x, Context&) const { return ops::embedding(x, weight_); }

}  // namespace sg::nn

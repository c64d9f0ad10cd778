// Cross-entropy of classes as one kernel over the rows beside their maximum and sum of exponentials: the probabilities
// are never kept, the gradient makes them anew.
#include "core/check.h"
#include "ops/ops.h"

namespace sg::ops {
namespace {

constexpr int kMostSmoothed = 60000;  // classes that a fragment of a shader can walk for four rows

void check(const Tensor& logits, const Tensor& target, const CrossEntropy& how) {
  const auto told = [&](const std::string& what) { return "cross_entropy: " + what; };
  SG_CHECK(logits.rank() == 2 && target.shape() == Shape{logits.dim(0)},
           told("logits " + str(logits.shape()) + " must be [N, C] and target " + str(target.shape()) + " [N]"));
  SG_CHECK(how.label_smoothing >= 0 && how.label_smoothing <= 1,
           told("label_smoothing = " + std::to_string(how.label_smoothing) + " must lie between 0 and 1"));
  SG_CHECK(how.label_smoothing == 0 || logits.dim(1) <= kMostSmoothed,
           told("label smoothing over the classes of logits " + str(logits.shape()) + ", at most " +
                std::to_string(kMostSmoothed) + " are possible"));
  SG_CHECK(!how.class_weight.defined() || how.class_weight.shape() == Shape{logits.dim(1)},
           told("class weights " + str(how.class_weight.shape()) + " must be [C] for logits " + str(logits.shape())));
  SG_CHECK(!how.sample_weight.defined() || how.sample_weight.shape() == target.shape(),
           told("sample weights " + str(how.sample_weight.shape()) + " must be " + str(target.shape())));
}

template <class Params>
Params parameters(const Tensor& logits, const CrossEntropy& how) {
  return {.rows = logits.dim(0),
          .classes = logits.dim(1),
          .ignored = how.ignore_index,
          .class_weighted = how.class_weight.defined(),
          .sample_weighted = how.sample_weight.defined(),
          .smoothing = how.label_smoothing};
}

/// What stands for weights that are not given: a kernel gets a buffer for each input, and does not read this one.
const Tensor& weight_or(const Tensor& given, const Tensor& other) { return given.defined() ? given : other; }

}  // namespace

Tensor cross_entropy(const Tensor& logits, const Tensor& target, const CrossEntropy& how) {
  check(logits, target, how);
  Tensor maximum, exponentials, class_weight, sample_weight, class_sum, weight_sum, y;
  {
    const NoGrad off;
    const params::softmax_statistics along{.outer = logits.dim(0), .reduce = logits.dim(1), .inner = 1};
    const auto statistics = run_all(along, {logits, logits}, target.shape());
    maximum = statistics[0], exponentials = statistics[1];
    class_weight = weight_or(how.class_weight, maximum), sample_weight = weight_or(how.sample_weight, maximum);
    class_sum = how.class_weight.defined() && how.label_smoothing > 0 ? sum(class_weight) : maximum;
    const auto rows = run_all(parameters<params::cross_entropy>(logits, how),
                              {logits, maximum, exponentials, target, class_weight, sample_weight}, target.shape());
    weight_sum = sum(rows[1]);
    y = div_or_zero(sum(rows[0]), weight_sum);
  }
  const auto p = parameters<params::cross_entropy_backward>(logits, how);
  return record(y, {logits}, [=](const Tensor& dy) -> Grads {
    // dlogits = dy / Σ weights · weight (softmax - what the targets ask for)
    return {run(p, {logits, maximum, exponentials, target, class_weight, sample_weight, class_sum, weight_sum, dy},
                logits.shape())};
  });
}

}  // namespace sg::ops

// The normalisations are one: x seen as [repeat, groups, extent] is shifted and scaled a group, then weighted a
// channel. With x̂ = (x - mean) / deviation and g = dy weight, over the n elements of a group
//   dx = (g - (Σ g + x̂ Σ g x̂) / n) / deviation,
// without Σ g where nothing is subtracted; dweight = Σ dy x̂ and dbias = Σ dy over the elements of a channel.
#include "core/check.h"
#include "ops/ops.h"

namespace sg::ops {
namespace {

/// Element i is in group (i / extent) % groups and has the weight (i / span) % channels.
struct Layout {
  int repeat, groups, extent, channels, span;
  float eps;
  bool centred = true;
  bool given = false;  // mean and variance come from outside: x does not change them

  bool groups_are_channels() const { return groups == channels && extent == span; }
  template <class Params>
  Params params(const Tensor& weight) const {
    Params p{};
    p.repeat = repeat, p.groups = groups, p.extent = extent, p.channels = channels, p.span = span;
    p.weighted = weight.defined(), p.eps = eps;
    return p;
  }
};

const Tensor& or_else(const Tensor& t, const Tensor& x) { return t.defined() ? t : x; }

struct Sums {
  Tensor plain, along;
};

Sums sums(const params::norm_sums& p, const Tensor& x, const Tensor& dy, const Moments& m, const Tensor& weight) {
  const auto both = run_all(p, {x, dy, m.mean, m.variance, or_else(weight, x)}, Shape{p.groups});
  return {both[0], both[1]};
}

/// Σ dy and Σ dy x̂ a channel: dbias and dweight.
Sums channel_sums(const Tensor& x, const Tensor& dy, const Moments& m, const Layout& v) {
  return sums({.repeat = static_cast<int>(x.size() / v.channels / v.span),
               .groups = v.channels,
               .extent = v.span,
               .stat_groups = v.groups,
               .stat_extent = v.extent,
               .channels = v.channels,
               .span = v.span,
               .weighted = 0,
               .eps = v.eps},
              x, dy, m, Tensor());
}

/// Σ g and Σ g x̂ a group.
Sums group_sums(const Tensor& x, const Tensor& dy, const Moments& m, const Tensor& weight, const Layout& v) {
  auto p = v.params<params::norm_sums>(weight);
  p.stat_groups = v.groups, p.stat_extent = v.extent;
  return sums(p, x, dy, m, weight);
}

Tensor apply(const Tensor& x, const Moments& m, const Tensor& weight, const Tensor& bias, const Layout& v) {
  auto p = v.params<params::norm>(weight);
  p.biased = bias.defined();
  return run(p, {x, m.mean, m.variance, or_else(weight, x), or_else(bias, x)}, x.shape());
}

Tensor input_gradient(const Tensor& x, const Tensor& dy, const Moments& m, const Tensor& weight, const Layout& v,
                      const Sums& channels) {
  if (v.given) {  // dx = g / deviation
    const Moments centre{Tensor::full(x.device(), m.mean.shape(), 0), m.variance};
    return apply(dy, centre, weight, Tensor(), v);
  }
  Sums s = channels;
  if (!s.plain.defined() || !v.groups_are_channels())
    s = group_sums(x, dy, m, weight, v);
  else if (weight.defined())
    s = {mul(s.plain, weight), mul(s.along, weight)};
  auto p = v.params<params::norm_backward>(weight);
  p.centred = v.centred;
  return run(p, {x, dy, m.mean, m.variance, or_else(weight, x), s.plain, s.along}, x.shape());
}

Tensor normalise(const Tensor& x, const Moments& m, const Tensor& weight, const Tensor& bias, const Layout& v) {
  return record(apply(x, m, weight, bias, v), {x, weight, bias}, [=](const Tensor& dy) -> Grads {
    Sums channels;
    if (weight.requires_grad() || bias.requires_grad()) channels = channel_sums(x, dy, m, v);
    return {x.requires_grad() ? input_gradient(x, dy, m, weight, v, channels) : Tensor(), channels.along,
            channels.plain};
  });
}

Moments moments_of(const Tensor& x, const Layout& v) {
  const params::norm_statistics p{
      .repeat = v.repeat, .groups = v.groups, .extent = v.extent, .centred = v.centred ? 1 : 0};
  const auto both = run_all(p, {x, x}, Shape{v.groups});
  return {both[0], both[1]};
}

void check_channels(const char* op, const char* what, const Tensor& t, int channels, const Tensor& x) {
  SG_CHECK(!t.defined() || t.shape() == Shape{channels}, std::string(op) + ": " + what + " " + str(t.shape()) +
                                                             " for x " + str(x.shape()) + " must be [" +
                                                             std::to_string(channels) + "]");
}

Layout rows(const char* op, const Tensor& x, float eps, bool centred) {
  SG_CHECK(x.rank() >= 1, std::string(op) + ": x " + str(x.shape()) + " has no axis");
  const int width = x.dim(-1);
  return {.repeat = 1,
          .groups = static_cast<int>(x.size() / width),
          .extent = width,
          .channels = width,
          .span = 1,
          .eps = eps,
          .centred = centred};
}

Layout channels(const char* op, const Tensor& x, float eps, bool given) {
  SG_CHECK(x.rank() >= 2, std::string(op) + ": x " + str(x.shape()) + " must be [N, C, ...]");
  const int rest = static_cast<int>(x.shape().product(2, x.rank()));
  return {.repeat = x.dim(0),
          .groups = x.dim(1),
          .extent = rest,
          .channels = x.dim(1),
          .span = rest,
          .eps = eps,
          .given = given};
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, float eps) {
  const Layout v = rows("layer_norm", x, eps, true);
  check_channels("layer_norm", "weight", weight, v.channels, x);
  check_channels("layer_norm", "bias", bias, v.channels, x);
  return normalise(x, moments_of(x, v), weight, bias, v);
}

Tensor rms_norm(const Tensor& x, const Tensor& weight, float eps) {
  const Layout v = rows("rms_norm", x, eps, false);
  check_channels("rms_norm", "weight", weight, v.channels, x);
  return normalise(x, moments_of(x, v), weight, Tensor(), v);
}

Tensor batch_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, float eps, Moments* moments) {
  const Layout v = channels("batch_norm", x, eps, false);
  check_channels("batch_norm", "weight", weight, v.channels, x);
  check_channels("batch_norm", "bias", bias, v.channels, x);
  const Moments m = moments_of(x, v);
  if (moments) *moments = m;
  return normalise(x, m, weight, bias, v);
}

Tensor batch_norm_with(const Tensor& x, const Tensor& mean, const Tensor& variance, const Tensor& weight,
                       const Tensor& bias, float eps) {
  const Layout v = channels("batch_norm_with", x, eps, true);
  SG_CHECK(mean.shape() == Shape{v.channels} && variance.shape() == Shape{v.channels},
           "batch_norm_with: mean " + str(mean.shape()) + " and variance " + str(variance.shape()) + " for x " +
               str(x.shape()) + " must be [" + std::to_string(v.channels) + "]");
  check_channels("batch_norm_with", "weight", weight, v.channels, x);
  check_channels("batch_norm_with", "bias", bias, v.channels, x);
  return normalise(x, {mean, variance}, weight, bias, v);
}

Tensor group_norm(const Tensor& x, int groups, const Tensor& weight, const Tensor& bias, float eps) {
  SG_CHECK(x.rank() >= 2 && groups > 0 && x.dim(1) % groups == 0, "group_norm: x " + str(x.shape()) +
                                                                      " must be [N, C, ...] with C a multiple of " +
                                                                      std::to_string(groups) + " groups");
  const int n = x.dim(0), c = x.dim(1), rest = static_cast<int>(x.shape().product(2, x.rank()));
  check_channels("group_norm", "weight", weight, c, x);
  check_channels("group_norm", "bias", bias, c, x);
  const Layout v{
      .repeat = 1, .groups = n * groups, .extent = c / groups * rest, .channels = c, .span = rest, .eps = eps};
  return normalise(x, moments_of(x, v), weight, bias, v);
}

}  // namespace sg::ops

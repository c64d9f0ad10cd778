#include "nn/init.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "core/check.h"

namespace sg::nn {
namespace {

using Coefficients = std::array<double, 8>;

double polynomial(const Coefficients& c, double x) {
  double y = c[7];
  for (size_t i = 7; i-- > 0;) y = y * x + c[i];
  return y;
}

/// log x for x in (0, 1], from its exponent and 2 artanh((m - 1) / (m + 1)): libm's differ between builds.
double exact_log(double x) {
  uint64_t bits;
  std::memcpy(&bits, &x, 8);
  int exponent = static_cast<int>(bits >> 52) - 1022;
  bits = (bits & 0x000fffffffffffffu) | 0x3fe0000000000000u;
  double m;
  std::memcpy(&m, &bits, 8);      // in [0.5, 1)
  if (m < 0.70710678118654752) {  // then in [√½, √2)
    m *= 2;
    --exponent;
  }
  const double s = (m - 1) / (m + 1), square = s * s;
  double sum = 0;
  for (int k = 23; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
  return 2 * s * sum + exponent * 0.69314718055994531;
}

/// The words of a draw, four a counter, as every device makes them.
class Words {
 public:
  Words(const Generator& generator, uint32_t draw) : generator_(generator), draw_(draw) {}
  uint32_t next() {
    if (index_ % 4 == 0)
      words_ =
          philox({index_ / 4, static_cast<uint32_t>(Stream::weights), draw_, 0}, generator_.low(), generator_.high());
    return words_[index_++ % 4];
  }
  double normal() { return normal_quantile((next() + 0.5) * 0x1p-32); }

 private:
  Generator generator_;
  uint32_t draw_, index_ = 0;
  Philox words_{};
};

Tensor upload(Device& device, const Shape& shape, const std::vector<float>& values) {
  return Tensor::from(device, shape, values).set_requires_grad();
}

std::vector<float> room(const Shape& shape) { return std::vector<float>(static_cast<size_t>(shape.size())); }

/// Eight vectors of n numbers side by side, number k of all before number k + 1 of any, so that one pass over another
/// vector serves all eight, in SIMD, with each one's sums in their order.
class Panel {
 public:
  static constexpr size_t kWidth = 8;
  explicit Panel(size_t n) : n_(n), v_(n * kWidth) {}

  void load(const double* vectors, size_t count) {
    std::fill(v_.begin(), v_.end(), 0.0);
    for (size_t i = 0; i < count; ++i)
      for (size_t k = 0; k < n_; ++k) v_[k * kWidth + i] = vectors[i * n_ + k];
  }
  /// Takes from each vector what lies along q, of length 1.
  void remove(const double* q) {
    std::array<double, kWidth> along{};
    for (size_t k = 0; k < n_; ++k)
      for (size_t i = 0; i < kWidth; ++i) along[i] += v_[k * kWidth + i] * q[k];
    for (size_t k = 0; k < n_; ++k)
      for (size_t i = 0; i < kWidth; ++i) v_[k * kWidth + i] -= along[i] * q[k];
  }
  /// Vector i, made of length 1, to `out`.
  void store(size_t i, double* out) const {
    double square = 0;
    for (size_t k = 0; k < n_; ++k) square += v_[k * kWidth + i] * v_[k * kWidth + i];
    const double length = std::sqrt(square);
    for (size_t k = 0; k < n_; ++k) out[k] = v_[k * kWidth + i] / length;
  }

 private:
  size_t n_;
  std::vector<double> v_;
};

/// Makes `count` vectors of n >= count numbers orthonormal, by modified Gram-Schmidt. Each vector goes through it
/// twice, which is enough for full precision (Giraud et al. 2005).
void orthonormalise(std::vector<double>& vectors, size_t count, size_t n) {
  Panel panel(n);
  for (size_t first = 0; first < count; first += Panel::kWidth) {
    const size_t width = std::min(Panel::kWidth, count - first);
    panel.load(&vectors[first * n], width);
    for (int pass = 0; pass < 2; ++pass)
      for (size_t j = 0; j < first; ++j) panel.remove(&vectors[j * n]);
    for (size_t i = 0; i < width; ++i) {
      double* const q = &vectors[(first + i) * n];
      panel.store(i, q);
      // All that follow lose what lies along it, itself included: it has been stored.
      for (int pass = 0; pass < 2; ++pass) panel.remove(q);
    }
  }
}

}  // namespace

double normal_quantile(double p) {
  static constexpr Coefficients a{3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                                  1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                  3.3430575583588128105e+4, 2.5090809287301226727e+3};
  static constexpr Coefficients b{1.0,
                                  4.2313330701600911252e+1,
                                  6.8718700749205790830e+2,
                                  5.3941960214247511077e+3,
                                  2.1213794301586595867e+4,
                                  3.9307895800092710610e+4,
                                  2.8729085735721942674e+4,
                                  5.2264952788528545610e+3};
  static constexpr Coefficients c{1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                                  3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                                  2.27238449892691845833e-2, 7.74545014278341407640e-4};
  static constexpr Coefficients d{1.0,
                                  2.05319162663775882187e0,
                                  1.67638483018380384940e0,
                                  6.89767334985100004550e-1,
                                  1.48103976427480074590e-1,
                                  1.51986665636164571966e-2,
                                  5.47593808499534494600e-4,
                                  1.05075007164441684324e-9};
  static constexpr Coefficients e{6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                                  2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                  2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static constexpr Coefficients f{1.0,
                                  5.99832206555887937690e-1,
                                  1.36929880922735805310e-1,
                                  1.48753612908506148525e-2,
                                  7.86869131145613259100e-4,
                                  1.84631831751005468180e-5,
                                  1.42151175831644588870e-7,
                                  2.04426310338993978564e-15};
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(a, r) / polynomial(b, r);
  }
  double r = std::sqrt(-exact_log(q < 0 ? p : 1 - p));
  const bool far = r > 5;
  r -= far ? 5 : 1.6;
  const double z = far ? polynomial(e, r) / polynomial(f, r) : polynomial(c, r) / polynomial(d, r);
  return q < 0 ? -z : z;
}

Fan fan_of(const Shape& weight) {
  SG_CHECK(weight.rank() >= 2, "an initialiser by fan needs a weight of two axes or more, not " + str(weight));
  const auto field = static_cast<double>(weight.product(2, weight.rank()));
  return {weight[1] * field, weight[0] * field};
}

Tensor Init::uniform(const Shape& shape, float bound) {
  Words words(generator, draw++);
  std::vector<float> values = room(shape);
  const float range = bound - -bound;
  for (float& v : values) v = -bound + range * uniform01(words.next());
  return upload(device, shape, values);
}

Tensor Init::normal(const Shape& shape, double std, double mean) {
  Words words(generator, draw++);
  std::vector<float> values = room(shape);
  for (float& v : values) v = static_cast<float>(mean + std * words.normal());
  return upload(device, shape, values);
}

Tensor Init::kaiming_uniform(const Shape& shape, double gain) {
  return uniform(shape, static_cast<float>(gain * std::sqrt(3 / fan_of(shape).in)));
}

Tensor Init::kaiming_normal(const Shape& shape, double gain) {
  return normal(shape, gain / std::sqrt(fan_of(shape).in));
}

Tensor Init::xavier_uniform(const Shape& shape, double gain) {
  const Fan fan = fan_of(shape);
  return uniform(shape, static_cast<float>(gain * std::sqrt(6 / (fan.in + fan.out))));
}

Tensor Init::xavier_normal(const Shape& shape, double gain) {
  const Fan fan = fan_of(shape);
  return normal(shape, gain * std::sqrt(2 / (fan.in + fan.out)));
}

Tensor Init::orthogonal(const Shape& shape, double gain, int blocks) {
  SG_CHECK(shape.rank() >= 2 && blocks > 0 && shape[0] % blocks == 0,
           "orthogonal: " + std::to_string(blocks) + " blocks of a weight " + str(shape));
  const auto rows = static_cast<size_t>(shape[0] / blocks),
             columns = static_cast<size_t>(shape.product(1, shape.rank()));
  const size_t count = std::min(rows, columns), n = std::max(rows, columns);
  Words words(generator, draw++);
  std::vector<float> values = room(shape);
  std::vector<double> vectors(count * n);
  for (size_t block = 0; block < static_cast<size_t>(blocks); ++block) {
    for (double& v : vectors) v = words.normal();
    orthonormalise(vectors, count, n);
    for (size_t r = 0; r < rows; ++r)
      for (size_t c = 0; c < columns; ++c)
        values[(block * rows + r) * columns + c] =
            static_cast<float>(gain * (rows <= columns ? vectors[r * n + c] : vectors[c * n + r]));
  }
  return upload(device, shape, values);
}

Tensor Init::constant(const Shape& shape, float value) {
  std::vector<float> values = room(shape);
  for (float& v : values) v = value;
  return upload(device, shape, values);
}

}  // namespace sg::nn

// With e = (target - loc) / scale and k = (df + 1) e / (df + e^2):
//   y = log(scale) - C(df) + (df + 1) / 2 log(1 + e^2 / df), C the logarithm of the constant before the density;
//   dloc = -k / scale, dscale = (1 - k e) / scale, ddf = -C'(df) + (log(1 + e^2 / df) - k e / df) / 2.

/// log Gamma((df + 1) / 2) - log Gamma(df / 2) - log(df pi) / 2, without the difference of two large numbers: three
/// steps of Gamma(x + 1) = x Gamma(x), then the asymptotic series, within 1e-7.
vec4 constant_of(vec4 df) {
  vec4 w = 1.0 / (df + 6.0), s = w * w;
  vec4 series = w * (-0.25 + s * (1.0 / 24.0 + s * (-0.05 + s * (17.0 / 112.0))));
  vec4 steps = df / (df + 1.0) * ((df + 2.0) / (df + 1.0)) * (1.0 - 1.0 / ((df + 3.0) * (df + 3.0))) *
               (1.0 - 1.0 / ((df + 5.0) * (df + 5.0)));
  return series + 0.5 * exact_log(steps) - 0.918938533;
}

vec4 slope_of_constant(vec4 df) {
  vec4 w = 1.0 / (df + 6.0), s = w * w;
  vec4 series = s * (0.25 + s * (-0.125 + s * (0.25 - s * (17.0 / 16.0))));
  return series + 1.0 / (df * (df + 1.0) * (df + 2.0)) + 1.0 / ((df + 2.0) * (df + 3.0) * (df + 4.0)) +
         1.0 / ((df + 4.0) * (df + 5.0) * (df + 6.0));
}

void kernel(int e) {
  vec4 width = own(scale), freedom = own(df), error = (own(target) - own(loc)) / width, square = error * error;
  vec4 k = (freedom + 1.0) * error / (freedom + square), spread = exact_log1p(square / freedom);
  y = exact_log(width) - constant_of(freedom) + 0.5 * (freedom + 1.0) * spread;
  dloc = -k / width;
  dscale = (1.0 - k * error) / width;
  ddf = 0.5 * (spread - k * error / freedom) - slope_of_constant(freedom);
}

void kernel(int e) {
  vec4 deviation = sqrt(spread4(variance, e, extent, groups) + eps);
  vec4 v = (own(x) - spread4(mean, e, extent, groups)) / deviation;
  if (weighted != 0) v *= spread4(weight, e, span, channels);
  if (biased != 0) v += spread4(bias, e, span, channels);
  y = v;
}

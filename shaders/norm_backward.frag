void kernel(int e) {
  vec4 gradient = own(dy), deviation = sqrt(spread4(variance, e, extent, groups) + eps);
  vec4 normalised = (own(x) - spread4(mean, e, extent, groups)) / deviation;
  if (weighted != 0) gradient *= spread4(weight, e, span, channels);
  vec4 sums = normalised * spread4(along, e, extent, groups);
  if (centred != 0) sums += spread4(plain, e, extent, groups);
  dx = (gradient - sums / float(repeat * extent)) / deviation;
}

// Outputs are [outer, pieces, inner], each of `piece` elements of the middle axis. With a negative piece the device joins
// the pieces of a long axis: x holds their maxima, parts their sums.
float infinity() { return uintBitsToFloat(0x7f800000u); }

/// What is subtracted before exp: the maximum, but 0 where there are only -inf.
vec4 centre(vec4 best) { return mix(best, vec4(0.0), equal(best, vec4(-infinity()))); }

vec4 logarithm_of(vec4 best, vec4 total) {
  return mix(best + exact_log(total), best, equal(abs(best), vec4(infinity())));
}

/// The maximum and the sum of output i by itself, four elements of the axis at a time.
vec2 lane(int i, int pieces, int size) {
  int row = i / inner, from = (row % pieces) * size, count = min(size, reduce - from);
  int base = ((row / pieces) * reduce + from) * inner + i % inner;
  vec4 best = vec4(at(x, base)), sums = vec4(0.0);
  for (int r = 0; r < count; r += 4) {
    vec4 v = gather(x, base + r * inner, inner);
    best = nan_max(best, mix(best, v, lessThan(ivec4(0, 1, 2, 3), ivec4(count - r))));
  }
  best = nan_max(best, best.zwxy);
  best = nan_max(best, best.yxwz);
  vec4 middle = centre(best);
  for (int r = 0; r < count; r += 4) {
    vec4 v = exact_exp(gather(x, base + r * inner, inner) - middle);
    if (piece < 0) v *= gather(parts, base + r * inner, inner);
    sums += first_lanes(v, count - r);
  }
  return vec2(best.x, total(sums));
}

void kernel(int e) {
  int size = piece < 0 ? reduce : piece, pieces = (reduce + size - 1) / size, column = e % inner;
  vec4 best = vec4(0.0), sums = vec4(0.0);
  if (column + 3 >= inner) {
    for (int l = 0, lanes = min(4, floats - e); l < lanes; ++l) {
      vec2 one = lane(e + l, pieces, size);
      best[l] = one.x;
      sums[l] = one.y;
    }
  } else {
    int row = e / inner, from = (row % pieces) * size, count = min(size, reduce - from);
    int base = ((row / pieces) * reduce + from) * inner + column;
    best = load4(x, base);
    for (int r = 1; r < count; ++r) best = nan_max(best, load4(x, base + r * inner));
    vec4 middle = centre(best);
    for (int r = 0; r < count; ++r) {
      vec4 v = exact_exp(load4(x, base + r * inner) - middle);
      if (piece < 0) v *= load4(parts, base + r * inner);
      sums += v;
    }
  }
  maximum = best;
  sum = sums;
  logarithm = logarithm_of(best, sums);
}

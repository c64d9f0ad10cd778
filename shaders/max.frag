// y[outer, pieces, inner]: each output is the maximum of `piece` elements of the middle axis; the device cuts a long
// axis into pieces and takes their maximum in a second draw.
float lane(int i, int pieces) {
  int row = i / inner, from = (row % pieces) * piece, count = min(piece, reduce - from);
  int base = ((row / pieces) * reduce + from) * inner + i % inner;
  vec4 best = vec4(at(x, base));
  for (int r = 0; r < count; r += 4) {
    vec4 v = gather(x, base + r * inner, inner);
    best = nan_max(best, mix(best, v, lessThan(ivec4(0, 1, 2, 3), ivec4(count - r))));
  }
  best = nan_max(best, best.zwxy);
  return nan_max(best, best.yxwz).x;
}

void kernel(int e) {
  int pieces = (reduce + piece - 1) / piece, column = e % inner;
  if (column + 3 >= inner) {
    vec4 maxima = vec4(0.0);
    for (int l = 0, lanes = min(4, floats - e); l < lanes; ++l) maxima[l] = lane(e + l, pieces);
    y = maxima;
    return;
  }
  int row = e / inner, from = (row % pieces) * piece, count = min(piece, reduce - from);
  int base = ((row / pieces) * reduce + from) * inner + column;
  vec4 best = load4(x, base);
  for (int r = 1; r < count; ++r) best = nan_max(best, load4(x, base + r * inner));
  y = best;
}

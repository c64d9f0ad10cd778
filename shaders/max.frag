// y[outer, pieces, inner]: each output is the maximum of `piece` elements of the middle axis; the device cuts a long
// axis into pieces and takes their maximum in a second draw.
float lane(int i, int pieces) {
  if (i >= floats) return 0.0;
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
    y = vec4(lane(e, pieces), lane(e + 1, pieces), lane(e + 2, pieces), lane(e + 3, pieces));
    return;
  }
  int row = e / inner, from = (row % pieces) * piece, count = min(piece, reduce - from);
  int base = ((row / pieces) * reduce + from) * inner + column;
  y = load4(x, base);
  for (int r = 1; r < count; ++r) y = nan_max(y, load4(x, base + r * inner));
}

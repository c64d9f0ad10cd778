// y[outer, pieces, inner]: each output sums `piece` products along the middle axis. The device cuts a long axis into
// pieces and sums those in a second draw.
float lane(int i, int pieces) {
  int row = i / inner, from = (row % pieces) * piece, count = min(piece, reduce - from);
  int base = ((row / pieces) * reduce + from) * inner + i % inner;
  vec4 sums = vec4(0.0);
  for (int r = 0; r < count; r += 4) {
    int place = base + r * inner;
    sums += first_lanes(gather(a, place, inner) * gather(b, place, inner), count - r);
  }
  return total(sums);
}

void kernel(int e) {
  int pieces = (reduce + piece - 1) / piece, column = e % inner;
  vec4 sums = vec4(0.0);
  if (column + 3 >= inner) {
    for (int l = 0, lanes = min(4, floats - e); l < lanes; ++l) sums[l] = lane(e + l, pieces);
  } else {
    int row = e / inner, from = (row % pieces) * piece, count = min(piece, reduce - from);
    int base = ((row / pieces) * reduce + from) * inner + column;
    for (int r = 0; r < count; ++r) sums += load4(a, base + r * inner) * load4(b, base + r * inner);
  }
  y = sums;
}

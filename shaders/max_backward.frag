// Three uses, told by `piece`. 0: count the maxima of an axis and share dy among them, all at once. For a long axis the
// device does it in passes: 1 marks the maxima with 1; their sum over the axis is the count; 2 takes the marks as x and
// the counts as y.
float lane(int i) {
  int group = (i / (reduce * inner)) * inner + i % inner;
  float value = at(x, i), best = at(y, group);
  if (piece == 1) return float(value == best);
  if (piece == 2) return value * at(dy, group) / best;
  int base = (i / (reduce * inner)) * reduce * inner + i % inner, count = 0;
  for (int r = 0; r < reduce; ++r) count += int(at(x, base + r * inner) == best);
  return float(value == best) * at(dy, group) / float(count);
}

void kernel(int e) {
  vec4 result = vec4(0.0);
  for (int l = 0, lanes = min(4, floats - e); l < lanes; ++l) result[l] = lane(e + l);
  dx = result;
}

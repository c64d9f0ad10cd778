float lane(int i) {
  int base = (i / inner) * reduce * inner + i % inner, found = 0;
  float best = at(x, base);
  for (int r = 1; r < reduce && !is_nan(vec4(best)).x; ++r) {
    float v = at(x, base + r * inner);
    if (v > best || is_nan(vec4(v)).x) {
      best = v;
      found = r;
    }
  }
  return float(found);
}

void kernel(int e) {
  vec4 result = vec4(0.0);
  for (int l = 0, lanes = min(4, floats - e); l < lanes; ++l) result[l] = lane(e + l);
  y = result;
}

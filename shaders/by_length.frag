// Each step of y is a step of x or 0, by the sequence's length. A length that is none gives NaN, so that it is seen.
const int REVERSE = 0, MASK = 1, LAST = 2;

/// The step of x that step s of y is, -1 for none.
int source(int s, int length) {
  if (mode == REVERSE) return s < length ? length - 1 - s : s;
  if (mode == MASK) return s < length ? s : -1;
  if (mode == LAST) return length - 1;
  return s == length - 1 ? 0 : -1;
}

/// Where in x the float i of y stands: -1 for a 0, -2 for NaN.
int place(int i) {
  int from = mode > LAST ? 1 : steps, to = mode == LAST ? 1 : steps, row = i / features, sequence = row / to;
  float length = at(lengths, sequence);
  if (!(length >= 1.0 && length <= float(steps) && floor(length) == length)) return -2;
  int s = source(row % to, int(length));
  return s < 0 ? -1 : (sequence * from + s) * features + i % features;
}

vec4 constant(int where) { return where == -1 ? vec4(0.0) : vec4(uintBitsToFloat(0x7fc00000u)); }

void kernel(int e) {
  if ((features & 3) == 0) {
    int where = place(e);
    y = where < 0 ? constant(where) : texel(x, where >> 2);
    return;
  }
  vec4 result = vec4(0.0);
  for (int l = 0, lanes = min(4, floats - e); l < lanes; ++l) {
    int where = place(e + l);
    result[l] = where < 0 ? constant(where).x : at(x, where);
  }
  y = result;
}

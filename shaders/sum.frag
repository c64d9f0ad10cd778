// y[outer, pieces, inner]: each output sums `piece` elements of the middle axis. The device cuts a long axis into pieces
// and sums those in a second draw. Sums are compensated (Kahan); the plain sum beside it keeps infinities.
vec4 running, lost, plain;

void start() { running = lost = plain = vec4(0.0); }

void add(vec4 v) {
  vec4 corrected = v - lost, next = opaque(running + corrected);
  lost = (next - running) - corrected;
  running = next;
  plain += v;
}

vec4 result() { return mix(running, plain, is_nan(running)); }

float result_of_lanes() {
  vec4 exact = vec4(total(running) - total(lost));
  return mix(exact, vec4(total(plain)), is_nan(exact)).x;
}

/// The sum of output i by itself, four elements of the axis at a time.
float lane(int i, int pieces) {
  int row = i / inner, from = (row % pieces) * piece, count = min(piece, reduce - from);
  int base = ((row / pieces) * reduce + from) * inner + i % inner;
  start();
  for (int r = 0; r < count; r += 4) add(first_lanes(gather(x, base + r * inner, inner), count - r));
  return result_of_lanes();
}

void kernel(int e) {
  int pieces = (reduce + piece - 1) / piece, column = e % inner;
  if (column + 3 >= inner) {
    vec4 sums = vec4(0.0);
    for (int l = 0, lanes = min(4, floats - e); l < lanes; ++l) sums[l] = lane(e + l, pieces);
    y = scale * sums;
    return;
  }
  int row = e / inner, from = (row % pieces) * piece, count = min(piece, reduce - from);
  int base = ((row / pieces) * reduce + from) * inner + column;
  start();
  for (int r = 0; r < count; ++r) add(load4(x, base + r * inner));
  y = scale * result();
}

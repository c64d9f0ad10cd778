// Outputs are [pieces, groups], a piece being `piece` elements of a group counted through repeat and extent. The mean
// comes first, then the variance from the distances to it, corrected by their own mean. With a negative piece the
// device joins the pieces of a long group: x holds their means, parts their variances.

/// The sums over a piece of group g of the distances to `middle` and of their squares.
vec2 sums_of(int g, int from, int end, float middle) {
  vec4 distances = vec4(0.0), squares = vec4(0.0);
  int row = from / extent, column = from % extent;
  for (int i = from; i < end; ++row, column = 0) {
    int run = min(extent - column, end - i), base = (row * groups + g) * extent + column;
    for (int s = 0; s < run; s += 4) {
      vec4 d = first_lanes(load4(x, base + s) - middle, run - s);
      distances += d;
      squares += d * d;
    }
    i += run;
  }
  return vec2(total(distances), total(squares));
}

vec2 lane(int i) {
  int g = i % groups, from = (i / groups) * piece, end = min(from + piece, repeat * extent);
  float count = float(end - from);
  if (centred == 0) return vec2(0.0, sums_of(g, from, end, 0.0).y / count);
  float middle = sums_of(g, from, end, 0.0).x / count;
  vec2 around = sums_of(g, from, end, middle) / count;
  return vec2(middle + around.x, around.y - around.x * around.x);
}

/// Joins the pieces of group g: the variance is that within them and that of their means.
vec2 joined(int g) {
  int count = repeat * extent;
  float middle = 0.0, within = 0.0;
  for (int from = 0, i = g; from < count; from -= piece, i += groups) {
    middle += at(x, i) * float(min(-piece, count - from));
  }
  middle /= float(count);
  for (int from = 0, i = g; from < count; from -= piece, i += groups) {
    float d = at(x, i) - middle;
    within += (at(parts, i) + d * d) * float(min(-piece, count - from));
  }
  return vec2(middle, within / float(count));
}

/// Four groups of one element a row.
void columns(int e) {
  int g = e % groups, from = (e / groups) * piece, end = min(from + piece, repeat);
  float count = float(end - from);
  vec4 middle = vec4(0.0), distances = vec4(0.0), squares = vec4(0.0);
  if (centred != 0) {
    for (int r = from; r < end; ++r) middle += load4(x, r * groups + g);
    middle /= count;
  }
  for (int r = from; r < end; ++r) {
    vec4 d = load4(x, r * groups + g) - middle;
    distances += d;
    squares += d * d;
  }
  distances /= count;
  mean = centred != 0 ? middle + distances : vec4(0.0);
  variance = centred != 0 ? squares / count - distances * distances : squares / count;
}

void kernel(int e) {
  if (piece > 0 && extent == 1 && e % groups + 3 < groups) {
    columns(e);
    return;
  }
  vec4 means = vec4(0.0), variances = vec4(0.0);
  for (int l = 0, lanes = min(4, floats - e); l < lanes; ++l) {
    vec2 one = piece < 0 ? joined(e + l) : lane(e + l);
    means[l] = one.x;
    variances[l] = one.y;
  }
  mean = means;
  variance = variances;
}

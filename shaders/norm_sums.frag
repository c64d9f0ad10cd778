// Outputs are [pieces, groups], a piece being `piece` elements of a group counted through repeat and extent; the device
// sums the pieces in a second draw.
vec4 gradient, normalised;

/// Makes g and the normalised x of the elements i .. i + 3.
void take(int i) {
  gradient = load4(dy, i);
  if (weighted != 0) gradient *= spread4(weight, i, span, channels);
  normalised = (load4(x, i) - spread4(mean, i, stat_extent, stat_groups)) /
               sqrt(spread4(variance, i, stat_extent, stat_groups) + eps);
}

vec2 lane(int i) {
  int g = i % groups, from = (i / groups) * piece, end = min(from + piece, repeat * extent);
  int row = from / extent, column = from % extent;
  vec4 sums = vec4(0.0), products = vec4(0.0);
  for (int j = from; j < end; ++row, column = 0) {
    int run = min(extent - column, end - j), base = (row * groups + g) * extent + column;
    for (int s = 0; s < run; s += 4) {
      take(base + s);
      sums += first_lanes(gradient, run - s);
      products += first_lanes(gradient * normalised, run - s);
    }
    j += run;
  }
  return vec2(total(sums), total(products));
}

void kernel(int e) {
  vec4 sums = vec4(0.0), products = vec4(0.0);
  int g = e % groups;
  if (extent == 1 && g + 3 < groups) {
    for (int r = (e / groups) * piece, end = min(r + piece, repeat); r < end; ++r) {
      take(r * groups + g);
      sums += gradient;
      products += gradient * normalised;
    }
  } else {
    for (int l = 0, lanes = min(4, floats - e); l < lanes; ++l) {
      vec2 one = lane(e + l);
      sums[l] = one.x;
      products[l] = one.y;
    }
  }
  plain = sums;
  along = products;
}

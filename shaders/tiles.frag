// Joins the tiles of a product, and makes those of a recurrent layer's gradient.

#ifndef STAGE_gates_tile

/// What is added to the four numbers from the texel of element i on.
#if defined(STAGE_matmul_join_bias)
vec4 bias_of(int i) { return vec4(at(bias, i / n % (m * d3))); }
#elif defined(STAGE_matmul_join_addmm)
vec4 bias_of(int i) { return texel(bias, i % n >> 2); }
#else
vec4 bias_of(int i) { return vec4(0.0); }
#endif

/// The texel of tiles that element i lies in, as four numbers of its row.
vec4 of_row(int i) {
  int columns = (n + 3) >> 2, row = i / n % m, bands = bands_of((m + 3) >> 2);
  int stride = floats / (m * n) * bands * columns;
  int place = (i / (n * m) * bands + (row >> 4)) * columns + (i % n >> 2);
  return joined(p0, p1, p2, p3, row, place, stride, (k + piece - 1) / piece) + bias_of(i);
}

void kernel(int e) {
  vec4 result = vec4(0.0);
  if (N4) {
    result = of_row(e);
  } else {
    for (int l = 0, lanes = min(4, floats - e); l < lanes; ++l) result[l] = of_row(e + l)[(e + l) % n & 3];
  }
  c = result;
}

#else

vec4 c0 = vec4(0.0), c1 = vec4(0.0), c2 = vec4(0.0), c3 = vec4(0.0);

/// Adds steps s up to `end` of one gate, whose rows of x begin at l and whose rows of w are at r.
void walk(tensor x, ivec4 l, int r, int s, int end) {
  int columns = hidden >> 2;
  for (; s < end; s += 4) {
    mat4 right = mat4(texel(w, r), texel(w, r + columns), texel(w, r + 2 * columns), texel(w, r + 3 * columns));
    vec4 a0 = texel(x, l.x), a1 = texel(x, l.y), a2 = texel(x, l.z), a3 = texel(x, l.w);
    c0 += right * a0;
    c1 += right * a1;
    c2 += right * a2;
    c3 += right * a3;
    ++l;
    r += 4 * columns;
  }
}

void kernel(int e) {
  int columns = hidden >> 2, rows = (batch + 3) >> 2, parts = hidden / piece;
  ivec3 tile = tile_of(e >> 2, rows, columns);
  int row = 4 * tile.y, column = tile.z, gate = tile.x / parts, s = tile.x % parts * piece;
  if (tile.y >= rows || gate > (FOUR_GATES ? 3 : 2)) return;
  // Rows beyond the batch repeat its last: nobody reads what comes of them.
  ivec4 l = min(row + ivec4(0, 1, 2, 3), ivec4(batch - 1)) * columns + (s >> 2);
  int r = (gate * hidden + s) * columns + column;
  if (gate == 0) walk(x0, l, r, s, s + piece);
  else if (gate == 1) walk(x1, l, r, s, s + piece);
  else if (gate == 2) walk(x2, l, r, s, s + piece);
  else walk(x3, l, r, s, s + piece);
  p0 = c0;
  p1 = c1;
  p2 = c2;
  p3 = c3;
}

#endif

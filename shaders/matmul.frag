// c[pieces, batch, m, n]: each fragment makes four outputs from `piece` steps of the inner axis, four steps at a time. The
// device cuts a long inner axis of a small product into pieces and sums those in a second draw. Where the four outputs
// lie in one row they share the fetches of A; else (n = 1, or the row's end) each lane works for itself. K4 and N4: these
// sizes are multiples of 4, and their rows begin with a texel.

int a_start = 0, b_start = 0;  // of the matrices of one product

/// Finds the matrices of a product, counted over all pieces, and returns its piece.
int find(int product) {
  if (!BATCHED) return product;
  int i3 = product % d3;
  product /= d3;
  int i2 = product % d2;
  product /= d2;
  int i1 = product % d1;
  product /= d1;
  int i0 = product % d0;
  a_start = i0 * a0 + i1 * a1 + i2 * a2 + i3 * a3;
  b_start = i0 * b0 + i1 * b1 + i2 * b2 + i3 * b3;
  return product / d0;
}

#ifdef STAGE_matmul_tile

/// Four texels of A, as four rows of four steps; of B, as four steps of four columns.
mat4 left_tile(ivec4 at) {
  mat4 l = mat4(texel(a, at.x), texel(a, at.y), texel(a, at.z), texel(a, at.w));
  return TRANS_A ? transpose(l) : l;
}
mat4 right_tile(ivec4 at) {
  mat4 r = mat4(texel(b, at.x), texel(b, at.y), texel(b, at.z), texel(b, at.w));
  return TRANS_B ? transpose(r) : r;
}

/// Rows and columns beyond the matrix repeat its last: nobody reads what comes of them.
void kernel(int e) {
  int rows = (m + 3) >> 2;
  ivec3 tile = tile_of(e >> 2, rows, (n + 3) >> 2);
  int row = tile.y, column = tile.z, s = find(tile.x) * piece, end = min(s + piece, k);
  if (row >= rows || s >= k) return;
  int a_apart = (TRANS_A ? m : k) >> 2, b_apart = (TRANS_B ? k : n) >> 2;
  ivec4 four = ivec4(0, 1, 2, 3), l = ivec4(a_start >> 2), r = ivec4(b_start >> 2);
  l += TRANS_A ? (s + four) * a_apart + row : min(4 * row + four, ivec4(m - 1)) * a_apart + (s >> 2);
  r += TRANS_B ? min(4 * column + four, ivec4(n - 1)) * b_apart + (s >> 2) : (s + four) * b_apart + column;
  int l_step = TRANS_A ? 4 * a_apart : 1, r_step = TRANS_B ? 1 : 4 * b_apart;
  vec4 c0 = vec4(0.0), c1 = vec4(0.0), c2 = vec4(0.0), c3 = vec4(0.0);
  for (; s < end; s += 4) {  // pieces are whole steps of four
    mat4 left = left_tile(l), right = right_tile(r);
    c0 += right * left[0];
    c1 += right * left[1];
    c2 += right * left[2];
    c3 += right * left[3];
    l += l_step;
    r += r_step;
  }
  p0 = c0;
  p1 = c1;
  p2 = c2;
  p3 = c3;
}

#else

/// A[row, s .. s + 3], 0 from step `end` on.
vec4 left4(int row, int s, int end) {
  if (TRANS_A) {
    vec4 v = gather(a, a_start + s * m + row, m);
    return K4 ? v : first_lanes(v, end - s);
  }
  return K4 ? texel(a, (a_start + row * k + s) >> 2) : first_lanes(load4(a, a_start + row * k + s), end - s);
}

float lane(int i) {
  int column = i % n, row = (i / n) % m, s = find(i / (n * m)) * piece, end = min(s + piece, k);
  vec4 sum = vec4(0.0);
  for (; s < end; s += 4) {
    vec4 right = TRANS_B ? load4(b, b_start + column * k + s) : gather(b, b_start + s * n + column, n);
    sum += left4(row, s, end) * first_lanes(right, end - s);
  }
  return total(sum);
}

/// Four outputs of one row, where the rows of B begin with a texel.
vec4 aligned4(int row, int column, int s, int end) {
  vec4 result = vec4(0.0);
  int stride = (TRANS_B ? k : n) >> 2;
  for (; s < end; s += 4) {  // whole texels, since k is a multiple of 4
    vec4 l = left4(row, s, end);
    int t = (b_start + (TRANS_B ? column * k + s : s * n + column)) >> 2;
    vec4 r0 = texel(b, t), r1 = texel(b, t + stride), r2 = texel(b, t + 2 * stride), r3 = texel(b, t + 3 * stride);
    result += TRANS_B ? vec4(dot(l, r0), dot(l, r1), dot(l, r2), dot(l, r3)) : l.x * r0 + l.y * r1 + l.z * r2 + l.w * r3;
  }
  return result;
}

/// Four outputs of one row, of any alignment.
vec4 row4(int row, int column, int s, int end) {
  vec4 result = vec4(0.0);
  for (; s < end; s += 4) {
    vec4 l = left4(row, s, end);
    for (int r = 0, rows = TRANS_B ? 4 : min(4, end - s); r < rows; ++r) {
      if (TRANS_B) {
        result[r] += dot(l, first_lanes(load4(b, b_start + (column + r) * k + s), end - s));
      } else {
        result += l[r] * load4(b, b_start + (s + r) * n + column);
      }
    }
  }
  return result;
}

void kernel(int e) {
  int column = e % n, row = (e / n) % m, s = find(e / (n * m)) * piece, end = min(s + piece, k);
  if (N4 || column + 3 < n) {
    if (K4 && (TRANS_B || N4)) {
      c = aligned4(row, column, s, end);
    } else {
      c = row4(row, column, s, end);
    }
    return;
  }
  vec4 result = vec4(0.0);
  for (int l = 0, lanes = min(4, floats - e); l < lanes; ++l) result[l] = lane(e + l);
  c = result;
}
#endif

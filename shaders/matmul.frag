// c[pieces, m, n]: each fragment makes four outputs from `piece` steps of the inner axis, four steps at a time. The
// device cuts a long inner axis of a small product into pieces and sums those in a second draw. Where the four outputs
// lie in one row they share the fetches of A; else (n = 1, or the row's end) each lane works for itself.

/// A[row, s .. s + 3], 0 from step `end` on.
vec4 left4(int row, int s, int end) {
  vec4 v = trans_a == 1 ? gather(a, s * m + row, m) : load4(a, row * k + s);
  return first_lanes(v, end - s);
}

float lane(int i) {
  int column = i % n, row = (i / n) % m, s = (i / (n * m)) * piece, end = min(s + piece, k);
  vec4 sum = vec4(0.0);
  for (; s < end; s += 4) {
    vec4 right = trans_b == 1 ? load4(b, column * k + s) : gather(b, s * n + column, n);
    sum += left4(row, s, end) * first_lanes(right, end - s);
  }
  return total(sum);
}

/// Four outputs of one row.
vec4 row4(int row, int column, int s, int end) {
  vec4 result = vec4(0.0);
  bool aligned = trans_b == 1 ? (k & 3) == 0 : (n & 3) == 0 && (end - s & 3) == 0;
  for (; s < end; s += 4) {
    vec4 l = left4(row, s, end);
    if (aligned) {
      int t = (trans_b == 1 ? column * k + s : s * n + column) >> 2, stride = (trans_b == 1 ? k : n) >> 2;
      vec4 r0 = texel(b, t), r1 = texel(b, t + stride), r2 = texel(b, t + 2 * stride), r3 = texel(b, t + 3 * stride);
      if (trans_b == 1) {
        result += vec4(dot(l, r0), dot(l, r1), dot(l, r2), dot(l, r3));
      } else {
        result += l.x * r0 + l.y * r1 + l.z * r2 + l.w * r3;
      }
    } else {
      for (int r = 0, rows = trans_b == 1 ? 4 : min(4, end - s); r < rows; ++r) {
        vec4 right = load4(b, trans_b == 1 ? (column + r) * k + s : (s + r) * n + column);
        if (trans_b == 1) {
          result[r] += dot(l, first_lanes(right, end - s));
        } else {
          result += l[r] * right;
        }
      }
    }
  }
  return result;
}

void kernel(int e) {
  int column = e % n, row = (e / n) % m, s = (e / (n * m)) * piece;
  if (column + 3 < n) {
    c = row4(row, column, s, min(s + piece, k));
    return;
  }
  vec4 result = vec4(0.0);
  for (int l = 0, lanes = min(4, floats - e); l < lanes; ++l) result[l] = lane(e + l);
  c = result;
}

// c[pieces, m, n]: each fragment makes four outputs from `piece` steps of the inner axis, four steps at a time. The
// device cuts a long inner axis of a small product into pieces and sums those in a second draw. Where the four outputs
// lie in one row they share the fetches of A; else (n = 1, or the row's end) each lane works for itself.

/// A[row, s .. s + 3], 0 from step `end` on.
vec4 left4(int row, int s, int end) {
  vec4 v = trans_a == 1 ? gather(a, s * m + row, m) : load4(a, row * k + s);
  return s + 4 <= end ? v : first_lanes(v, end - s);
}

/// B[s .. s + 3, column], 0 from step `end` on.
vec4 right4(int s, int column, int end) {
  vec4 v = trans_b == 1 ? load4(b, column * k + s) : gather(b, s * n + column, n);
  return s + 4 <= end ? v : first_lanes(v, end - s);
}

float lane(int i) {
  i = min(i, floats - 1);
  int column = i % n, row = (i / n) % m, s = (i / (n * m)) * piece, end = min(s + piece, k);
  vec4 sum = vec4(0.0);
  for (; s < end; s += 4) sum += left4(row, s, end) * right4(s, column, end);
  return total(sum);
}

void kernel(int e) {
  int column = e % n, row = (e / n) % m, s = (e / (n * m)) * piece, end = min(s + piece, k);
  if (column + 3 >= n) {
    c = vec4(lane(e), lane(e + 1), lane(e + 2), lane(e + 3));
    return;
  }
  c = vec4(0.0);
  if (trans_b == 1) {
    vec4 c0 = vec4(0.0), c1 = vec4(0.0), c2 = vec4(0.0), c3 = vec4(0.0);
    for (; s < end; s += 4) {
      vec4 l = left4(row, s, end);
      c0 += l * right4(s, column, end);
      c1 += l * right4(s, column + 1, end);
      c2 += l * right4(s, column + 2, end);
      c3 += l * right4(s, column + 3, end);
    }
    c = vec4(total(c0), total(c1), total(c2), total(c3));
    return;
  }
  for (; s + 4 <= end; s += 4) {
    vec4 l = left4(row, s, end);
    c += l.x * load4(b, s * n + column) + l.y * load4(b, (s + 1) * n + column) +
         l.z * load4(b, (s + 2) * n + column) + l.w * load4(b, (s + 3) * n + column);
  }
  for (; s < end; ++s) c += at(a, trans_a == 1 ? s * m + row : row * k + s) * load4(b, s * n + column);
}

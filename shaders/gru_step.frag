// One fragment makes four hidden units of one sequence, as lstm_step does. The product of the third gate is kept apart
// (q), since r multiplies it.

vec4 r4 = vec4(0.0), u4 = vec4(0.0), n4 = vec4(0.0), q4 = vec4(0.0);

#ifdef STAGE_gru_cell

/// Of one gate, the products of four units from `column` on.
vec4 product_of(int row, int column) {
  int width = 3 * hidden >> 2, stride = bands_of((batch + 3) >> 2) * width;
  return joined(p0, p1, p2, p3, row, (row >> 4) * width + column, stride, (hidden + piece - 1) / piece);
}

void sum_gates(int e) {
  int row = e / hidden, column = (e % hidden) >> 2, quarter = hidden >> 2;
  int projected = (row * steps + t) * 3 * quarter + column;
  r4 = texel(z, projected) + texel(b, column) + product_of(row, column);
  u4 = texel(z, projected + quarter) + texel(b, column + quarter) + product_of(row, column + quarter);
  n4 = texel(z, projected + 2 * quarter);
  q4 = texel(b, column + 2 * quarter) + product_of(row, column + 2 * quarter);
}

#else

/// The products w . h of the gates r, u, n of one unit.
vec3 products_of(int row, int unit) {
  vec4 r4 = vec4(0.0), u4 = vec4(0.0), q4 = vec4(0.0);
  for (int s = 0; s < hidden; s += 4) {
    int count = hidden - s, weight = unit * hidden + s, stride = hidden * hidden;
    vec4 h4 = first_lanes(load4(h, row * hidden + s), count);
    r4 += h4 * first_lanes(load4(w, weight), count);
    u4 += h4 * first_lanes(load4(w, weight + stride), count);
    q4 += h4 * first_lanes(load4(w, weight + 2 * stride), count);
  }
  return vec3(total(r4), total(u4), total(q4));
}

/// Four units of one gate from four values of h: the products of four rows of w.
vec4 products(vec4 h4, int weight) {
  int stride = hidden >> 2;
  return vec4(dot(texel(w, weight), h4), dot(texel(w, weight + stride), h4), dot(texel(w, weight + 2 * stride), h4),
              dot(texel(w, weight + 3 * stride), h4));
}

void sum_gates(int e) {
  if (HIDDEN4) {
    int row = e / hidden, unit = e % hidden, quarter = hidden >> 2, gates = hidden * quarter, column = unit >> 2;
    int projected = (row * steps + t) * 3 * quarter + column;
    r4 = texel(z, projected) + texel(b, column);
    u4 = texel(z, projected + quarter) + texel(b, column + quarter);
    n4 = texel(z, projected + 2 * quarter);
    q4 = texel(b, column + 2 * quarter);
    for (int s = 0; s < quarter; ++s) {
      vec4 h4 = texel(h, row * quarter + s);
      int weight = unit * quarter + s;
      r4 += products(h4, weight);
      u4 += products(h4, weight + gates);
      q4 += products(h4, weight + 2 * gates);
    }
  } else {
    for (int l = 0, lanes = min(4, floats - e); l < lanes; ++l) {
      int row = (e + l) / hidden, unit = (e + l) % hidden, projected = (row * steps + t) * 3 * hidden + unit;
      vec3 sums = products_of(row, unit);
      r4[l] = at(z, projected) + at(b, unit) + sums.x;
      u4[l] = at(z, projected + hidden) + at(b, hidden + unit) + sums.y;
      n4[l] = at(z, projected + 2 * hidden);
      q4[l] = at(b, 2 * hidden + unit) + sums.z;
    }
  }
}

#endif

void kernel(int e) {
  sum_gates(e);
  r = sigmoid(r4);
  u = sigmoid(u4);
  q = q4;
  n = exact_tanh(n4 + r * q4);
  h_next = (1.0 - u) * n + u * own(h);
}

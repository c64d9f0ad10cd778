// One fragment makes four hidden units of one sequence. Where hidden is a multiple of 4 they share the fetches of h: 17
// fetches for 64 products. Else each lane works for itself, its four gates sharing them.

vec4 i4 = vec4(0.0), f4 = vec4(0.0), g4 = vec4(0.0), o4 = vec4(0.0);

#ifdef STAGE_lstm_cell

/// Of one gate, four units from `column` on.
vec4 gate_of(int row, int column) {
  int stride = bands_of((batch + 3) >> 2) * hidden;
  return texel(z, (row * steps + t) * hidden + column) +
         joined(p0, p1, p2, p3, row, (row >> 4) * hidden + column, stride, (hidden + piece - 1) / piece);
}

void sum_gates(int e) {
  int row = e / hidden, column = (e % hidden) >> 2, quarter = hidden >> 2;
  i4 = gate_of(row, column);
  f4 = gate_of(row, column + quarter);
  g4 = gate_of(row, column + 2 * quarter);
  o4 = gate_of(row, column + 3 * quarter);
}

#else

/// The gates i, f, g, o of one unit before their nonlinearity: z + w . h.
vec4 gates_of(int row, int unit) {
  vec4 i4 = vec4(0.0), f4 = vec4(0.0), g4 = vec4(0.0), o4 = vec4(0.0);
  for (int s = 0; s < hidden; s += 4) {
    int count = hidden - s, weight = unit * hidden + s, stride = hidden * hidden;
    vec4 h4 = first_lanes(load4(h, row * hidden + s), count);
    i4 += h4 * first_lanes(load4(w, weight), count);
    f4 += h4 * first_lanes(load4(w, weight + stride), count);
    g4 += h4 * first_lanes(load4(w, weight + 2 * stride), count);
    o4 += h4 * first_lanes(load4(w, weight + 3 * stride), count);
  }
  return gather(z, (row * steps + t) * 4 * hidden + unit, hidden) + vec4(total(i4), total(f4), total(g4), total(o4));
}

/// Four units of one gate from four values of h: the products of four rows of w.
vec4 products(vec4 h4, int weight) {
  int stride = hidden >> 2;
  return vec4(dot(texel(w, weight), h4), dot(texel(w, weight + stride), h4), dot(texel(w, weight + 2 * stride), h4),
              dot(texel(w, weight + 3 * stride), h4));
}

void sum_gates(int e) {
  if (HIDDEN4) {
    int row = e / hidden, unit = e % hidden, quarter = hidden >> 2, gates = hidden * quarter;
    int projected = (row * steps + t) * hidden + (unit >> 2);
    i4 = texel(z, projected);
    f4 = texel(z, projected + quarter);
    g4 = texel(z, projected + 2 * quarter);
    o4 = texel(z, projected + 3 * quarter);
    for (int s = 0; s < quarter; ++s) {
      vec4 h4 = texel(h, row * quarter + s);
      int weight = unit * quarter + s;
      i4 += products(h4, weight);
      f4 += products(h4, weight + gates);
      g4 += products(h4, weight + 2 * gates);
      o4 += products(h4, weight + 3 * gates);
    }
  } else {
    for (int l = 0, lanes = min(4, floats - e); l < lanes; ++l) {
      vec4 one = gates_of((e + l) / hidden, (e + l) % hidden);
      i4[l] = one.x;
      f4[l] = one.y;
      g4[l] = one.z;
      o4[l] = one.w;
    }
  }
}

#endif

void kernel(int e) {
  sum_gates(e);
  i = sigmoid(i4);
  f = sigmoid(f4);
  g = exact_tanh(g4);
  o = sigmoid(o4);
  c_next = f * own(c) + i * g;
  h_next = o * exact_tanh(c_next);
}

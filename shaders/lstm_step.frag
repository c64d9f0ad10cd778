// One fragment makes four hidden units of one sequence. Where hidden is a multiple of 4 they share the fetches of h: 17
// fetches for 64 products. Else each lane works for itself.

/// z + w . h of one gate (0 .. 3: i, f, g, o) for one unit.
float gate(int number, int row, int unit) {
  vec4 sum = vec4(0.0);
  for (int s = 0; s < hidden; s += 4) {
    int count = hidden - s;
    sum += first_lanes(load4(h, row * hidden + s), count) *
           first_lanes(load4(w, (number * hidden + unit) * hidden + s), count);
  }
  return at(z, (row * steps + t) * 4 * hidden + number * hidden + unit) + total(sum);
}

vec4 lanes(int number, int e) {
  ivec4 index = min(e + ivec4(0, 1, 2, 3), ivec4(floats - 1)), row = index / hidden, unit = index % hidden;
  return vec4(gate(number, row.x, unit.x), gate(number, row.y, unit.y), gate(number, row.z, unit.z),
              gate(number, row.w, unit.w));
}

/// Four units of one gate from four values of h: the products of four rows of w.
vec4 products(vec4 h4, int weight) {
  int stride = hidden >> 2;
  return vec4(dot(texel(w, weight), h4), dot(texel(w, weight + stride), h4), dot(texel(w, weight + 2 * stride), h4),
              dot(texel(w, weight + 3 * stride), h4));
}

void kernel(int e) {
  if (hidden % 4 == 0) {
    int row = e / hidden, unit = e % hidden, quarter = hidden >> 2, gates = hidden * quarter;
    int projected = (row * steps + t) * hidden + (unit >> 2);
    i = texel(z, projected);
    f = texel(z, projected + quarter);
    g = texel(z, projected + 2 * quarter);
    o = texel(z, projected + 3 * quarter);
    for (int s = 0; s < quarter; ++s) {
      vec4 h4 = texel(h, row * quarter + s);
      int weight = unit * quarter + s;
      i += products(h4, weight);
      f += products(h4, weight + gates);
      g += products(h4, weight + 2 * gates);
      o += products(h4, weight + 3 * gates);
    }
  } else {
    i = lanes(0, e);
    f = lanes(1, e);
    g = lanes(2, e);
    o = lanes(3, e);
  }
  i = sigmoid(i);
  f = sigmoid(f);
  g = exact_tanh(g);
  o = sigmoid(o);
  c_next = f * own(c) + i * g;
  h_next = o * exact_tanh(c_next);
}

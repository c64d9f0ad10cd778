// dh = dy[t] + wT . (gate gradients of the step after), then the chain rule through the cell; with T = tanh(c):
//   do = dh T o (1 - o), dct = dc + dh o (1 - T^2), di = dct g i (1 - i), df = dct c_prev f (1 - f),
//   dg = dct i (1 - g^2), dc_prev = dct f.

#ifdef STAGE_lstm_cell_backward

vec4 gradient_of_h(int e) {
  int row = e / hidden, column = (e % hidden) >> 2, quarter = hidden >> 2, bands = bands_of((batch + 3) >> 2);
  return texel(dy, (row * steps + t) * quarter + column) +
         joined(p0, p1, p2, p3, row, (row >> 4) * quarter + column, bands * quarter, 4 * (hidden / piece));
}

#else

/// The sum over the units of the step after, for one unit.
float back(int row, int unit) {
  vec4 sum = vec4(0.0);
  for (int s = 0; s < hidden; ++s) {
    int next = row * hidden + s;
    sum += vec4(at(di_next, next) * at(w, s * hidden + unit), at(df_next, next) * at(w, (hidden + s) * hidden + unit),
                at(dg_next, next) * at(w, (2 * hidden + s) * hidden + unit),
                at(do_next, next) * at(w, (3 * hidden + s) * hidden + unit));
  }
  return at(dy, (row * steps + t) * hidden + unit) + total(sum);
}

/// Four units' share of one gate: four rows of w, each times one gradient.
vec4 products(vec4 next, int weight) {
  int stride = hidden >> 2;
  return next.x * texel(w, weight) + next.y * texel(w, weight + stride) + next.z * texel(w, weight + 2 * stride) +
         next.w * texel(w, weight + 3 * stride);
}

vec4 gradient_of_h(int e) {
  vec4 dh = vec4(0.0);
  if (HIDDEN4) {
    int row = e / hidden, quarter = hidden >> 2, column = (e % hidden) >> 2, gates = hidden * quarter;
    dh = texel(dy, (row * steps + t) * quarter + column);
    for (int s = 0; s < quarter; ++s) {
      int next = row * quarter + s, weight = 4 * s * quarter + column;
      dh += products(texel(di_next, next), weight);
      dh += products(texel(df_next, next), weight + gates);
      dh += products(texel(dg_next, next), weight + 2 * gates);
      dh += products(texel(do_next, next), weight + 3 * gates);
    }
  } else {
    for (int l = 0, lanes = min(4, floats - e); l < lanes; ++l) dh[l] = back((e + l) / hidden, (e + l) % hidden);
  }
  return dh;
}

#endif

void kernel(int e) {
  vec4 dh = gradient_of_h(e);
  vec4 i4 = own(i), f4 = own(f), g4 = own(g), o4 = own(o), squashed = exact_tanh(own(c));
  vec4 dct = own(dc) + dh * o4 * (1.0 - squashed * squashed);
  di = dct * g4 * i4 * (1.0 - i4);
  df = dct * own(c_prev) * f4 * (1.0 - f4);
  dg = dct * i4 * (1.0 - g4 * g4);
  do_ = dh * squashed * o4 * (1.0 - o4);
  dc_prev = dct * f4;
}

// D = dy[t] + dh + wT . (gate gradients of the step after), then the chain rule:
//   dn = D (1 - u) (1 - n^2), du = D (h_prev - n) u (1 - u), dq = dn r, dr = dn q r (1 - r), dh_prev = D u.

#ifdef STAGE_gru_cell_backward

vec4 gradient_of_h(int e) {
  int row = e / hidden, column = (e % hidden) >> 2, quarter = hidden >> 2, bands = bands_of((batch + 3) >> 2);
  return texel(dy, (row * steps + t) * quarter + column) +
         joined(p0, p1, p2, p3, row, (row >> 4) * quarter + column, bands * quarter, 3 * (hidden / piece));
}

#else

/// The sum over the units of the step after, for one unit.
float back(int row, int unit) {
  vec4 sum = vec4(0.0);
  for (int s = 0; s < hidden; ++s) {
    int next = row * hidden + s;
    sum.xyz += vec3(at(dr_next, next) * at(w, s * hidden + unit),
                    at(du_next, next) * at(w, (hidden + s) * hidden + unit),
                    at(dq_next, next) * at(w, (2 * hidden + s) * hidden + unit));
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
  vec4 d = vec4(0.0);
  if (HIDDEN4) {
    int row = e / hidden, quarter = hidden >> 2, column = (e % hidden) >> 2, gates = hidden * quarter;
    d = texel(dy, (row * steps + t) * quarter + column);
    for (int s = 0; s < quarter; ++s) {
      int next = row * quarter + s, weight = 4 * s * quarter + column;
      d += products(texel(dr_next, next), weight);
      d += products(texel(du_next, next), weight + gates);
      d += products(texel(dq_next, next), weight + 2 * gates);
    }
  } else {
    for (int l = 0, lanes = min(4, floats - e); l < lanes; ++l) d[l] = back((e + l) / hidden, (e + l) % hidden);
  }
  return d;
}

#endif

void kernel(int e) {
  vec4 d = gradient_of_h(e) + own(dh);
  vec4 r4 = own(r), u4 = own(u), n4 = own(n);
  dn = d * (1.0 - u4) * (1.0 - n4 * n4);
  du = d * (own(h_prev) - n4) * u4 * (1.0 - u4);
  dq = dn * r4;
  dr = dn * own(q) * r4 * (1.0 - r4);
  dh_prev = d * u4;
}

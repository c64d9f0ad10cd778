// The fragments share a gradient's texels among them like cards, each keeping a sum a lane.
vec4 squares(tensor x, int n, int e) {
  vec4 sum = vec4(0.0);
  for (int i = e; i < n; i += floats) {
    vec4 v = first_lanes(texel(x, i >> 2), n - i);
    sum += v * v;
  }
  return sum;
}

void kernel(int e) {
  y = first == 1 ? vec4(0.0) : own(carry);
  y += squares(x0, n0, e) + squares(x1, n1, e) + squares(x2, n2, e) + squares(x3, n3, e);
  y += squares(x4, n4, e) + squares(x5, n5, e) + squares(x6, n6, e) + squares(x7, n7, e);
}

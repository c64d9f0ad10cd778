// Each run of lanes on one innermost row is read at once.
void kernel(int e) {
  vec4 grad = own(dc), left = vec4(0.0), right = vec4(0.0);
  if (SAME) {
    left = own(a);
    right = own(b);
  } else {
    for (int lane = 0, lanes = min(4, floats - e); lane < lanes;) {
      Place place = place_of(e + lane, ivec3(d0, d1, d2), ivec3(d3, d4, d5));
      left = put(left, gather(a, offset_of(place, ivec3(a0, a1, a2), ivec3(a3, a4, a5)), a5), lane);
      right = put(right, gather(b, offset_of(place, ivec3(b0, b1, b2), ivec3(b3, b4, b5)), b5), lane);
      lane += d5 - place.right.z;
    }
  }
  da = backward_a(grad, left, right, p);
  db = backward_b(grad, left, right, p);
}

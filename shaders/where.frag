// Each run of lanes on one innermost row is chosen at once.
void kernel(int e) {
  if (same != 0) {
    y = choose(own(condition), own(a), own(b));
    return;
  }
  vec4 result = vec4(0.0);
  for (int lane = 0, lanes = min(4, floats - e); lane < lanes;) {
    Place place = place_of(e + lane, ivec3(d0, d1, d2), ivec3(d3, d4, d5));
    vec4 which = gather(condition, offset_of(place, ivec3(c0, c1, c2), ivec3(c3, c4, c5)), c5);
    vec4 left = gather(a, offset_of(place, ivec3(a0, a1, a2), ivec3(a3, a4, a5)), a5);
    vec4 right = gather(b, offset_of(place, ivec3(b0, b1, b2), ivec3(b3, b4, b5)), b5);
    result = put(result, choose(which, left, right), lane);
    lane += d5 - place.right.z;
  }
  y = result;
}

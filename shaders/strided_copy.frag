// Each run of lanes on one innermost row is read at once.
void kernel(int e) {
  vec4 result = vec4(0.0);
  for (int lane = 0, lanes = min(4, floats - e); lane < lanes;) {
    Place place = place_of(e + lane, ivec3(d0, d1, d2), ivec3(d3, d4, d5));
    vec4 v = gather(x, offset + offset_of(place, ivec3(s0, s1, s2), ivec3(s3, s4, s5)), s5);
    result = put(result, v, lane);
    lane += d5 - place.right.z;
  }
  y = scale * result;
}

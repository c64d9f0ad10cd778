// Four lanes on one innermost row need one decoding of the index; lanes that straddle rows need one each.
float lane(int i) {
  Place place = place_of(min(i, floats - 1), ivec3(d0, d1, d2), ivec3(d3, d4, d5));
  return at(x, offset + offset_of(place, ivec3(s0, s1, s2), ivec3(s3, s4, s5)));
}

void kernel(int e) {
  Place place = place_of(e, ivec3(d0, d1, d2), ivec3(d3, d4, d5));
  if (place.right.z + 3 < d5) {
    y = scale * gather(x, offset + offset_of(place, ivec3(s0, s1, s2), ivec3(s3, s4, s5)), s5);
  } else {
    y = scale * vec4(lane(e), lane(e + 1), lane(e + 2), lane(e + 3));
  }
}

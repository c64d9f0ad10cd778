// Four lanes on one innermost row need one decoding of the index; lanes that straddle rows need one each.
float lane(int i) {
  Place place = place_of(min(i, floats - 1), ivec3(d0, d1, d2), ivec3(d3, d4, d5));
  float left = at(a, offset_of(place, ivec3(a0, a1, a2), ivec3(a3, a4, a5)));
  float right = at(b, offset_of(place, ivec3(b0, b1, b2), ivec3(b3, b4, b5)));
  return forward(vec4(left), vec4(right), p).x;
}

void kernel(int e) {
  if (same == 1) {
    c = forward(own(a), own(b), p);
    return;
  }
  Place place = place_of(e, ivec3(d0, d1, d2), ivec3(d3, d4, d5));
  if (place.right.z + 3 < d5) {
    vec4 left = gather(a, offset_of(place, ivec3(a0, a1, a2), ivec3(a3, a4, a5)), a5);
    vec4 right = gather(b, offset_of(place, ivec3(b0, b1, b2), ivec3(b3, b4, b5)), b5);
    c = forward(left, right, p);
  } else {
    c = vec4(lane(e), lane(e + 1), lane(e + 2), lane(e + 3));
  }
}

// As binary: one decoding of the index for four lanes on one innermost row, else one a lane.
vec2 lane(int i) {
  Place place = place_of(min(i, floats - 1), ivec3(d0, d1, d2), ivec3(d3, d4, d5));
  return vec2(at(a, offset_of(place, ivec3(a0, a1, a2), ivec3(a3, a4, a5))),
              at(b, offset_of(place, ivec3(b0, b1, b2), ivec3(b3, b4, b5))));
}

void kernel(int e) {
  vec4 left, right, grad = own(dc);
  if (same == 1) {
    left = own(a);
    right = own(b);
  } else {
    Place place = place_of(e, ivec3(d0, d1, d2), ivec3(d3, d4, d5));
    if (place.right.z + 3 < d5) {
      left = gather(a, offset_of(place, ivec3(a0, a1, a2), ivec3(a3, a4, a5)), a5);
      right = gather(b, offset_of(place, ivec3(b0, b1, b2), ivec3(b3, b4, b5)), b5);
    } else {
      vec2 l0 = lane(e), l1 = lane(e + 1), l2 = lane(e + 2), l3 = lane(e + 3);
      left = vec4(l0.x, l1.x, l2.x, l3.x);
      right = vec4(l0.y, l1.y, l2.y, l3.y);
    }
  }
  da = backward_a(grad, left, right, p);
  db = backward_b(grad, left, right, p);
}

// NaN and infinity are told by their bits.
bool is_finite(float x) { return (floatBitsToUint(x) & 0x7f800000u) != 0x7f800000u; }

void kernel(int e) {
  vec4 sum = vec4(0.0);
  for (int i = 0; i < count; i += 4) sum += first_lanes(texel(squares, i >> 2), count - i);
  float norm2 = total(sum) * scale * scale;
  squared_norm = vec4(norm2);
  applied_next = vec4(at(applied, 0) != 0.0 && is_finite(at(loss, 0)) && is_finite(norm2) ? 1.0 : 0.0);
}

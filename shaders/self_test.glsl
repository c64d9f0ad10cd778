// What a GPU must do right before a model trains on it: a function for each row of shader_probes() in
// wasm/webgl/probes.cpp, from the four numbers of its cell to the four that are compared. Inputs beside x: `wide`, a
// texture of 256 x 16 texels, and `deep`, one of four layers of 8 x 8; in both, float i is i.

vec4 mantissa(vec4 v) { return vec4(v.x + v.y, (v.x + v.y) - v.x, v.z * v.w, v.z * v.w - 1.0); }

vec4 tiny(vec4 v) { return vec4(v.x, v.x + v.x, v.y * v.y, v.z * v.w); }

vec4 integers(vec4 v) { return vec4(v.x, v.x - v.y, v.z + v.w, float(int(v.x) + int(v.y) - int(v.z))); }

vec4 nonfinite(vec4 v) { return vec4(v.x + v.w, v.y * v.w, v.z - v.w, v.w / v.x); }

vec4 nan_bits(vec4 v) { return nan_max(v, 1.0) + 2.0 * vec4(is_nan(v.yzwx)); }

vec4 exponential(vec4 v) { return exact_exp(v); }

vec4 logarithm(vec4 v) { return exact_log(v); }

vec4 hyperbolic_tangent(vec4 v) { return exact_tanh(v); }

vec4 quotient(vec4 v) { return vec4(v.x / v.y, v.y / v.x, sqrt(v.x), 1.0 / sqrt(v.y)); }

vec4 texel_fetch(vec4 v) { return texelFetch(wide, ivec3(ivec2(v.xy), 0), 0); }

vec4 layers(vec4 v) { return load4(deep, int(v.x)) + vec4(0.0, 0.0, 0.0, at(deep, int(v.y))); }

vec4 render_target(vec4 v) { return v; }

/// The sums of the four lanes of `wide`, compensated as in sum.frag: a compiler that reorders sums undoes it.
vec4 long_sum(vec4 v) {
  vec4 running = vec4(0.0), lost = vec4(0.0);
  for (int t = 0; t < int(v.x); ++t) {
    vec4 corrected = texelFetch(wide, ivec3(t & 255, t >> 8, 0), 0) - lost;
    vec4 next = opaque(running + corrected);
    lost = (next - running) - corrected;
    running = next;
  }
  return running;
}

/// Four elements of one row of A . B or of A . transposed B, from a texel on. A[8, v.w] are the first floats of `deep`,
/// B[v.w, v.w] those from 128 on.
vec4 matrix_product(vec4 v) {
  int row = int(v.x), column = int(v.y), inner = int(v.w);
  vec4 result = vec4(0.0);
  for (int s = 0; s < inner; s += 4) {
    vec4 l = texel(deep, (row * inner + s) >> 2);
    int b = 32 + ((v.z == 0.0 ? s * inner + column : column * inner + s) >> 2), stride = inner >> 2;
    vec4 r0 = texel(deep, b), r1 = texel(deep, b + stride), r2 = texel(deep, b + 2 * stride);
    vec4 r3 = texel(deep, b + 3 * stride);
    result += v.z == 0.0 ? l.x * r0 + l.y * r1 + l.z * r2 + l.w * r3
                         : vec4(dot(l, r0), dot(l, r1), dot(l, r2), dot(l, r3));
  }
  return result;
}

/// A word as two exact floats.
vec2 halves(uint word) { return vec2(word >> 16, word & 0xffffu); }
vec4 halves(uint a, uint b) { return vec4(halves(a), halves(b)); }

vec4 parameter_block(vec4 v) {
  if (v.x == 0.0) return halves(uint(i0), uint(i1));
  if (v.x == 1.0) return halves(uint(i2), uint(i3));
  return vec4(f0, f1, f2, f3);
}

vec4 integer_division(vec4 v) {
  ivec2 whole = ivec2(v.xz) * 65536 + ivec2(v.yw);
  return halves(uint(whole.x / whole.y), uint(whole.x % whole.y));
}

vec4 random_words(vec4 v) {
  uvec2 numbers = uvec2(v.xz) * 65536u + uvec2(v.yw);
  uvec4 words = philox(uvec4(numbers.x, 1u, 0xfffffffeu, 0u), uvec2(numbers.y, 0x9abcdef0u));
  return vec4(words >> 8);
}

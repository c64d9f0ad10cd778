// The rarer functions that ops/pointwise.def may use; wasm/cpu/special.h is their twin and says how they work. A program
// holds this file only where its row names one of them.

/// e^x - 1 without loss where x is small.
vec4 expm1(vec4 x) { return mix(exact_exp(x) - 1.0, exp_part(x), lessThan(abs(x), vec4(0.34657359))); }

vec4 upper_bits(vec4 x) { return intBitsToFloat(floatBitsToInt(x) & ~0xfff); }

vec4 pow_part(vec4 a, vec4 b) {
  Parts parts = parts_of(a);
  vec4 logarithm = exact_log(a), plain = b * logarithm, high = upper_bits(logarithm), b_high = upper_bits(b);
  vec4 low = ((parts.e * 0.693359375 - high) + parts.m) + log_tail(parts.m, parts.e);
  vec4 rest = b_high * low + (b - b_high) * logarithm;
  vec4 exact = exact_exp(b_high * high) * (1.0 + exp_part(rest));
  return mix(exact_exp(plain), exact, lessThan(abs(plain), vec4(90.0)));
}

vec4 exact_pow(vec4 a, vec4 b) {
  vec4 size = abs(a), one = vec4(1.0), whole = vec4(equal(floor(b), b)), half_b = b * 0.5;
  vec4 odd = whole * vec4(notEqual(floor(half_b), half_b));
  vec4 y = pow_part(size, b);
  y = mix(y, one, equal(size, one));
  y = mix(y, one, equal(b, vec4(0.0)));
  y = mix(y, -y, notEqual(odd * vec4(lessThan(floatBitsToInt(a), ivec4(0))), vec4(0.0)));
  vec4 finite = vec4(lessThan(size, uintBitsToFloat(uvec4(0x7f800000u))));
  vec4 wrong = vec4(lessThan(a, vec4(0.0))) * (one - whole) * finite;
  return mix(y, uintBitsToFloat(uvec4(0x7fc00000u)), notEqual(wrong, vec4(0.0)));
}

struct Turn {
  vec4 rest;
  ivec4 quarters;
};

Turn reduce_large(vec4 x) {
  const uint two_over_pi[7] =
      uint[7](0u, 0xA2F9836Eu, 0x4E441529u, 0xFC2757D1u, 0xF534DDC0u, 0xDB629599u, 0x3C439041u);
  Turn turn = Turn(vec4(0.0), ivec4(0));
  for (int lane = 0; lane < 4; ++lane) {
    uint word = floatBitsToUint(x[lane]), m = (word | 0x00800000u) << 8, start = ((word >> 23) & 0xffu) - 128u;
    uint from = start >> 5, shift = start & 31u, window[3] = uint[3](0u, 0u, 0u);
    if (from > 3u) continue;
    for (uint i = 0u; i < 3u; ++i) {
      uint next = shift == 0u ? 0u : two_over_pi[from + i + 1u] >> (32u - shift);
      window[i] = two_over_pi[from + i] << shift | next;
    }
    uint middle = m * window[1], low = middle + high_product(m, window[2]);
    uint high = m * window[0] + high_product(m, window[1]) + uint(low < middle);
    turn.quarters[lane] = int((high + 0x20000000u) >> 30);
    turn.rest[lane] = float(int(high << 2 | low >> 30)) * 3.6572952e-10;
  }
  bvec4 negative = lessThan(x, vec4(0.0));
  turn.rest = mix(turn.rest, -turn.rest, negative);
  turn.quarters *= 1 - 2 * ivec4(negative);
  return turn;
}

Turn reduce(vec4 x) {
  bvec4 far = greaterThanEqual(abs(x), vec4(1e4));
  vec4 n = roundEven(mix(x, vec4(0.0), far) * 0.636619772);
  Turn turn = Turn(((x - n * 1.5703125) - n * 4.837512969970703125e-4) - n * 7.549789954891882e-8, ivec4(n));
  if (any(far)) {
    Turn large = reduce_large(x);
    turn.rest = mix(turn.rest, large.rest, far);
    turn.quarters += ivec4(far) * (large.quarters - turn.quarters);
  }
  bvec4 finite = lessThan(abs(x), uintBitsToFloat(uvec4(0x7f800000u)));
  turn.rest = mix(uintBitsToFloat(uvec4(0x7fc00000u)), turn.rest, finite);
  return turn;
}

vec4 sin_of(Turn turn) {
  vec4 x = turn.rest, s = x * x;
  vec4 sine = ((s * -1.9515295891e-4 + 8.3321608736e-3) * s - 1.6666654611e-1) * s * x + x;
  vec4 cosine =
      ((s * 2.443315711809948e-5 - 1.388731625493765e-3) * s + 4.166664568298827e-2) * s * s - 0.5 * s + 1.0;
  vec4 y = mix(sine, cosine, notEqual(turn.quarters & 1, ivec4(0)));
  return mix(y, -y, notEqual(turn.quarters & 2, ivec4(0)));
}
vec4 exact_sin(vec4 x) { return sin_of(reduce(x)); }
vec4 exact_cos(vec4 x) {
  Turn turn = reduce(x);
  turn.quarters += 1;
  return sin_of(turn);
}

vec4 erf_part(vec4 x) {
  vec4 s = x * x;
  return (((((s * -5.974378477e-4 + 4.99028315e-3) * s - 2.67649234e-2) * s + 1.12817793e-1) * s - 3.761249139e-1) * s +
          1.128379149) * x;
}
vec4 erfc_part(vec4 t) {
  t = nan_min(t, 14.0);
  vec4 w = 1.0 / (1.0 + 0.5 * t);
  vec4 y = ((((((w * 9.214514728e-2 - 2.238103282e-1) * w + 8.13129478e-2) * w + 6.054861832e-2) * w +
              1.794027434e-1) * w + 2.467329342e-1) * w + 2.820768382e-1) * w + 2.820961781e-1;
  return exact_exp(-t * t) * w * y;
}
vec4 erf(vec4 x) {
  vec4 size = abs(x), large = 1.0 - erfc_part(size);
  return mix(mix(large, -large, lessThan(x, vec4(0.0))), erf_part(x), lessThan(size, vec4(0.86)));
}
vec4 erfc(vec4 x) {
  vec4 size = abs(x), large = erfc_part(size);
  return mix(mix(large, 2.0 - large, lessThan(x, vec4(0.0))), 1.0 - erf_part(x), lessThan(size, vec4(0.86)));
}

vec4 mish_gate(vec4 x) {
  vec4 e = exact_exp(nan_min(x, 20.0)), n = e * (e + 2.0);
  return n / (n + 2.0);
}

vec4 gelu_tanh_slope(vec4 x) {
  vec4 c = nan_max(nan_min(x, 10.0), -10.0), s = c * c;
  vec4 v = 1.5957691216 * c * (1.0 + 0.044715 * s);
  return sigmoid(v) * (1.0 + 1.5957691216 * c * (1.0 + 0.134145 * s) * sigmoid(-v));
}

/// y, but NaN where x is below 0 or NaN itself: the gammas are for x > 0.
vec4 above_zero(vec4 y, vec4 x) {
  return mix(mix(y, uintBitsToFloat(uvec4(0x7fc00000u)), lessThan(x, vec4(0.0))), x, is_nan(x));
}

vec4 lgamma(vec4 x) {
  bvec4 below_half = lessThan(x, vec4(0.5)), below = lessThan(x, vec4(1.5));
  vec4 t = x - mix(mix(vec4(2.0), vec4(1.0), below), vec4(0.0), below_half);
  vec4 y = (((((((t * -2.505620215e-4 + 5.702512503e-4) * t - 1.187484814e-3) * t + 2.878868684e-3) * t -
               7.385920885e-3) * t + 2.058162544e-2) * t - 6.735229409e-2) * t + 3.22467018e-1) * t + 4.227843351e-1;
  vec4 logarithm = exact_log(mix(x, x * (x + 1.0), below_half)), r = 1.0 / x, s = r * r;
  vec4 series =
      (((s * 8.417508e-4 - 5.952381e-4) * s + 7.9365079e-4) * s - 2.77777778e-3) * s + 8.33333333e-2;
  vec4 large = (x - 0.5) * (logarithm - 1.0) + series * r + 0.418938533;
  y = mix(large, y * t - mix(vec4(0.0), logarithm, below), lessThan(x, vec4(2.5)));
  return above_zero(mix(y, x, equal(x, uintBitsToFloat(uvec4(0x7f800000u)))), x);
}

vec4 digamma(vec4 x) {
  vec4 z = x + 3.0, r = 1.0 / z, s = r * r;
  vec4 series = ((s * 3.96825397e-3 - 8.33333333e-3) * s + 8.33333333e-2) * s;
  vec4 steps = (1.0 / (x + 2.0) + 1.0 / (x + 1.0)) + 1.0 / x;
  return above_zero(((exact_log(z) - 0.5 * r) - series) - steps, x);
}
vec4 trigamma(vec4 x) {
  vec4 r = 1.0 / (x + 3.0), s = r * r, a = 1.0 / x, b = 1.0 / (x + 1.0), c = 1.0 / (x + 2.0);
  vec4 series = r + 0.5 * s + r * s * ((s * 2.38095238e-2 - 3.33333333e-2) * s + 1.66666667e-1);
  return above_zero(series + c * c + b * b + a * a, x);
}

// What every kernel shares. A buffer's sampler is of the type `tensor`: an array of layers of 2^LAYER_BITS texels, in
// rows of 2^ROW_BITS (wasm/webgl/layout.h), texel t holding floats 4t .. 4t + 3; LAYER_BITS is 0 where every buffer of the
// draw has one layer. A kernel is `void kernel(int e)`: it writes the floats e .. e + 3 of its outputs. The lanes of a
// buffer's last texel that lie beyond its end hold anything, NaN included: they may be read, but never summed.

#define ROW_MASK ((1 << ROW_BITS) - 1)

/// own() is the texel at this fragment's own place: for buffers laid out as the output is.
#if LAYER_BITS == 0
vec4 texel(tensor buffer, int t) { return texelFetch(buffer, ivec3(t & ROW_MASK, t >> ROW_BITS, 0), 0); }
vec4 own(tensor buffer) { return texelFetch(buffer, ivec3(gl_FragCoord.xy, 0), 0); }
#else
#define HEIGHT_MASK ((1 << (LAYER_BITS - ROW_BITS)) - 1)
int own_layer = 0;
vec4 texel(tensor buffer, int t) {
  return texelFetch(buffer, ivec3(t & ROW_MASK, (t >> ROW_BITS) & HEIGHT_MASK, t >> LAYER_BITS), 0);
}
vec4 own(tensor buffer) { return texelFetch(buffer, ivec3(gl_FragCoord.xy, own_layer), 0); }
#endif

float at(tensor buffer, int i) { return texel(buffer, i >> 2)[i & 3]; }

/// Floats i .. i + 3: one fetch where i is a multiple of 4, else two.
vec4 load4(tensor buffer, int i) {
  vec4 low = texel(buffer, i >> 2);
  int shift = i & 3;
  if (shift != 0) {
    vec4 high = texel(buffer, (i >> 2) + 1);
    low = shift == 1 ? vec4(low.yzw, high.x) : shift == 2 ? vec4(low.zw, high.xy) : vec4(low.w, high.xyz);
  }
  return low;
}

/// Floats i, i + stride, i + 2 stride, i + 3 stride.
vec4 gather(tensor buffer, int i, int stride) {
  if (stride == 1) return load4(buffer, i);
  return vec4(at(buffer, i), at(buffer, i + stride), at(buffer, i + 2 * stride), at(buffer, i + 3 * stride));
}

/// y with v's first lanes in its lanes from `lane` on. Where four outputs straddle rows, each row puts its run of them,
/// in a loop: written out four times, a kernel takes seconds to compile.
vec4 put(vec4 y, vec4 v, int lane) {
  vec4 shifted = lane == 0 ? v : lane == 1 ? v.xxyz : lane == 2 ? v.xxxy : v.xxxx;
  return mix(y, shifted, greaterThanEqual(ivec4(0, 1, 2, 3), ivec4(lane)));
}

/// The first `count` lanes of v, 0 in the others: a product by 0 would let a NaN through.
vec4 first_lanes(vec4 v, int count) {
  return mix(vec4(0.0), v, lessThan(ivec4(0, 1, 2, 3), ivec4(count)));
}

/// Which lanes lie in 0 .. size - 1.
bvec4 within(ivec4 i, int size) { return lessThan(uvec4(i), uvec4(size)); }

/// The window of output o in pooling, along one axis: from .x up to .y, which may reach beyond the axis.
ivec2 pool_window(int o, int size, int outputs, int extent, int stride, int pad, int adaptive) {
  if (adaptive != 0) return ivec2(o * size / outputs, ((o + 1) * size + outputs - 1) / outputs);
  return o * stride - pad + ivec2(0, extent);
}

/// The first and the last output whose window holds element i.
ivec2 pool_holders(int i, int size, int outputs, int extent, int stride, int pad, int adaptive) {
  if (adaptive != 0) return ivec2(i * outputs / size, ((i + 1) * outputs + size - 1) / size - 1);
  return ivec2(max(i + pad - extent + stride, 0) / stride, min((i + pad) / stride, outputs - 1));
}

/// x, by a way that compilers do not see through: they reorder sums, and would find that a compensation is 0.
uint no_bits = 0u;
vec4 opaque(vec4 x) { return uintBitsToFloat(floatBitsToUint(x) | no_bits); }

float total(vec4 v) { return (v.x + v.y) + (v.z + v.w); }

/// The statistics [outer, inner] of the elements e .. e + 3 of [outer, reduce, inner].
vec4 around4(tensor statistics, int e, int reduce, int inner) {
  int block = reduce * inner, group = (e / block) * inner + e % inner;
  if (e % inner + 3 < inner) return load4(statistics, group);
  if (inner == 1 && e % reduce + 3 < reduce) return vec4(at(statistics, group));
  vec4 v = vec4(0.0);
  for (int l = 0; l < 4; ++l) v[l] = at(statistics, ((e + l) / block) * inner + (e + l) % inner);
  return v;
}

/// values[(i / span) % count] for i = e .. e + 3: a number a channel.
vec4 spread4(tensor values, int e, int span, int count) {
  int channel = (e / span) % count;
  if (e % span + 3 < span) return vec4(at(values, channel));
  if (span == 1 && channel + 3 < count) return load4(values, channel);
  vec4 v = vec4(0.0);
  for (int l = 0; l < 4; ++l) v[l] = at(values, ((e + l) / span) % count);
  return v;
}

// Tiles [blocks, rows, columns] lie in bands of four rows, one above the other in the texture, band beside band: what is
// near in the matrix is near on the screen, and its fragments share what they fetch.

int bands_of(int rows) { return (rows + 3) >> 2; }

/// The texel of a tile from the place of its column in its band, counted through all bands, and its row in that.
int tile_texel(int place, int row) {
  return ((place >> ROW_BITS) << (ROW_BITS + 2)) + ((row & 3) << ROW_BITS) + (place & ROW_MASK);
}

/// Block, row and column of the tile at texel t; the row may be one too many.
ivec3 tile_of(int t, int rows, int columns) {
  int place = ((t >> (ROW_BITS + 2)) << ROW_BITS) + (t & ROW_MASK), band = place / columns, bands = bands_of(rows);
  return ivec3(band / bands, 4 * (band % bands) + (t >> ROW_BITS & 3), place % columns);
}

/// Four numbers of row `row` of a matrix in tiles (wasm/webgl/stages.def): the sum over pieces, `stride` places apart.
vec4 joined(tensor p0, tensor p1, tensor p2, tensor p3, int row, int place, int stride, int pieces) {
  vec4 sum = vec4(0.0);
  int target = row & 3;
  for (int piece = 0; piece < pieces; ++piece, place += stride) {
    int t = tile_texel(place, row >> 2);
    if (target == 0) sum += texel(p0, t);
    else if (target == 1) sum += texel(p1, t);
    else if (target == 2) sum += texel(p2, t);
    else sum += texel(p3, t);
  }
  return sum;
}

/// The sum of a[i + c] b[j + c] for c below `count`.
float row_dot(tensor a, int i, tensor b, int j, int count) {
  vec4 sum = vec4(0.0);
  int c = 0;
  for (; c + 4 <= count; c += 4) sum += load4(a, i + c) * load4(b, j + c);
  if (c < count) sum += first_lanes(load4(a, i + c) * load4(b, j + c), count - c);
  return total(sum);
}

/// A place on six axes, from a flat index and the axes' sizes.
struct Place {
  ivec3 left, right;
};

Place place_of(int i, ivec3 left, ivec3 right) {
  Place place;
  place.right.z = i % right.z;
  i /= right.z;
  place.right.y = i % right.y;
  i /= right.y;
  place.right.x = i % right.x;
  i /= right.x;
  place.left.z = i % left.z;
  i /= left.z;
  place.left.y = i % left.y;
  place.left.x = i / left.y;
  return place;
}

int offset_of(Place place, ivec3 left, ivec3 right) {
  ivec3 l = place.left * left, r = place.right * right;
  return l.x + l.y + l.z + r.x + r.y + r.z;
}

// GLSL leaves max, min and sign of NaN open, and compilers may drop x != x: NaN is told by its bits.
bvec4 is_nan(vec4 x) {
  return greaterThan(floatBitsToUint(x) & uvec4(0x7fffffffu), uvec4(0x7f800000u));
}

vec4 nan_max(vec4 a, vec4 b) {
  return mix(mix(mix(b, a, greaterThan(a, b)), b, is_nan(b)), a, is_nan(a));
}
vec4 nan_max(vec4 a, float b) { return nan_max(a, vec4(b)); }

vec4 nan_min(vec4 a, vec4 b) {
  return mix(mix(mix(b, a, lessThan(a, b)), b, is_nan(b)), a, is_nan(a));
}
vec4 nan_min(vec4 a, float b) { return nan_min(a, vec4(b)); }

vec4 sign_of(vec4 x) { return vec4(greaterThan(x, vec4(0.0))) - vec4(lessThan(x, vec4(0.0))); }

vec4 step_at(vec4 edge, vec4 x) { return vec4(greaterThanEqual(x, edge)); }
vec4 step_at(vec4 edge, float x) { return step_at(edge, vec4(x)); }
vec4 step_at(float edge, vec4 x) { return step_at(vec4(edge), x); }

/// a where c is not 0, else b: nothing of the other one, NaN or not.
vec4 choose(vec4 c, vec4 a, vec4 b) { return mix(b, a, notEqual(c, vec4(0.0))); }
vec4 choose(vec4 c, vec4 a, float b) { return choose(c, a, vec4(b)); }
vec4 zeros(vec4 x) { return vec4(0.0); }

/// e^r - 1 for |r| <= ln 2 / 2.
vec4 exp_part(vec4 r) {
  vec4 y = ((((1.9875691500e-4 * r + 1.3981999507e-3) * r + 8.3334519073e-3) * r + 4.1665795894e-2) * r +
            1.6666665459e-1) * r + 5.0000001201e-1;
  return y * r * r + r;
}

/// e^x within 1e-7 everywhere: a GPU's own is 2^(x log2 e), whose error grows with x.
vec4 exact_exp(vec4 x) {
  vec4 inside = clamp(x, -87.3, 88.7);
  vec4 n = floor(inside * 1.44269504 + 0.5);
  vec4 r = (inside - n * 0.693359375) + n * 2.12194440e-4;
  vec4 y = exp_part(r) + 1.0;
  ivec4 power = ivec4(n), half_power = power >> 1;
  y = y * intBitsToFloat((half_power + 127) << 23) * intBitsToFloat((power - half_power + 127) << 23);
  y = mix(y, vec4(0.0), lessThan(x, vec4(-87.3)));
  y = mix(y, uintBitsToFloat(uvec4(0x7f800000u)), greaterThan(x, vec4(88.7)));
  return mix(y, x, is_nan(x));
}

/// log of 2^e (1 + m) for m in [sqrt(1/2) - 1, sqrt(2) - 1), without its two large terms m and e * 0.693359375.
vec4 log_tail(vec4 m, vec4 e) {
  vec4 s = m * m;
  vec4 y = (((((((7.0376836292e-2 * m - 1.1514610310e-1) * m + 1.1676998740e-1) * m - 1.2420140846e-1) * m +
               1.4249322787e-1) * m - 1.6668057665e-1) * m + 2.0000714765e-1) * m - 2.4999993993e-1) * m +
           3.3333331174e-1;
  return y * m * s - e * 2.12194440e-4 - 0.5 * s;
}
vec4 log_part(vec4 m, vec4 e) { return m + log_tail(m, e) + e * 0.693359375; }

/// x = 2^e (1 + m), m as above.
struct Parts {
  vec4 m, e;
};
Parts parts_of(vec4 x) {
  bvec4 tiny = lessThan(x, vec4(1.17549435e-38));
  ivec4 from_root = floatBitsToInt(mix(x, x * 33554432.0, tiny)) - 0x3f3504f3;
  return Parts(intBitsToFloat((from_root & 0x007fffff) + 0x3f3504f3) - 1.0,
               vec4(from_root >> 23) - mix(vec4(0.0), vec4(25.0), tiny));
}

/// log x by a polynomial around 1, where a GPU's own is poor; of 0 it is -inf, of less NaN.
vec4 exact_log(vec4 x) {
  Parts parts = parts_of(x);
  vec4 y = log_part(parts.m, parts.e);
  y = mix(y, uintBitsToFloat(uvec4(0xff800000u)), equal(x, vec4(0.0)));
  y = mix(y, uintBitsToFloat(uvec4(0x7fc00000u)), lessThan(x, vec4(0.0)));
  bvec4 keep = equal(x, uintBitsToFloat(uvec4(0x7f800000u)));
  return mix(mix(y, x, keep), x, is_nan(x));
}

/// log(1 + x) without the rounding of 1 + x where x is small.
vec4 exact_log1p(vec4 x) {
  vec4 near = vec4(greaterThan(x, vec4(-0.29289))) * vec4(lessThan(x, vec4(0.41421)));
  return mix(exact_log(1.0 + x), log_part(x, vec4(0.0)), notEqual(near, vec4(0.0)));
}

/// tanh as a quotient of polynomials, within 3e-7 everywhere: built from e^x it loses small x, and overflows at large.
vec4 exact_tanh(vec4 x) {
  vec4 inside = clamp(x, -7.90531110763549805, 7.90531110763549805), s = inside * inside;
  vec4 p = ((((((-2.76076847742355e-16 * s + 2.00018790482477e-13) * s - 8.60467152213735e-11) * s +
               5.12229709037114e-08) * s + 1.48572235717979e-05) * s + 6.37261928875436e-04) * s +
            4.89352455891786e-03) * inside;
  vec4 q = ((1.19825839466702e-06 * s + 1.18534705686654e-04) * s + 2.26843463243900e-03) * s + 4.89352518554385e-03;
  vec4 y = mix(p / q, x, lessThan(abs(x), vec4(4e-4)));
  return mix(y, x, is_nan(x));
}

vec4 sigmoid(vec4 x) { return 1.0 / (1.0 + exact_exp(-x)); }

/// The high half of a 32 by 32 bit product, from 16-bit halves.
uint high_product(uint a, uint b) {
  uint a0 = a & 0xffffu, a1 = a >> 16, b0 = b & 0xffffu, b1 = b >> 16;
  uint middle = a1 * b0 + ((a0 * b0) >> 16);
  return a1 * b1 + (middle >> 16) + ((a0 * b1 + (middle & 0xffffu)) >> 16);
}

/// Philox4x32-10, the numbers of core/random.h.
uvec4 philox(uvec4 counter, uvec2 key) {
  for (int r = 0; r < 10; ++r) {
    counter = uvec4(high_product(0xCD9E8D57u, counter.z) ^ counter.y ^ key.x, 0xCD9E8D57u * counter.z,
                    high_product(0xD2511F53u, counter.x) ^ counter.w ^ key.y, 0xD2511F53u * counter.x);
    key += uvec2(0x9E3779B9u, 0xBB67AE85u);
  }
  return counter;
}

/// The four uniform numbers in [0, 1) of the floats e .. e + 3.
vec4 uniform4(int e, int seed_low, int seed_high, int stream, int draw) {
  uvec4 bits = philox(uvec4(uint(e >> 2), uint(stream), uint(draw), 0u), uvec2(uint(seed_low), uint(seed_high)));
  return vec4(bits >> 8) * 5.9604644775390625e-8;
}

/// Averages that have decayed to almost nothing become zero before they turn subnormal, as on the cpu device.
vec4 flush(vec4 x) { return mix(x, vec4(0.0), lessThan(abs(x), vec4(1e-30))); }

/// A gradient as an optimiser takes it: scaled, clipped by the norm of all and then by value (0: not).
vec4 clipped(vec4 g, float squared_norm, float scale, float max_norm, float max_value) {
  if (max_norm > 0.0) scale *= nan_min(vec4(max_norm / (sqrt(squared_norm) + 1e-6)), 1.0).x;
  g *= scale;
  return max_value > 0.0 ? nan_max(nan_min(g, max_value), -max_value) : g;
}

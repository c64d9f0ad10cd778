// Attention by its scores, which lie in tiles: texel s of row i of p_r[batch, heads, queries / 4, keys / 4] holds query
// 4 i + r and four keys, both sizes rounded up. What a query does not see is HIDDEN there, and stays out of every sum: a
// value that is NaN behind a weight of 0 would show.
#define HIDDEN (-3e38)

int up4(int size) { return (size + 3) >> 2; }

/// The place of the first tile of the band of query t.
int band_of(int n, int head, int t) {
  return ((n * heads + head) * bands_of(up4(queries)) + (t >> 4)) * up4(keys);
}

/// One past the texel of the last key that query t may see.
int end_of(int t) { return causal != 0 ? min(up4(keys), (t + keys - queries + 4) >> 2) : up4(keys); }

/// Adds four rows of a matrix, each times its weight.
vec4 weighted(vec4 w, vec4 v0, vec4 v1, vec4 v2, vec4 v3) {
  bvec4 out_of = equal(w, vec4(HIDDEN));
  vec4 sum = mix(w.x * v0, vec4(0.0), bvec4(out_of.x)) + mix(w.y * v1, vec4(0.0), bvec4(out_of.y));
  return sum + (mix(w.z * v2, vec4(0.0), bvec4(out_of.z)) + mix(w.w * v3, vec4(0.0), bvec4(out_of.w)));
}

#if defined(STAGE_attention_scores) || defined(STAGE_attention_weights) || defined(STAGE_attention_slopes)

/// The products of four rows of x with four of y, `width` numbers of each.
mat4 products(tensor x, ivec4 l, tensor y, ivec4 r) {
  mat4 sums = mat4(0.0);
  for (int c = 0; c < width; c += 4) {
    mat4 columns = transpose(mat4(texel(y, r.x), texel(y, r.y), texel(y, r.z), texel(y, r.w)));
    sums += columns * mat4(texel(x, l.x), texel(x, l.y), texel(x, l.z), texel(x, l.w));
    ++l;
    ++r;
  }
  return sums;
}

void kernel(int e) {
  ivec3 tile = tile_of(e >> 2, up4(queries), up4(keys));
  int s = 4 * tile.z, t = 4 * tile.y, head = tile.x % heads, n = tile.x / heads;
  if (t >= queries || n >= batch) return;
  ivec4 four = ivec4(0, 1, 2, 3), row = n * queries + min(t + four, ivec4(queries - 1));
  ivec4 key = (n * keys + min(s + four, ivec4(keys - 1))) * kv_row + head * width;
  bvec4 seen = lessThan(s + four, ivec4(keys));
  if (padded != 0) {
    vec4 hides = load4(padding, (n / share) * keys + s);
    seen = bvec4(ivec4(seen) * ivec4(equal(hides, vec4(0.0))));
  }
  mat4 results = mat4(vec4(HIDDEN), vec4(HIDDEN), vec4(HIDDEN), vec4(HIDDEN));
  if (s < 4 * end_of(min(t + 3, queries - 1))) {
#ifdef STAGE_attention_slopes
    mat4 sums = products(dy, (row * heads + head) * width >> 2, v, (key + v_at) >> 2);
    mat4 weights = mat4(own(p0), own(p1), own(p2), own(p3));
#else
    mat4 sums = products(q, (row * q_row + q_at + head * width) >> 2, k, (key + k_at) >> 2);
#endif
    for (int r = 0; r < 4; ++r) {
      int last = causal != 0 ? t + r + keys - queries : keys;
      bvec4 mine = bvec4(ivec4(seen) * ivec4(lessThanEqual(s + four, ivec4(t + r < queries ? last : -1))));
#ifdef STAGE_attention_scores
      vec4 one = scale * sums[r];
#endif
#ifdef STAGE_attention_weights
      int i = row[r] * heads + head;
      vec4 one = exact_exp(scale * sums[r] - at(maximum, i)) / at(sum, i);
#endif
#ifdef STAGE_attention_slopes
      vec4 one = scale * weights[r] * (sums[r] - at(along, row[r] * heads + head));
#endif
      results[r] = mix(results[r], one, mine);
    }
  }
#ifdef STAGE_attention_slopes
  d0 = results[0];
  d1 = results[1];
  d2 = results[2];
  d3 = results[3];
#else
  p0 = results[0];
  p1 = results[1];
  p2 = results[2];
  p3 = results[3];
#endif
}

#endif
#ifdef STAGE_attention_rows

/// The maximum and the sum of a row of scores.
vec2 row_of(tensor p, int from, int row, int count) {
  float infinity = uintBitsToFloat(0x7f800000u);
  vec4 best = vec4(-infinity), sums = vec4(0.0);
  for (int s = 0; s < count; ++s) {
    vec4 v = texel(p, tile_texel(from + s, row));
    best = nan_max(best, mix(v, vec4(-infinity), equal(v, vec4(HIDDEN))));
  }
  best = nan_max(best, best.zwxy);
  best = nan_max(best, best.yxwz);
  if (best.x == -infinity) return vec2(best.x, 0.0);
  for (int s = 0; s < count; ++s) {
    vec4 v = texel(p, tile_texel(from + s, row));
    sums += mix(exact_exp(v - best), vec4(0.0), equal(v, vec4(HIDDEN)));
  }
  return vec2(best.x, total(sums));
}

void kernel(int e) {
  vec4 best = vec4(0.0), sums = vec4(0.0);
  for (int l = 0, lanes = min(4, floats - e); l < lanes; ++l) {
    int head = (e + l) % heads, row = (e + l) / heads, t = row % queries, r = t & 3, count = max(end_of(t), 0);
    int from = band_of(row / queries, head, t), down = t >> 2;
    vec2 one;
    if (r == 0) one = row_of(p0, from, down, count);
    else if (r == 1) one = row_of(p1, from, down, count);
    else if (r == 2) one = row_of(p2, from, down, count);
    else one = row_of(p3, from, down, count);
    best[l] = one.x;
    sums[l] = one.y;
  }
  maximum = best;
  sum = sums;
}

#endif
#if defined(STAGE_attention_mix) || defined(STAGE_attention_gradients)

/// Σ weight x over the keys of one row of tiles; x's rows are `apart` texels from each other.
vec4 over_keys(tensor p, int from, int row, int count, tensor x, int at_x, int apart) {
  vec4 result = vec4(0.0);
  ivec4 beside = ivec4(0, 1, 2, 3), last = ivec4(keys - 1);
  for (int s = 0; s < count; ++s) {
    ivec4 i = at_x + min(4 * s + beside, last) * apart;
    result += weighted(texel(p, tile_texel(from + s, row)), texel(x, i.x), texel(x, i.y), texel(x, i.z), texel(x, i.w));
  }
  return result;
}

vec4 over_keys(tensor a0, tensor a1, tensor a2, tensor a3, int n, int head, int t, tensor x, int at_x, int apart) {
  int from = band_of(n, head, t), row = t >> 2, count = end_of(t);
  if ((t & 3) == 0) return over_keys(a0, from, row, count, x, at_x, apart);
  if ((t & 3) == 1) return over_keys(a1, from, row, count, x, at_x, apart);
  return (t & 3) == 2 ? over_keys(a2, from, row, count, x, at_x, apart) : over_keys(a3, from, row, count, x, at_x, apart);
}

#endif
#ifdef STAGE_attention_mix

void kernel(int e) {
  int column = e % width, i = e / width, head = i % heads, row = i / heads, n = row / queries;
  int value = (n * keys * kv_row + v_at + head * width + column) >> 2;
  y = over_keys(p0, p1, p2, p3, n, head, row % queries, v, value, kv_row >> 2);
}

#endif
#ifdef STAGE_attention_gradients

/// Σ weight x over the queries that see key s.
vec4 over_queries(tensor a0, tensor a1, tensor a2, tensor a3, int n, int head, int s, tensor x, int at_x, int apart) {
  int t = causal != 0 ? max(s + queries - keys, 0) >> 2 : 0, lane = s & 3;
  ivec4 beside = ivec4(0, 1, 2, 3), last = ivec4(queries - 1);
  vec4 result = vec4(0.0);
  for (int end = up4(queries); t < end; ++t) {
    int tile = tile_texel(band_of(n, head, 4 * t) + (s >> 2), t);
    vec4 w = vec4(texel(a0, tile)[lane], texel(a1, tile)[lane], texel(a2, tile)[lane], texel(a3, tile)[lane]);
    ivec4 i = at_x + min(4 * t + beside, last) * apart;
    result += weighted(w, texel(x, i.x), texel(x, i.y), texel(x, i.z), texel(x, i.w));
  }
  return result;
}

void kernel(int e) {
  int longest = max(queries, keys), column = e % width, i = e / width, head = i % heads, row = i / heads;
  int n = row / longest, position = row % longest, part = head * width + column;
  vec4 to_q = vec4(0.0), to_k = vec4(0.0), to_v = vec4(0.0);
  if (position < queries) {
    to_q = over_keys(d0, d1, d2, d3, n, head, position, k, (n * keys * kv_row + k_at + part) >> 2, kv_row >> 2);
  }
  if (position < keys) {
    int query = (n * queries * q_row + q_at + part) >> 2, result = (n * queries * heads * width + part) >> 2;
    to_k = over_queries(d0, d1, d2, d3, n, head, position, q, query, q_row >> 2);
    to_v = over_queries(p0, p1, p2, p3, n, head, position, dy, result, heads * width >> 2);
  }
  dq = to_q;
  dk = to_k;
  dv = to_v;
}

#endif

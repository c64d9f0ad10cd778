// Draws take portions of the queries as those of attention.frag of the keys. Lanes of one key and head are made together.
vec4 to_k, to_v;

/// i is the head's place in [batch, keys, heads].
void of_key(int i, int column, int from, int end) {
  int row = i / heads, n = row / keys, s = row % keys, head = i % heads, key = row * kv_row + head * width;
  if (causal != 0) from = max(from, s + queries - keys);
  if (padded != 0 && at(padding, (n / share) * keys + s) != 0.0) end = from;
  to_k = to_v = vec4(0.0);
  for (int t = from; t < end; ++t) {
    int position = n * queries + t, statistic = position * heads + head, gradient = statistic * width;
    int query = position * q_row + q_at + head * width;
    float score = scale * row_dot(q, query, k, key + k_at, width);
    float p = exact_exp(vec4(score - at(maximum, statistic))).x / at(sum, statistic);
    float ds = scale * p * (row_dot(dy, gradient, v, key + v_at, width) - at(along, statistic));
    to_k += ds * load4(q, query + column);
    to_v += p * load4(dy, gradient + column);
  }
}

void kernel(int e) {
  int draws = piece & 0xffff, portion = (queries + draws - 1) / draws, from = (piece >> 16) * portion;
  vec4 all_k = vec4(0.0), all_v = vec4(0.0);
  for (int lane = 0, lanes = min(4, floats - e); lane < lanes;) {
    int column = (e + lane) % width;
    of_key((e + lane) / width, column, from, min(from + portion, queries));
    all_k = put(all_k, to_k, lane);
    all_v = put(all_v, to_v, lane);
    lane += width - column;
  }
  dk = from > 0 ? own(dk_before) + all_k : all_k;
  dv = from > 0 ? own(dv_before) + all_v : all_v;
}

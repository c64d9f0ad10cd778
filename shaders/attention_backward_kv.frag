// Draws share the queries as those of attention.frag the keys. Lanes of one key are made together.
vec4 to_k, to_v;

void of_key(int row, int column, int from, int end) {
  int head = row / keys, key = row * width;
  if (causal != 0) from = max(from, row % keys + queries - keys);
  if (padded != 0 && at(padding, (head / heads) * keys + row % keys) != 0.0) end = from;
  to_k = to_v = vec4(0.0);
  for (int t = from; t < end; ++t) {
    int statistic = head * queries + t, query = statistic * width;
    float p = exact_exp(vec4(scale * row_dot(q, query, k, key, width) - at(maximum, statistic))).x / at(sum, statistic);
    float ds = scale * p * (row_dot(dy, query, v, key, width) - at(along, statistic));
    to_k += ds * load4(q, query + column);
    to_v += p * load4(dy, query + column);
  }
}

void kernel(int e) {
  int draws = piece & 0xffff, share = (queries + draws - 1) / draws, from = (piece >> 16) * share;
  vec4 all_k = vec4(0.0), all_v = vec4(0.0);
  for (int lane = 0, lanes = min(4, floats - e); lane < lanes;) {
    int column = (e + lane) % width;
    of_key((e + lane) / width, column, from, min(from + share, queries));
    all_k = put(all_k, to_k, lane);
    all_v = put(all_v, to_v, lane);
    lane += width - column;
  }
  dk = from > 0 ? own(dk_before) + all_k : all_k;
  dv = from > 0 ? own(dv_before) + all_v : all_v;
}

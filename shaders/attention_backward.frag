// Draws take portions of the keys for dq and of the queries for dk and dv. Lanes of one row and head are made together.
vec4 to_q, to_k, to_v;

/// Query t of sample n's head, over the keys from .. end - 1.
void of_query(int n, int t, int head, int column, int from, int end) {
  if (causal != 0) end = min(end, t + keys - queries + 1);
  int i = (n * queries + t) * heads + head;
  int query = (n * queries + t) * q_row + q_at + head * width, key = n * keys * kv_row + head * width;
  float peak = at(maximum, i), whole = at(sum, i), loss = at(along, i);
  for (int s = from; s < end; ++s) {
    if (padded != 0 && at(padding, (n / share) * keys + s) != 0.0) continue;
    int place = key + s * kv_row;
    float p = exact_exp(vec4(scale * row_dot(q, query, k, place + k_at, width) - peak)).x / whole;
    float ds = scale * p * (row_dot(dy, i * width, v, place + v_at, width) - loss);
    to_q += ds * load4(k, place + k_at + column);
  }
}

/// Key s of sample n's head, over the queries from .. end - 1.
void of_key(int n, int s, int head, int column, int from, int end) {
  int key = (n * keys + s) * kv_row + head * width;
  if (causal != 0) from = max(from, s + queries - keys);
  if (padded != 0 && at(padding, (n / share) * keys + s) != 0.0) end = from;
  for (int t = from; t < end; ++t) {
    int i = (n * queries + t) * heads + head, query = (n * queries + t) * q_row + q_at + head * width;
    float score = scale * row_dot(q, query, k, key + k_at, width);
    float p = exact_exp(vec4(score - at(maximum, i))).x / at(sum, i);
    float ds = scale * p * (row_dot(dy, i * width, v, key + v_at, width) - at(along, i));
    to_k += ds * load4(q, query + column);
    to_v += p * load4(dy, i * width + column);
  }
}

void kernel(int e) {
  int longest = max(queries, keys), draws = piece & 0xffff, portion = (longest + draws - 1) / draws;
  int from = (piece >> 16) * portion, end = from + portion;
  vec4 all_q = vec4(0.0), all_k = vec4(0.0), all_v = vec4(0.0);
  for (int lane = 0, lanes = min(4, floats - e); lane < lanes;) {
    int column = (e + lane) % width, i = (e + lane) / width, head = i % heads, row = i / heads;
    int n = row / longest, position = row % longest;
    to_q = to_k = to_v = vec4(0.0);
    if (position < queries) of_query(n, position, head, column, from, min(end, keys));
    if (position < keys) of_key(n, position, head, column, from, min(end, queries));
    all_q = put(all_q, to_q, lane);
    all_k = put(all_k, to_k, lane);
    all_v = put(all_v, to_v, lane);
    lane += width - column;
  }
  dq = from > 0 ? own(dq_before) + all_q : all_q;
  dk = from > 0 ? own(dk_before) + all_k : all_k;
  dv = from > 0 ? own(dv_before) + all_v : all_v;
}

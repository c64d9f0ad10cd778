// The low half of `piece` is the number of draws, the high half this one's index: each adds a portion of the keys to
// what is in `before`. Lanes of one query and head are made together.

/// i is the head's place in [batch, queries, heads].
vec4 of_query(int i, int column, int from, int end) {
  int row = i / heads, n = row / queries, head = (i % heads) * width;
  if (causal != 0) end = min(end, row % queries + keys - queries + 1);
  int query = row * q_row + q_at + head, key = n * keys * kv_row + head;
  float peak = at(maximum, i), whole = at(sum, i);
  vec4 result = vec4(0.0);
  for (int s = from; s < end; ++s) {
    if (padded != 0 && at(padding, (n / share) * keys + s) != 0.0) continue;
    int place = key + s * kv_row;
    float p = exact_exp(vec4(scale * row_dot(q, query, k, place + k_at, width) - peak)).x / whole;
    result += p * load4(v, place + v_at + column);
  }
  return result;
}

void kernel(int e) {
  int draws = piece & 0xffff, portion = (keys + draws - 1) / draws, from = (piece >> 16) * portion;
  vec4 result = vec4(0.0);
  for (int lane = 0, lanes = min(4, floats - e); lane < lanes;) {
    int column = (e + lane) % width;
    result = put(result, of_query((e + lane) / width, column, from, min(from + portion, keys)), lane);
    lane += width - column;
  }
  y = from > 0 ? own(before) + result : result;
}

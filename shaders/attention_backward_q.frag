// Draws and lanes are as in attention.frag.
vec4 of_query(int i, int column, int from, int end) {
  int row = i / heads, n = row / queries, head = (i % heads) * width;
  if (causal != 0) end = min(end, row % queries + keys - queries + 1);
  int query = row * q_row + q_at + head, key = n * keys * kv_row + head;
  float peak = at(maximum, i), whole = at(sum, i), loss = at(along, i);
  vec4 result = vec4(0.0);
  for (int s = from; s < end; ++s) {
    if (padded != 0 && at(padding, (n / share) * keys + s) != 0.0) continue;
    int place = key + s * kv_row;
    float p = exact_exp(vec4(scale * row_dot(q, query, k, place + k_at, width) - peak)).x / whole;
    float ds = scale * p * (row_dot(dy, i * width, v, place + v_at, width) - loss);
    result += ds * load4(k, place + k_at + column);
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
  dq = from > 0 ? own(before) + result : result;
}

// The low half of `piece` is the number of draws, the high half this one's index: each adds a share of the keys to what
// is in `before`. Lanes of one query are made together.
vec4 of_query(int row, int column, int from, int end) {
  int head = row / queries, n = head / heads;
  if (causal != 0) end = min(end, row % queries + keys - queries + 1);
  float peak = at(maximum, row), whole = at(sum, row);
  vec4 result = vec4(0.0);
  for (int s = from; s < end; ++s) {
    if (padded != 0 && at(padding, n * keys + s) != 0.0) continue;
    int key = (head * keys + s) * width;
    float p = exact_exp(vec4(scale * row_dot(q, row * width, k, key, width) - peak)).x / whole;
    result += p * load4(v, key + column);
  }
  return result;
}

void kernel(int e) {
  int draws = piece & 0xffff, share = (keys + draws - 1) / draws, from = (piece >> 16) * share;
  vec4 result = vec4(0.0);
  for (int lane = 0, lanes = min(4, floats - e); lane < lanes;) {
    int column = (e + lane) % width;
    result = put(result, of_query((e + lane) / width, column, from, min(from + share, keys)), lane);
    lane += width - column;
  }
  y = from > 0 ? own(before) + result : result;
}

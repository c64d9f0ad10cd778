// Outputs are [pieces, batch, queries, heads], a piece being `piece` keys; the device joins pieces by softmax_statistics.
// Four keys at a time: where one raises the maximum, the sum so far is scaled down.
vec2 lane(int i) {
  int all = batch * queries * heads, row = (i % all) / heads, head = i % heads, from = (i / all) * piece;
  int n = row / queries, end = min(from + piece, keys);
  if (causal != 0) end = min(end, row % queries + keys - queries + 1);
  int query = row * q_row + q_at + head * width, key = n * keys * kv_row + k_at + head * width;
  float lowest = uintBitsToFloat(0xff800000u), best = lowest, sums = 0.0;
  for (int s = from; s < end; s += 4) {
    vec4 scores = vec4(lowest);
    for (int l = 0, lanes = min(4, end - s); l < lanes; ++l) {
      if (padded != 0 && at(padding, (n / share) * keys + s + l) != 0.0) continue;
      scores[l] = scale * row_dot(q, query, k, key + (s + l) * kv_row, width);
    }
    vec4 next = nan_max(nan_max(scores, scores.zwxy), vec4(best));
    next = nan_max(next, next.yxwz);
    if (next.x == lowest) continue;
    sums = sums * exact_exp(best - next).x + total(exact_exp(scores - next));
    best = next.x;
  }
  return vec2(best, sums);
}

void kernel(int e) {
  vec4 best = vec4(0.0), sums = vec4(0.0);
  for (int l = 0, lanes = min(4, floats - e); l < lanes; ++l) {
    vec2 one = lane(e + l);
    best[l] = one.x;
    sums[l] = one.y;
  }
  maximum = best;
  sum = sums;
}

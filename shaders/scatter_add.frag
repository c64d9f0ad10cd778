// dx[pieces, outer, size, inner]: each output goes through `piece` of the indices and adds up dy where they name its row.
// The device cuts many indices into pieces, and sums those in a second draw. Each run of lanes on one row goes together.

/// Where each index picks a whole row: four indices at a time.
vec4 sum_of_rows(int block, int row, int column, int from, int to) {
  vec4 sum = vec4(0.0);
  for (int n = from; n < to; n += 4) {
    ivec4 hits = ivec4(equal(load4(index, block * count + n), vec4(float(row))));
    if (hits == ivec4(0)) continue;
    for (int l = 0; l < min(4, to - n); ++l) {
      if (hits[l] != 0) sum += load4(dy, (block * count + n + l) * inner + column);
    }
  }
  return sum;
}

/// Where each element has an index of its own.
vec4 sum_of_elements(int block, int row, int column, int from, int to) {
  vec4 sum = vec4(0.0);
  for (int n = from; n < to; ++n) {
    int i = (block * count + n) * inner + column;
    sum += mix(vec4(0.0), load4(dy, i), equal(load4(index, i), vec4(float(row))));
  }
  return sum;
}

void kernel(int e) {
  vec4 result = vec4(0.0);
  for (int lane = 0, lanes = min(4, floats - e); lane < lanes;) {
    int column = (e + lane) % inner, line = (e + lane) / inner, row = line % size, block = line / size;
    int from = (block / outer) * piece, to = min(from + piece, count);
    block %= outer;
    vec4 sum = rows != 0 ? sum_of_rows(block, row, column, from, to) : sum_of_elements(block, row, column, from, to);
    result = put(result, sum, lane);
    lane += inner - column;
  }
  dx = result;
}

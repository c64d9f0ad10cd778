// Each run of lanes on one innermost row is read at once.
void kernel(int e) {
  vec4 result = vec4(0.0);
  for (int lane = 0, lanes = min(4, floats - e); lane < lanes;) {
    int row = (e + lane) / inner, column = (e + lane) % inner, middle = row % size - start, from = middle / step;
    vec4 v = vec4(value);
    if (middle >= 0 && from * step == middle && from < length) {
      v = load4(x, ((row / size) * length + from) * inner + column);
    }
    result = put(result, v, lane);
    lane += inner - column;
  }
  y = result;
}

// Each run of lanes on one innermost row is read at once.
void kernel(int e) {
  vec4 result = vec4(0.0);
  for (int lane = 0, lanes = min(4, floats - e); lane < lanes;) {
    int row = (e + lane) / inner, column = (e + lane) % inner, middle = row % size - start;
    vec4 v = vec4(0.0);
    if (middle >= 0 && middle < length) v = load4(x, ((row / size) * length + middle) * inner + column);
    result = put(result, v, lane);
    lane += inner - column;
  }
  y = result;
}

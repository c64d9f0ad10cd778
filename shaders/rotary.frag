void kernel(int e) {
  int half_width = width / 2;
  vec4 result = vec4(0.0);
  for (int lane = 0, lanes = min(4, floats - e); lane < lanes;) {
    int i = e + lane, column = i % width, angle = ((i / width) % positions) * width + column % half_width;
    bool low = column < half_width;
    vec4 sine = load4(angles, angle + half_width), other = load4(x, low ? i + half_width : i - half_width);
    if (low == (backward == 0)) sine = -sine;
    result = put(result, load4(x, i) * load4(angles, angle) + other * sine, lane);
    lane += half_width - column % half_width;
  }
  y = result;
}

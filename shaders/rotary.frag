// Lanes of one half of a head are made together.
void kernel(int e) {
  int half_width = width / 2;
  vec4 result = vec4(0.0);
  for (int lane = 0, lanes = min(4, floats - e); lane < lanes;) {
    int i = e + lane, column = i % width, head = (i / width) % heads;
    int angle = ((i / (width * heads)) % positions) * width + column % half_width;
    bool low = column < half_width;
    vec4 v = load4(x, i), sine = load4(angles, angle + half_width);
    vec4 other = load4(x, low ? i + half_width : i - half_width);
    if (low == (backward == 0)) sine = -sine;
    result = put(result, head < rotated ? v * load4(angles, angle) + other * sine : v, lane);
    lane += half_width - column % half_width;
  }
  y = result;
}

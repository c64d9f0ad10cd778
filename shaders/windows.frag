// A run of lanes of one window is read at once, since its rows lie together.
void kernel(int e) {
  int extent = time * width;
  vec4 result = vec4(0.0);
  for (int lane = 0, lanes = min(4, floats - e); lane < lanes;) {
    int n = (e + lane) / extent, i = (e + lane) % extent;
    float high = at(starts, 2 * n), low = at(starts, 2 * n + 1);
    int row = int(high) * 4096 + int(low) + first;
    bool inside = high >= 0.0 && high < 524288.0 && low >= 0.0 && low < 4096.0 && row >= 0 && row <= rows - time;
    result = put(result, inside ? load4(x, row * width + i) : vec4(0.0), lane);
    lane += extent - i;
  }
  y = result;
}

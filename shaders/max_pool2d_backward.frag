// dx[planes, height, width]: each element adds up dy of the windows in which it was the maximum.
void kernel(int e) {
  vec4 result = vec4(0.0);
  for (int lane = 0, lanes = min(4, floats - e); lane < lanes; ++lane) {
    int i = e + lane, column = i % width, row = i / width % height, plane = i / (width * height);
    ivec2 h = pool_holders(row, height, out_height, kernel_h, stride_h, pad_h, adaptive);
    ivec2 w = pool_holders(column, width, out_width, kernel_w, stride_w, pad_w, adaptive);
    float sum = 0.0;
    for (int r = h.x; r <= h.y; ++r) {
      int top = pool_window(r, height, out_height, kernel_h, stride_h, pad_h, adaptive).x;
      for (int c = w.x; c <= w.y; ++c) {
        int left = pool_window(c, width, out_width, kernel_w, stride_w, pad_w, adaptive).x;
        int o = (plane * out_height + r) * out_width + c;
        if (int(at(where, o)) == (row - top) * kernel_w + column - left) sum += at(dy, o);
      }
    }
    result[lane] = sum;
  }
  dx = result;
}

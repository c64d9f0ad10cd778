// y[planes, out_height, out_width]: each output sums its window, row by row.
void kernel(int e) {
  vec4 result = vec4(0.0);
  for (int lane = 0, lanes = min(4, floats - e); lane < lanes; ++lane) {
    int i = e + lane, column = i % out_width, row = i / out_width % out_height, plane = i / (out_width * out_height);
    ivec2 h = pool_window(row, height, out_height, kernel_h, stride_h, pad_h, adaptive);
    ivec2 w = pool_window(column, width, out_width, kernel_w, stride_w, pad_w, adaptive);
    float sum = 0.0;
    for (int r = max(h.x, 0), bottom = min(h.y, height); r < bottom; ++r) {
      float row_sum = 0.0;
      for (int c = max(w.x, 0), right = min(w.y, width); c < right; ++c) {
        row_sum += at(x, (plane * height + r) * width + c);
      }
      sum += row_sum;
    }
    result[lane] = sum / float((h.y - h.x) * (w.y - w.x));
  }
  y = result;
}

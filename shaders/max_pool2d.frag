// y and where[planes, out_height, out_width]: each output looks through its window, row by row.
void kernel(int e) {
  vec4 maxima = vec4(0.0), places = vec4(0.0);
  for (int lane = 0, lanes = min(4, floats - e); lane < lanes; ++lane) {
    int i = e + lane, column = i % out_width, row = i / out_width % out_height, plane = i / (out_width * out_height);
    ivec2 h = pool_window(row, height, out_height, kernel_h, stride_h, pad_h, adaptive);
    ivec2 w = pool_window(column, width, out_width, kernel_w, stride_w, pad_w, adaptive);
    int top = max(h.x, 0), left = max(w.x, 0), bottom = min(h.y, height), right = min(w.y, width);
    float best = at(x, (plane * height + top) * width + left);
    int found = (top - h.x) * kernel_w + left - w.x;
    bool undefined = is_nan(vec4(best)).x;
    for (int r = top; r < bottom; ++r) {
      for (int c = left; c < right; ++c) {
        float v = at(x, (plane * height + r) * width + c);
        bool nan = is_nan(vec4(v)).x;
        if (!undefined && (nan || v > best)) {
          best = v;
          found = (r - h.x) * kernel_w + c - w.x;
          undefined = nan;
        }
      }
    }
    maxima[lane] = best;
    places[lane] = float(found);
  }
  y = maxima;
  where = places;
}

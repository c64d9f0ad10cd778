// dweight[pieces, out_channels, channels / groups, kernel_h, kernel_w]: each weight sums x times dy over `piece` output
// positions (sample, row, column), up to four side by side at a time; the weights of one filter share dy. The device cuts
// long sums into pieces and adds those in a second draw.

/// The weights k .. k + count - 1 of output channel o's filter: their positions p up to `end`.
vec4 along(int o, int k, int count, int p, int end) {
  int filter_channels = channels / groups, first = o / (out_channels / groups) * filter_channels;
  ivec4 tap = k + ivec4(0, 1, 2, 3), w = tap % kernel_w, h = tap / kernel_w % kernel_h;
  ivec4 plane = first + tap / (kernel_w * kernel_h);
  ivec4 top = h * dilation_h - pad_h, left = w * dilation_w - pad_w, apart = ivec4(0, 1, 2, 3) * stride_w;
  int column = p % out_width, row = p / out_width % out_height, n = p / (out_width * out_height);
  vec4 sums = vec4(0.0);
  while (p < end) {
    int run = min(min(4, out_width - column), end - p);
    vec4 d = first_lanes(load4(dy, ((n * out_channels + o) * out_height + row) * out_width + column), run);
    for (int l = 0; l < count; ++l) {
      int y_at = top[l] + row * stride_h, x_at = left[l] + column * stride_w;
      vec4 v = vec4(0.0);
      if (y_at >= 0 && y_at < height) {
        vec4 read = gather(x, ((n * channels + plane[l]) * height + y_at) * width + x_at, stride_w);
        v = first_lanes(mix(v, read, within(x_at + apart, width)), run);
      }
      sums[l] += dot(d, v);
    }
    p += run;
    column += run;
    if (column == out_width) {
      column = 0;
      if (++row == out_height) {
        row = 0;
        ++n;
      }
    }
  }
  return sums;
}

void kernel(int e) {
  int taps = channels / groups * kernel_h * kernel_w, positions = batch * out_height * out_width;
  vec4 result = vec4(0.0);
  for (int lane = 0; lane < 4 && e + lane < floats;) {
    int i = e + lane, k = i % taps, run = min(4 - lane, taps - k);
    i /= taps;
    int p = i / out_channels * piece;
    result = put(result, along(i % out_channels, k, run, p, min(p + piece, positions)), lane);
    lane += run;
  }
  dweight = result;
}

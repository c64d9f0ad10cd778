// y[pieces, batch, out_channels, out_height, out_width]: each output sums `piece` taps of its window; a tap is an input
// channel of the group and a place in the kernel. The device cuts long sums into pieces and adds those in a second draw.
// Zeros around x count as numbers: a weight that is NaN shows there too.

/// Four outputs of channel o side by side, from `column` on: their taps s up to `end`.
vec4 across(int n, int o, int row, int column, int s, int end) {
  int area = kernel_h * kernel_w, filter_channels = channels / groups, weights = o * filter_channels * area;
  int h = (s % area) / kernel_w, w = s % kernel_w;
  int plane = n * channels + o / (out_channels / groups) * filter_channels + s / area;
  int top = row * stride_h - pad_h, left = column * stride_w - pad_w;
  ivec4 apart = ivec4(0, 1, 2, 3) * stride_w;
  vec4 sum = vec4(has_bias != 0 && s == 0 ? at(bias, o) : 0.0);
  for (; s < end; ++s) {
    int y_at = top + h * dilation_h, x_at = left + w * dilation_w;
    vec4 v = vec4(0.0);
    if (y_at >= 0 && y_at < height) {
      ivec4 lanes = x_at + apart;
      v = mix(v, gather(x, (plane * height + y_at) * width + x_at, stride_w), within(lanes, width));
    }
    sum += at(weight, weights + s) * v;
    if (++w == kernel_w) {
      w = 0;
      if (++h == kernel_h) {
        h = 0;
        ++plane;
      }
    }
  }
  return sum;
}

void kernel(int e) {
  int taps = channels / groups * kernel_h * kernel_w;
  vec4 result = vec4(0.0);
  for (int lane = 0; lane < 4 && e + lane < floats;) {
    int i = e + lane, column = i % out_width;
    i /= out_width;
    int row = i % out_height;
    i /= out_height;
    int o = i % out_channels;
    i /= out_channels;
    int s = i / batch * piece;
    result = put(result, across(i % batch, o, row, column, s, min(s + piece, taps)), lane);
    lane += out_width - column;
  }
  y = result;
}

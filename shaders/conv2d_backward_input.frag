// dx[pieces, batch, channels, height, width]: each element sums `piece` taps; a tap is an output channel of the group and
// a place in the kernel, and counts where that place read the element: dx[i] = the sum of w[tap] dy[o], i = o stride - pad
// + place * dilation. The device cuts long sums into pieces and adds those in a second draw.

/// Four elements of channel c side by side, from `column` on: their taps s up to `end`.
vec4 across(int n, int c, int row, int column, int s, int end) {
  int area = kernel_h * kernel_w, filter_channels = channels / groups, filter_outputs = out_channels / groups;
  int h = (s % area) / kernel_w, w = s % kernel_w;
  int o = c / filter_channels * filter_outputs + s / area;
  c %= filter_channels;
  vec4 sum = vec4(0.0);
  for (; s < end; ++s) {
    int below = row + pad_h - h * dilation_h, out_row = below / stride_h;
    if (below >= 0 && out_row < out_height && out_row * stride_h == below) {
      int from = ((n * out_channels + o) * out_height + out_row) * out_width, beside = column + pad_w - w * dilation_w;
      ivec4 over = beside + ivec4(0, 1, 2, 3), out_column = over / stride_w;
      vec4 v;
      if (stride_w == 1) {
        v = load4(dy, from + beside);
      } else {
        ivec4 t = from + out_column;
        v = vec4(at(dy, t.x), at(dy, t.y), at(dy, t.z), at(dy, t.w));
      }
      v *= at(weight, ((o * filter_channels + c) * kernel_h + h) * kernel_w + w);
      v = mix(vec4(0.0), v, equal(over, out_column * stride_w));
      v = mix(vec4(0.0), v, greaterThanEqual(over, ivec4(0)));
      sum += mix(vec4(0.0), v, lessThan(out_column, ivec4(out_width)));
    }
    if (++w == kernel_w) {
      w = 0;
      if (++h == kernel_h) {
        h = 0;
        ++o;
      }
    }
  }
  return sum;
}

void kernel(int e) {
  int taps = out_channels / groups * kernel_h * kernel_w;
  vec4 result = vec4(0.0);
  for (int lane = 0; lane < 4 && e + lane < floats;) {
    int i = e + lane, column = i % width;
    i /= width;
    int row = i % height;
    i /= height;
    int c = i % channels;
    i /= channels;
    int s = i / batch * piece;
    result = put(result, across(i % batch, c, row, column, s, min(s + piece, taps)), lane);
    lane += width - column;
  }
  dx = result;
}

// A convolution as a product: columns[batch, channels, kernel_h, kernel_w, out_height, out_width] holds what each tap
// reads for each output, and its gradient gathers from such columns.

#ifdef STAGE_conv2d_columns

/// Each run of lanes within one row of outputs is read at once.
void kernel(int e) {
  vec4 result = vec4(0.0);
  ivec4 apart = ivec4(0, 1, 2, 3) * stride_w;
  for (int lane = 0, lanes = min(4, floats - e); lane < lanes;) {
    int i = e + lane, column = i % out_width, rest = i / out_width, row = rest % out_height;
    rest /= out_height;
    int w = rest % kernel_w, h = rest / kernel_w % kernel_h, plane = rest / (kernel_w * kernel_h);
    int y_at = row * stride_h - pad_h + h * dilation_h, x_at = column * stride_w - pad_w + w * dilation_w;
    vec4 v = vec4(0.0);
    if (y_at >= 0 && y_at < height) {
      v = mix(v, gather(x, (plane * height + y_at) * width + x_at, stride_w), within(x_at + apart, width));
    }
    result = put(result, v, lane);
    lane += out_width - column;
  }
  columns = result;
}

#else

/// Four elements of one row, from `column` on: the sum over the taps that read them.
vec4 taps_of(int plane, int row, int column) {
  vec4 sum = vec4(0.0);
  ivec4 beside = ivec4(0, 1, 2, 3);
  for (int h = 0; h < kernel_h; ++h) {
    int below = row + pad_h - h * dilation_h, out_row = below / stride_h;
    if (below < 0 || out_row >= out_height || out_row * stride_h != below) continue;
    for (int w = 0; w < kernel_w; ++w) {
      int from = (((plane * kernel_h + h) * kernel_w + w) * out_height + out_row) * out_width;
      ivec4 over = column + pad_w - w * dilation_w + beside, out_column = over / stride_w, t = from + out_column;
      vec4 v;
      if (stride_w == 1) {
        v = load4(columns, t.x);
      } else {
        v = vec4(at(columns, t.x), at(columns, t.y), at(columns, t.z), at(columns, t.w));
      }
      v = mix(vec4(0.0), v, equal(over, out_column * stride_w));
      v = mix(vec4(0.0), v, greaterThanEqual(over, ivec4(0)));
      sum += mix(vec4(0.0), v, lessThan(out_column, ivec4(out_width)));
    }
  }
  return sum;
}

void kernel(int e) {
  vec4 result = vec4(0.0);
  for (int lane = 0, lanes = min(4, floats - e); lane < lanes;) {
    int i = e + lane, column = i % width, rest = i / width;
    result = put(result, taps_of(rest / height, rest % height, column), lane);
    lane += width - column;
  }
  dx = result;
}

#endif

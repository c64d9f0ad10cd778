// Each run of lanes within one row of one input is read at once.
vec4 input4(int which, int i) {
  switch (which) {
    case 0: return load4(x0, i);
    case 1: return load4(x1, i);
    case 2: return load4(x2, i);
    case 3: return load4(x3, i);
    case 4: return load4(x4, i);
    case 5: return load4(x5, i);
    case 6: return load4(x6, i);
    default: return load4(x7, i);
  }
}

/// The input that a column lies in, the column within it, and the input's width.
ivec3 find(int column) {
  int widths[8] = int[8](w0, w1, w2, w3, w4, w5, w6, w7);
  int which = 0;
  while (which < 7 && column >= widths[which]) column -= widths[which++];
  return ivec3(which, column, widths[which]);
}

void kernel(int e) {
  int width = w0 + w1 + w2 + w3 + w4 + w5 + w6 + w7;
  vec4 result = vec4(0.0);
  for (int lane = 0, lanes = min(4, floats - e); lane < lanes;) {
    ivec3 found = find((e + lane) % width);
    result = put(result, input4(found.x, ((e + lane) / width) * found.z + found.y), lane);
    lane += found.z - found.y;
  }
  y = result;
}

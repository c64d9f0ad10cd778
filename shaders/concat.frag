// Four lanes of one input are loaded at once; where they straddle inputs or rows, each lane finds its own.
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

float lane(int i, int width) {
  ivec3 found = find(i % width);
  return input4(found.x, (i / width) * found.z + found.y).x;
}

void kernel(int e) {
  int width = w0 + w1 + w2 + w3 + w4 + w5 + w6 + w7;
  ivec3 found = find(e % width);
  if (found.y + 3 < found.z) {
    y = input4(found.x, (e / width) * found.z + found.y);
  } else {
    y = vec4(lane(e, width), lane(e + 1, width), lane(e + 2, width), lane(e + 3, width));
  }
}

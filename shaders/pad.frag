// Where the inner size is a multiple of 4 all lanes lie on one row of the middle axis.
float lane(int i) {
  int middle = (i / inner) % size - start;
  if (middle < 0 || middle >= length) return 0.0;
  return at(x, ((i / (inner * size)) * length + middle) * inner + i % inner);
}

void kernel(int e) {
  if (inner % 4 != 0) {
    y = vec4(lane(e), lane(e + 1), lane(e + 2), lane(e + 3));
    return;
  }
  int middle = (e / inner) % size - start;
  bool within = middle >= 0 && middle < length;
  y = within ? load4(x, ((e / (inner * size)) * length + middle) * inner + e % inner) : vec4(0.0);
}

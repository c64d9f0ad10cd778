// Each output adds the sums of the pieces before its own, parts[outer, pieces, inner], and its own piece up to it; or in
// reverse those after it, and its own piece from it on.
float lane(int i) {
  int row = i / inner, column = i % inner, at_size = row % size, block = row / size;
  int pieces = (size + piece - 1) / piece, own_piece = at_size / piece;
  int from = reverse != 0 ? own_piece + 1 : 0, to = reverse != 0 ? pieces : own_piece;
  float before = 0.0, within_piece = 0.0;
  for (int k = from; k < to; ++k) before += at(parts, (block * pieces + k) * inner + column);
  int first = reverse != 0 ? at_size : own_piece * piece;
  int last = reverse != 0 ? min((own_piece + 1) * piece, size) - 1 : at_size;
  for (int s = first; s <= last; ++s) within_piece += at(x, (block * size + s) * inner + column);
  return before + within_piece;
}

void kernel(int e) {
  vec4 result = vec4(0.0);
  for (int l = 0, lanes = min(4, floats - e); l < lanes; ++l) result[l] = lane(e + l);
  y = result;
}

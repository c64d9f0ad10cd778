/// Which row an index names, -1 where it names none.
int row_of(float named) { return named >= 0.0 && named < float(size) && floor(named) == named ? int(named) : -1; }

/// A run of lanes of one row that is picked whole is read at once; else each lane picks its own.
void kernel(int e) {
  vec4 result = vec4(0.0);
  for (int lane = 0, lanes = min(4, floats - e); lane < lanes;) {
    int place = (e + lane) / inner, column = (e + lane) % inner;
    int row = row_of(at(index, rows != 0 ? place : e + lane));
    vec4 v = row < 0 ? vec4(0.0) : load4(x, ((place / count) * size + row) * inner + column);
    result = put(result, v, lane);
    lane += rows != 0 ? inner - column : 1;
  }
  y = result;
}

void kernel(int e) {
  int draws = int(at(step, STEP_draws_high)) << 16 | int(at(step, STEP_draws_low));
  bvec4 keep = greaterThanEqual(uniform4(e, seed_low, seed_high, stream, draws + draw), vec4(p));
  y = mix(vec4(0.0), own(x) / (1.0 - p), keep);
}

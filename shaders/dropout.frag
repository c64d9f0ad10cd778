void kernel(int e) {
  bvec4 keep = greaterThanEqual(uniform4(e, seed_low, seed_high, stream, draw), vec4(p));
  y = mix(vec4(0.0), own(x) / (1.0 - p), keep);
}

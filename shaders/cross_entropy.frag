// A row of logits each. A target that is no class makes NaN, so that it is seen.

/// The loss and the weight of one row.
vec2 row_of(int row) {
  float wanted = at(target, row);
  if (wanted == float(ignored)) return vec2(0.0);
  if (!(wanted >= 0.0 && wanted < float(classes) && floor(wanted) == wanted)) return vec2(uintBitsToFloat(0x7fc00000u));
  int hit_class = int(wanted), first = row * classes;
  float counts = sample_weighted != 0 ? at(sample_weight, row) : 1.0;
  float best = at(maximum, row), log_sum = exact_log(vec4(at(sum, row))).x;
  float weight = class_weighted != 0 ? counts * at(class_weight, hit_class) : counts;
  float loss = weight * (1.0 - smoothing) * (log_sum - (at(logits, first + hit_class) - best));
  if (smoothing > 0.0) {
    vec4 all = vec4(0.0);
    for (int c = 0; c < classes; c += 4) {
      vec4 each = log_sum - (load4(logits, first + c) - best);
      if (class_weighted != 0) each *= load4(class_weight, c);
      all += first_lanes(each, classes - c);
    }
    loss += counts * smoothing / float(classes) * total(all);
  }
  return vec2(loss, weight);
}

void kernel(int e) {
  vec4 losses = vec4(0.0), weights = vec4(0.0);
  for (int l = 0, lanes = min(4, floats - e); l < lanes; ++l) {
    vec2 one = row_of(e + l);
    losses[l] = one.x;
    weights[l] = one.y;
  }
  loss = losses;
  weight = weights;
}

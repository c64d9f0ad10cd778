// With p = exp(logits - maximum) / sum: dlogits[c] = dy / weight_sum * sample_weight *
//   ((1 - smoothing) class_weight[target] (p - 1 where c is the target) +
//    smoothing / classes (p class_sum - class_weight[c])).

/// Up to four classes of one row, from its float `i` on.
vec4 run_of(int i, float scale) {
  int row = i / classes, c = i % classes;
  float wanted = at(target, row);
  if (wanted == float(ignored)) return vec4(0.0);
  if (!(wanted >= 0.0 && wanted < float(classes) && floor(wanted) == wanted)) return vec4(uintBitsToFloat(0x7fc00000u));
  int hit_class = int(wanted);
  float counts = sample_weighted != 0 ? scale * at(sample_weight, row) : scale;
  float weight = class_weighted != 0 ? at(class_weight, hit_class) : 1.0;
  vec4 p = exact_exp(load4(logits, i) - at(maximum, row)) / at(sum, row);
  vec4 hit = vec4(equal(ivec4(c) + ivec4(0, 1, 2, 3), ivec4(hit_class)));
  vec4 d = (1.0 - smoothing) * weight * (p - hit);
  if (smoothing > 0.0) {
    vec4 weights = class_weighted != 0 ? load4(class_weight, c) : vec4(1.0);
    float class_total = class_weighted != 0 ? at(class_sum, 0) : float(classes);
    d += smoothing / float(classes) * (p * class_total - weights);
  }
  return counts * d;
}

void kernel(int e) {
  float counted = at(weight_sum, 0);
  dlogits = vec4(0.0);
  if (counted == 0.0) return;
  float scale = at(dy, 0) / counted;
  for (int l = 0; l < 4 && e + l < floats;) {
    dlogits = put(dlogits, run_of(e + l, scale), l);
    l += classes - (e + l) % classes;
  }
}

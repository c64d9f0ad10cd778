// Lion: only the sign of the averaged gradient counts.
void kernel(int e) {
  vec4 value = own(p), average = own(exp_avg);
  if (at(applied, 0) != 0.0) {
    vec4 grad = clipped(own(g), at(squared_norm, 0), scale, max_norm, max_value);
    float learning_rate = at(step, STEP_learning_rate);
    vec4 direction = sign_of(beta1 * average + (1.0 - beta1) * grad);
    value = value * (1.0 - learning_rate * weight_decay) - learning_rate * direction;
    average = flush(beta2 * average + (1.0 - beta2) * grad);
  }
  p_next = value;
  exp_avg_next = average;
}

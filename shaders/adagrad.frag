// torch.optim.Adagrad.
void kernel(int e) {
  vec4 value = own(p), sum = own(accumulated);
  if (at(applied, 0) != 0.0) {
    vec4 grad = clipped(own(g), at(squared_norm, 0), scale, max_norm, max_value) + weight_decay * value;
    sum += grad * grad;
    value -= at(step, STEP_learning_rate) * grad / (sqrt(sum) + eps);
  }
  p_next = value;
  accumulated_next = sum;
}

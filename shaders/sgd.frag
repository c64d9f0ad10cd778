// torch.optim.SGD.
void kernel(int e) {
  vec4 value = own(p);
  if (at(applied, 0) == 0.0) {
    p_next = value;
    momentum_buffer_next = own(momentum_buffer);
    return;
  }
  vec4 grad = clipped(own(g), at(squared_norm, 0), scale, max_norm, max_value) + weight_decay * value;
  vec4 average = flush(momentum == 0.0 ? grad : momentum * own(momentum_buffer) + grad);
  p_next = value - at(step, STEP_learning_rate) * (nesterov == 1 ? grad + momentum * average : average);
  momentum_buffer_next = average;
}

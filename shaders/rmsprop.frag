// torch.optim.RMSprop.
void kernel(int e) {
  vec4 value = own(p), square = own(square_avg), step4 = own(momentum_buffer);
  if (at(applied, 0) != 0.0) {
    vec4 grad = clipped(own(g), at(squared_norm, 0), scale, max_norm, max_value) + weight_decay * value;
    square = flush(alpha * square + (1.0 - alpha) * grad * grad);
    vec4 part = grad / (sqrt(square) + eps);
    step4 = flush(momentum == 0.0 ? part : momentum * step4 + part);
    value -= at(step, STEP_learning_rate) * step4;
  }
  p_next = value;
  square_avg_next = square;
  momentum_buffer_next = step4;
}

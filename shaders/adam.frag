// torch.optim.Adam, or AdamW where decoupled: weight decay acts on the value, not on the gradient.
void kernel(int e) {
  vec4 value = own(p), average = own(exp_avg), square = own(exp_avg_sq);
  if (at(applied, 0) != 0.0) {
    float learning_rate = at(step, STEP_learning_rate) * rate;
    vec4 grad = clipped(own(g), at(squared_norm, 0), scale, max_norm, max_value);
    if (decoupled == 1) {
      value *= 1.0 - learning_rate * weight_decay;
    } else {
      grad += weight_decay * value;
    }
    average = flush(beta1 * average + (1.0 - beta1) * grad);
    square = flush(beta2 * square + (1.0 - beta2) * grad * grad);
    value -= learning_rate / at(step, STEP_correction1) * average / (sqrt(square / at(step, STEP_correction2)) + eps);
  }
  p_next = value;
  exp_avg_next = average;
  exp_avg_sq_next = square;
}

// torch.optim.Adam, or AdamW where decoupled: weight decay acts on the value, not on the gradient.
void kernel(int e) {
  vec4 value = own(p), grad = own(g) * clip_scale(at(squared_norm, 0), max_norm);
  if (decoupled == 1) {
    value *= 1.0 - learning_rate * weight_decay;
  } else {
    grad += weight_decay * value;
  }
  vec4 average = flush(beta1 * own(exp_avg) + (1.0 - beta1) * grad);
  vec4 square = flush(beta2 * own(exp_avg_sq) + (1.0 - beta2) * grad * grad);
  p_next = value - learning_rate / correction1 * average / (sqrt(square / correction2) + eps);
  exp_avg_next = average;
  exp_avg_sq_next = square;
}

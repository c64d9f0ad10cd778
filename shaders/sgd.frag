// torch.optim.SGD. Without momentum, and in the first step, the buffer before is not used: it may hold anything.
void kernel(int e) {
  vec4 value = own(p), grad = own(g) * clip_scale(at(squared_norm, 0), max_norm) + weight_decay * value;
  vec4 momentum4 = flush(first == 1 || momentum == 0.0 ? grad : momentum * own(momentum_buffer) + grad);
  p_next = value - learning_rate * momentum4;
  momentum_buffer_next = momentum4;
}

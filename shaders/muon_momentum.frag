// momentum_buffer is an average here, not a sum as in SGD.
void kernel(int e) {
  vec4 average = own(momentum_buffer);
  update = average;
  if (at(applied, 0) != 0.0) {
    vec4 grad = clipped(own(g), at(squared_norm, 0), scale, max_norm, max_value);
    average = flush(momentum * average + (1.0 - momentum) * grad);
    update = nesterov == 1 ? momentum * average + (1.0 - momentum) * grad : average;
  }
  momentum_buffer_next = average;
}

void kernel(int e) {
  p_next = own(p);
  float learning_rate = at(step, STEP_learning_rate);
  if (at(applied, 0) != 0.0) p_next = p_next * (1.0 - learning_rate * weight_decay) - learning_rate * ratio * own(update);
}

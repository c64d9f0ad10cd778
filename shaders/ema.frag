void kernel(int e) {
  average_next = own(average);
  float decay = at(step, STEP_ema_decay);
  if (at(applied, 0) != 0.0) average_next = decay * average_next + (1.0 - decay) * own(p);
}

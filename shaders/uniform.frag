void kernel(int e) { y = low + (high - low) * uniform4(e, seed_low, seed_high, stream, draw); }

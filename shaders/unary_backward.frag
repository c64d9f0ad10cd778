void kernel(int e) { dx = backward(own(dy), own(x), own(y), p); }

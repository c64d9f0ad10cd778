void kernel(int e) { y = forward(own(x), p); }

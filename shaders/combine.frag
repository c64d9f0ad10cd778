void kernel(int e) { z = a * own(x) + b * own(y); }

void kernel(int e) { y = vec4(value); }

void kernel(int e) {
  vec4 result = own(y), gradient = own(dy), sums = around4(along, e, reduce, inner);
  dx = logarithmic != 0 ? gradient - exact_exp(result) * sums : result * (gradient - sums);
}

void kernel(int e) {
  vec4 shifted = own(x) - around4(maximum, e, reduce, inner), sums = around4(sum, e, reduce, inner);
  if (logarithmic != 0) {
    y = shifted - exact_log(sums);
  } else {
    y = exact_exp(shifted) / sums;
  }
}

float quantile(int k) {
  if (k < 8) return k < 4 ? (k < 2 ? (k == 0 ? q0 : q1) : (k == 2 ? q2 : q3))
                          : (k < 6 ? (k == 4 ? q4 : q5) : (k == 6 ? q6 : q7));
  return k < 12 ? (k < 10 ? (k == 8 ? q8 : q9) : (k == 10 ? q10 : q11))
                : (k < 14 ? (k == 12 ? q12 : q13) : (k == 14 ? q14 : q15));
}

void kernel(int e) {
  vec4 q = vec4(0.0), wanted = vec4(0.0);
  for (int l = 0, lanes = min(4, floats - e); l < lanes; ++l) {
    q[l] = quantile((e + l) % count);
    wanted[l] = at(target, (e + l) / count);
  }
  vec4 error = wanted - own(given);
  y = nan_max(q * error, (q - 1.0) * error);
  slope = 0.5 - q - 0.5 * sign_of(error);
}

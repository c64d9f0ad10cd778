#pragma once
// The least value of a function of a few variables whose slopes nobody knows (Nelder & Mead 1965): a simplex that
// reflects, stretches and shrinks itself downhill. The same steps each time, so the same answer on every device.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace sg {

struct SimplexResult {
  std::vector<double> at;
  double value = 0;
  int evaluations = 0;
};

/// `f(const std::vector<double>&)` must be finite; `step` is the size of the first simplex. Stops when the values of
/// all corners are within `tolerance` of the best one, relatively, or after `most` evaluations.
template <typename F>
SimplexResult simplex_minimum(const F& f, const std::vector<double>& start, double step, double tolerance, int most) {
  struct Corner {
    std::vector<double> at;
    double value;
  };
  const size_t n = start.size();
  int evaluations = 0;
  const auto corner = [&](std::vector<double> at) {
    ++evaluations;
    const double value = f(at);
    return Corner{std::move(at), value};
  };
  std::vector<Corner> simplex{corner(start)};
  for (size_t i = 0; i < n; ++i) {
    std::vector<double> at = start;
    at[i] += step;
    simplex.push_back(corner(std::move(at)));
  }
  const auto better = [](const Corner& a, const Corner& b) { return a.value < b.value; };
  for (;;) {
    std::stable_sort(simplex.begin(), simplex.end(), better);
    const double best = simplex.front().value, worst = simplex.back().value;
    if (evaluations >= most || worst - best <= tolerance * (std::abs(best) + tolerance)) break;
    std::vector<double> middle(n, 0);
    for (size_t c = 0; c < n; ++c)
      for (size_t i = 0; i < n; ++i) middle[i] += simplex[c].at[i] / static_cast<double>(n);
    const auto along = [&](double way) {
      std::vector<double> at(n);
      for (size_t i = 0; i < n; ++i) at[i] = middle[i] + way * (simplex[n].at[i] - middle[i]);
      return corner(std::move(at));
    };
    const Corner reflected = along(-1);
    if (reflected.value < best) {
      const Corner further = along(-2);
      simplex[n] = further.value < reflected.value ? further : reflected;
      continue;
    }
    if (reflected.value < simplex[n - 1].value) {
      simplex[n] = reflected;
      continue;
    }
    const Corner nearer = along(reflected.value < worst ? -0.5 : 0.5);
    if (nearer.value < std::min(reflected.value, worst)) {
      simplex[n] = nearer;
      continue;
    }
    for (size_t c = 1; c <= n; ++c) {
      std::vector<double> at(n);
      for (size_t i = 0; i < n; ++i) at[i] = (simplex[0].at[i] + simplex[c].at[i]) / 2;
      simplex[c] = corner(std::move(at));
    }
  }
  return {simplex.front().at, simplex.front().value, evaluations};
}

}  // namespace sg

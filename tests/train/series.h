// A small series for the tests of training: two columns, a daily wave with a trend and its delayed copy.
#pragma once
#include <cmath>
#include <string>

#include "io/csv.h"

namespace sg::test {

inline std::string wave_csv(int rows) {
  std::string text = "time,load,temperature\n";
  for (int i = 0; i < rows; ++i) {
    const double wave = std::sin(i * 6.283185307 / 24), noise = std::sin(i * 12.9898) * 0.05;
    text += std::to_string(1000 + i) + "," + std::to_string(5 + 2 * wave + noise) + "," +
            std::to_string(20 + 3 * std::sin((i - 4) * 6.283185307 / 24)) + "\n";
  }
  return text;
}

}  // namespace sg::test

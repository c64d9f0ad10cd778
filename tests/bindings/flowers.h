// A small table of mixed columns whose targets follow from them, and a run on it.
#pragma once
#include <cmath>
#include <sstream>

#include "tests/bindings/module.h"

namespace sg::test {

/// Two numbers, one of them with gaps, a category, and what follows from them by a rule that no line describes.
inline std::string flowers(int rows, bool with_target = true, const std::string& odd_soil = "") {
  std::ostringstream csv;
  csv << "length,width,soil" << (with_target ? ",kind,weight\n" : "\n");
  uint32_t state = 1;
  const auto draw = [&] { return static_cast<double>((state = state * 1664525 + 1013904223) >> 8) / (1 << 24); };
  for (int r = 0; r < rows; ++r) {
    const double length = 4 * draw() - 2, width = 4 * draw() - 2;
    const bool clay = draw() < 0.5;
    csv << length << ",";
    if (draw() > 0.05) csv << width;
    csv << "," << (r == 1 && !odd_soil.empty() ? odd_soil : clay ? "clay" : "sand");
    if (with_target) {
      const bool round = (length * width > 0) != clay;
      csv << ","
          << (round        ? "round"
              : length > 1 ? "\"long, thin\""
                           : "flat")
          << "," << 10 + 3 * std::abs(length) + (clay ? 2 : 0) * width;
    }
    csv << "\n";
  }
  return csv.str();
}

inline json table_config(const std::string& target, int epochs, const std::string& device = "cpu") {
  return {{"model", {{"name", "residual_mlp"}, {"width", 24}, {"blocks", 2}}},
          {"data", {{"features", {"length", "width", "soil"}}, {"target", target}}},
          {"training", {{"epochs", epochs}, {"batchSize", 32}, {"seed", 3}, {"device", device}}}};
}

}  // namespace sg::test

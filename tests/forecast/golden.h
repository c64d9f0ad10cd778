#pragma once
// The reference values of tests/golden/forecast.json (golden/make_forecast_golden.py).

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace sg::test {

inline const nlohmann::json& forecast_golden(const std::string& part) {
  static const nlohmann::json all = nlohmann::json::parse(std::ifstream(SG_SOURCE_DIR "/tests/golden/forecast.json"));
  return all.at(part);
}

inline std::vector<double> doubles(const nlohmann::json& list) {
  std::vector<double> values;
  for (const nlohmann::json& v : list) values.push_back(v.is_null() ? std::nan("") : v.get<double>());
  return values;
}

}  // namespace sg::test

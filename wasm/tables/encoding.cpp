#include "tables/encoding.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace sg {
namespace {

using nlohmann::json;

/// The q-quantile of sorted values, by straight lines between them, as numpy has it.
double quantile(const std::vector<float>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const size_t below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (double{sorted[above]} - double{sorted[below]});
}

ColumnScale fit_number(const std::string& name, std::vector<float> values, Scaling scaling, size_t rows) {
  ColumnFit fit;
  for (const float v : values) fit.add(v);
  if (values.empty())
    throw Error("table.empty_column",
                "column '" + name + "' has no value in the " + std::to_string(rows) + " training rows: leave it out");
  ColumnScale scale = fit.result(name, rows);
  if (scaling == Scaling::standard) return scale;
  std::sort(values.begin(), values.end());
  const bool robust = scaling == Scaling::robust;
  scale.mean = robust ? quantile(values, 0.5) : double{values.front()};
  const double span = robust ? quantile(values, 0.75) - quantile(values, 0.25) : double{values.back()} - values.front();
  scale.std = span > 0 ? span : 1;
  return scale;
}

json columns_json(const ColumnScale& c) { return {{"name", c.name}, {"mean", c.mean}, {"std", c.std}}; }

[[noreturn]] void bad(const std::string& field) {
  throw Error("checkpoint.corrupt", "the encoding's field '" + field + "' is missing or wrong");
}

const json& need(const json& j, const char* field, json::value_t type) {
  const bool there = j.is_object() && j.contains(field);
  const bool number = there && type == json::value_t::number_float && j[field].is_number();
  if (!there || (!number && j[field].type() != type)) bad(field);
  return j[field];
}

const json& list(const json& j, const char* field, size_t most) {
  const json& items = need(j, field, json::value_t::array);
  if (items.size() > most)
    throw Error("checkpoint.corrupt", "the encoding's field '" + std::string(field) + "' has " +
                                          std::to_string(items.size()) + " entries, and may have " +
                                          std::to_string(most));
  return items;
}

std::vector<std::string> texts(const json& j, const char* field, size_t most) {
  std::vector<std::string> all;
  for (const json& item : list(j, field, most)) {
    if (!item.is_string()) bad(field);
    all.push_back(item.get<std::string>());
  }
  return all;
}

ColumnScale scale_of(const json& j) {
  const ColumnScale scale{need(j, "name", json::value_t::string), need(j, "mean", json::value_t::number_float),
                          need(j, "std", json::value_t::number_float)};
  if (!std::isfinite(scale.mean) || !std::isfinite(scale.std) || scale.std <= 0) bad("std");
  return scale;
}

}  // namespace

size_t TableEncoding::marks() const {
  return static_cast<size_t>(std::count_if(numbers.begin(), numbers.end(), [](const auto& n) { return n.marked; }));
}

int TableEncoding::codes() const {
  return categories.empty() ? 0 : categories.back().first + categories.back().codes();
}

Scaler TableEncoding::scaler() const {
  Scaler scaler;
  for (const NumberCoding& n : numbers) scaler.features.push_back(n.scale);
  for (const NumberCoding& n : numbers)
    if (n.marked) scaler.features.push_back({n.scale.name, 0, 1});
  for (const CategoryCoding& c : categories) scaler.features.push_back({c.name, 0, 1});
  scaler.targets.push_back(target);
  return scaler;
}

std::vector<std::vector<size_t>> TableEncoding::places() const {
  const Scaler all = scaler();
  std::vector<std::vector<size_t>> places;
  for (const std::string& feature : features) {
    places.emplace_back();
    for (size_t i = 0; i < all.features.size(); ++i)
      if (all.features[i].name == feature) places.back().push_back(i);
  }
  return places;
}

json TableEncoding::to_json() const {
  json j{{"features", features}, {"numbers", json::array()},          {"categories", json::array()},
         {"classes", classes},   {"targetCategory", target_category}, {"target", columns_json(target)}};
  for (const NumberCoding& n : numbers) {
    j["numbers"].push_back(columns_json(n.scale));
    j["numbers"].back()["marked"] = n.marked;
  }
  for (const CategoryCoding& c : categories) j["categories"].push_back({{"name", c.name}, {"values", c.values}});
  return j;
}

TableEncoding TableEncoding::from_json(const json& j) {
  TableEncoding e;
  e.features = texts(j, "features", kMostColumns);
  for (const json& n : list(j, "numbers", e.features.size()))
    e.numbers.push_back({scale_of(n), need(n, "marked", json::value_t::boolean)});
  int first = 0;
  for (const json& c : list(j, "categories", e.features.size())) {
    const size_t left = kMostCodes - static_cast<size_t>(first);
    if (left < 2) bad("categories");
    e.categories.push_back({need(c, "name", json::value_t::string), texts(c, "values", left - 2), first});
    first += e.categories.back().codes();
  }
  e.classes = texts(j, "classes", kMostClasses);
  if (e.classes.size() == 1 || std::set(e.classes.begin(), e.classes.end()).size() < e.classes.size()) bad("classes");
  e.target_category = need(j, "targetCategory", json::value_t::boolean);
  e.target = scale_of(need(j, "target", json::value_t::object));
  if (e.width() == 0 || e.features.size() != e.numbers.size() + e.categories.size()) bad("features");
  for (const std::vector<size_t>& places : e.places())
    if (places.empty()) bad("features");
  return e;
}

void fit_features(TableEncoding& encoding, std::span<const TableColumn> features, std::span<const uint32_t> training,
                  Scaling scaling) {
  int first = 0;
  for (const TableColumn& column : features) {
    encoding.features.push_back(column.name);
    if (!column.category) {
      std::vector<float> values;
      for (const uint32_t row : training)
        if (!std::isnan(column.cells[row])) values.push_back(column.cells[row]);
      const bool marked = values.size() < training.size();
      encoding.numbers.push_back({fit_number(column.name, std::move(values), scaling, training.size()), marked});
      continue;
    }
    std::vector<uint64_t> times(column.categories.size(), 0);
    for (const uint32_t row : training)
      if (!std::isnan(column.cells[row])) ++times[static_cast<size_t>(column.cells[row])];
    CategoryCoding coding{column.name, {}, first};
    for (size_t code = 0; code < times.size(); ++code)
      if (times[code] > 1) coding.values.push_back(column.categories[code]);
    first += coding.codes();
    if (static_cast<size_t>(first) > kMostCodes)
      throw Error("table.too_many_categories", "with column '" + column.name + "' the categories have more than " +
                                                   std::to_string(kMostCodes) +
                                                   " different values together: leave it out");
    encoding.categories.push_back(std::move(coding));
  }
}

RowEncoder::RowEncoder(const TableEncoding& encoding, std::span<const TableColumn> columns) : encoding_(encoding) {
  size_t category = 0;
  for (size_t c = 0; c < columns.size(); ++c) {
    const TableColumn& column = columns[c];
    const bool wanted = category < encoding.categories.size() && encoding.categories[category].name == column.name;
    if (wanted != column.category)
      throw Error("table.column_type",
                  "column '" + column.name + "' holds " + (column.category ? "categories" : "numbers") +
                      ", and the model learnt from " + (wanted ? "categories" : "numbers") + " there");
    if (!wanted) {
      number_at_.push_back(c);
      continue;
    }
    const CategoryCoding& coding = encoding.categories[category++];
    std::map<std::string, int> known;
    for (size_t v = 0; v < coding.values.size(); ++v) known[coding.values[v]] = coding.first + 2 + static_cast<int>(v);
    Category made{&coding, {}, column.categories, {column.name, "", 0}};
    for (const std::string& value : column.categories) {
      const auto found = known.find(value);
      made.codes.push_back(static_cast<float>(found == known.end() ? coding.first : found->second));
    }
    categories_.push_back(std::move(made));
    category_at_.push_back(c);
  }
  if (number_at_.size() != encoding.numbers.size() || category != encoding.categories.size())
    throw Error("table.columns", "the rows have other columns than the model learnt from");
  for (const Category& c : categories_) unseen_.push_back(c.unseen);
}

void RowEncoder::encode(std::span<const std::span<const float>> cells, size_t rows, std::span<float> x) {
  const size_t width = encoding_.width(), numbers = encoding_.numbers.size(), marks = encoding_.marks();
  size_t mark = numbers;
  for (size_t n = 0; n < numbers; ++n) {
    const NumberCoding& coding = encoding_.numbers[n];
    const std::span<const float> column = cells[number_at_[n]];
    for (size_t r = 0; r < rows; ++r) {
      const bool missing = std::isnan(column[r]);  // then the middle of what training saw
      x[r * width + n] = missing ? 0.0f : coding.scale.scale(column[r]);
      if (coding.marked) x[r * width + mark] = missing ? 1.0f : 0.0f;
    }
    mark += coding.marked ? 1 : 0;
  }
  for (size_t c = 0; c < categories_.size(); ++c) {
    const Category& category = categories_[c];
    const std::span<const float> column = cells[category_at_[c]];
    for (size_t r = 0; r < rows; ++r) {
      float code = static_cast<float>(category.coding->first + 1);
      if (!std::isnan(column[r])) {
        // Also what is below zero or no number of a size that fits.
        if (!(column[r] >= 0 && column[r] < static_cast<float>(category.codes.size())))
          throw Error("table.bad_code", "column '" + category.coding->name + "' has a code that stands for no value");
        const auto own = static_cast<size_t>(column[r]);
        code = category.codes[own];
        if (code == static_cast<float>(category.coding->first) && unseen_[c].rows++ == 0)
          unseen_[c].example = category.values[own];
      }
      x[r * width + numbers + marks + c] = code;
    }
  }
}

}  // namespace sg

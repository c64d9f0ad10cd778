// How the rows of mixed columns become what a model reads, known from training rows alone: numbers scaled, a mark where
// a number was missing, and of each category the place of its value in one list of codes for all columns. A checkpoint
// holds it, and new data goes through the same.
//
// A row's numbers in order: the scaled numbers, the marks, the codes. A category has the codes `first` (any value that
// training did not see, or saw only once), `first + 1` (missing) and from `first + 2` on its values.
#pragma once
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "forecast/scaler.h"
#include "io/table.h"

namespace sg {

enum class Scaling { standard, min_max, robust };

/// What a table may have, and a checkpoint's encoding name: a model has weights for each class and each code.
inline constexpr size_t kMostClasses = 100, kMostCodes = size_t{1} << 18, kMostColumns = size_t{1} << 14;

/// One column as a table or its shards have it: numbers, or codes of `categories`; NaN where missing.
struct TableColumn {
  std::string name;
  bool category = false;
  std::vector<std::string> categories = {};
  std::vector<float> cells = {};
};

struct NumberCoding {
  ColumnScale scale;    // (value - mean) / std, whatever the scaling calls them
  bool marked = false;  // training rows lack it here and there: a mark says where
};

struct CategoryCoding {
  std::string name;
  std::vector<std::string> values;
  int first = 0;

  int codes() const { return static_cast<int>(values.size()) + 2; }
};

struct TableEncoding {
  std::vector<std::string> features;  // the columns' names as they were chosen
  std::vector<NumberCoding> numbers;
  std::vector<CategoryCoding> categories;
  std::vector<std::string> classes;  // none: the target is a number
  bool target_category = false;      // the classes are values of a category, else numbers
  ColumnScale target;

  size_t marks() const;
  /// Numbers of a row.
  size_t width() const { return numbers.size() + marks() + categories.size(); }
  /// Of all categories together.
  int codes() const;
  /// What stands at each place of a row, named after its column.
  Scaler scaler() const;
  /// Of each feature, in order, the places of a row that come from it.
  std::vector<std::vector<size_t>> places() const;

  nlohmann::json to_json() const;
  /// Throws checkpoint.corrupt naming the field.
  static TableEncoding from_json(const nlohmann::json& json);
};

/// Fitted on the rows in `training`. Throws table.empty_column where a number has no value there, and
/// table.too_many_categories where all values together would have more than kMostCodes codes.
void fit_features(TableEncoding& encoding, std::span<const TableColumn> features, std::span<const uint32_t> training,
                  Scaling scaling);

/// Turns rows of columns that have the encoding's names, in its order, into what the model reads.
class RowEncoder {
 public:
  /// `columns` need no cells. Throws table.column_type where a number has become a category, or the other way round.
  RowEncoder(const TableEncoding& encoding, std::span<const TableColumn> columns);
  /// cells[c]: of `rows` rows of column c; x[rows, width].
  void encode(std::span<const std::span<const float>> cells, size_t rows, std::span<float> x);

  struct Unseen {
    std::string column, example;
    uint64_t rows = 0;
  };
  /// Values that training has not seen, by column; they count as "other".
  const std::vector<Unseen>& unseen() const { return unseen_; }

 private:
  struct Category {
    const CategoryCoding* coding;
    std::vector<float> codes;  // by the column's own code
    std::vector<std::string> values;
    Unseen unseen;
  };
  const TableEncoding& encoding_;
  std::vector<size_t> number_at_, category_at_;  // the columns of each
  std::vector<Category> categories_;
  std::vector<Unseen> unseen_;
};

}  // namespace sg

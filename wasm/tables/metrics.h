// How well classes are told apart. Probabilities are rows of one number a class; truths are the numbers of the classes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace sg {

struct ClassScores {
  double accuracy = 0, macro_f1 = 0, log_loss = 0;
  uint64_t count = 0;
  std::vector<std::vector<uint64_t>> confusion;  // [truth][predicted]
  struct Class {
    double precision = 0, recall = 0, f1 = 0;  // 0 where nothing was predicted, or nothing was there
    uint64_t support = 0;
  };
  std::vector<Class> by_class;
};

/// Logits become probabilities, in place.
void to_probabilities(std::span<float> logits, size_t classes);

/// As scikit-learn counts: the macro F1 is over the classes that are there or were predicted, a probability counts as
/// 1e-15 at least.
class ClassSum {
 public:
  explicit ClassSum(size_t classes) : classes_(classes), confusion_(classes, std::vector<uint64_t>(classes, 0)) {}
  void add(std::span<const float> probabilities, std::span<const float> truths);
  ClassScores result() const;

 private:
  size_t classes_;
  std::vector<std::vector<uint64_t>> confusion_;
  double log_loss_ = 0;
};

/// The class with the highest probability, the first of them.
size_t predicted_class(std::span<const float> probabilities);

/// One class against all others.
struct ThresholdCurve {
  std::vector<std::pair<double, double>> roc;  // false positive rate, true positive rate; from (0, 0) to (1, 1)
  std::vector<std::pair<double, double>> pr;   // recall, precision; from the highest threshold down
  double area = 0;                             // under the ROC curve, all thresholds counted
  double average_precision = 0;                // sum of precision times the recall gained
};
/// At most `points` points a curve; `probabilities` of that class. Empty where all rows, or none, are of the class.
ThresholdCurve curve_of(std::span<const float> probabilities, std::span<const float> truths, size_t of, size_t points);

struct CalibrationBin {
  uint64_t count = 0;
  double confidence = 0;  // mean probability of what was predicted
  double accuracy = 0;    // how often it was right
};
/// Ten bins of equal width over the probability of the predicted class, the last with 1 in it.
std::vector<CalibrationBin> calibration(std::span<const float> probabilities, std::span<const float> truths,
                                        size_t classes);

}  // namespace sg

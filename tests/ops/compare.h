// What it means that a device agrees, and how a case is run on one. Comparisons return "" or a text that says what
// differs first, so that a test makes one assertion a case.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "tests/op_cases.h"

namespace sg::tests {

/// Each |got - want| <= tolerance * max(|want|, floor); NaN, +Inf and -Inf agree only with themselves.
std::string difference(std::span<const float> got, std::span<const double> want, double tolerance, double floor);

/// 1e-5, times the square root of the length of the longest sum; relative above the floor.
double tolerance_of(const OpCase& c);
double floor_of(const OpCase& c);

using Values = std::vector<std::vector<float>>;

/// The weights w of the scalar sum(w * y) whose gradient is tested: of size 1/2 to 3/2 and either sign.
std::vector<float> projection(const OpCase& c, size_t n);

Tensors tensors_of(Device& device, const OpCase& c, const Values& values);
std::vector<float> value_on(Device& device, const OpCase& c, const Values& values);
/// The gradient of sum(w * y) to each input, by backward; empty for inputs that have none.
Values gradients_on(Device& device, const OpCase& c, const Values& values);

/// What differs from the reference in the case's shape or values.
std::string value_difference(Device& device, const OpCase& c);
/// What differs in these gradients, of the case's inputs, from the slopes of the reference: relative 1e-3, absolute
/// 1e-5.
std::string gradient_difference(const OpCase& c, const Values& gradients);

/// "" where the cpu device's values and gradients on several threads are to the bit those on one, else what differs.
std::string threads_difference(const OpCase& c);

}  // namespace sg::tests

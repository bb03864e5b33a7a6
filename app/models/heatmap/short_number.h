// The text of a number of a heat map: of a texel, or at an end of the colours. Pure functions.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "core/tensor/dtype.h"

namespace dlscope::app {

// How much of a number is written. six: at most six significant digits. all: of a whole number every digit, for the values of integers.
enum class Digits : std::uint8_t { six, all };
[[nodiscard]] Digits digits_of(core::DType dtype);  // all, for integers

// Texels are kept as doubles; as floats those of images, and of a dtype whose values all are floats (texel_form). They hold every
// integer below this; the next one beyond it is rounded to it.
inline constexpr double kExactInDoubles = 9'007'199'254'740'992, kExactInFloats = 16'777'216;
[[nodiscard]] double exact_of(core::DType dtype);  // of texels of this dtype, not of an image

// With Digits::all a number from `exact` on, which may have been rounded, is written as "≈ 9223372036854775808"; a mean that is not
// whole has a digit behind the point ("1234567.2").
[[nodiscard]] std::string short_number(double value, Digits digits = Digits::six, double exact = kExactInDoubles);

// The same for numbers that stand beside each other, with as many more digits as tell those apart that differ: "1" and "1.0000001".
[[nodiscard]] std::vector<std::string> short_numbers(std::initializer_list<double> values, Digits digits = Digits::six,
                                                     double exact = kExactInDoubles);

// For a cell, which is cut with an ellipsis where it has no room: as many digits as the number has, so that two numbers that differ
// are two texts. Of what is kept as a float (kExactInFloats) the digits of a float: of 0.1 in float32 "0.1", and of the same
// number in float64, where it is not 0.1, "0.10000000149011612".
[[nodiscard]] std::string every_digit(double value, Digits digits = Digits::six, double exact = kExactInDoubles);

}  // namespace dlscope::app

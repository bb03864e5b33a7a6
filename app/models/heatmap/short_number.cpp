#include "app/models/heatmap/short_number.h"

#include <fmt/format.h>

#include <cmath>

namespace dlscope::app {
namespace {

constexpr double kLargestInteger = 18'446'744'073'709'551'616.0;  // 2^64: beyond it nothing is a value of an integer dtype
constexpr double kSixDigits = 1e5;                                // from here on six digits leave nothing behind the point

}  // namespace

Digits digits_of(core::DType dtype) {
  const auto code = static_cast<core::DTypeCode>(dtype.code);
  return code == core::DTypeCode::int_ || code == core::DTypeCode::uint ? Digits::all : Digits::six;
}

std::string short_number(double value, Digits digits, double exact) {
  const double size = std::abs(value);
  if (digits == Digits::six || !(size <= kLargestInteger)) return fmt::format("{:.6g}", value);
  if (size >= exact) return fmt::format("≈ {:.0f}", value);
  if (value == std::floor(value)) return fmt::format("{:.0f}", value == 0 ? 0.0 : value);
  return size < kSixDigits ? fmt::format("{:.6g}", value) : fmt::format("{:.1f}", value);
}

}  // namespace dlscope::app

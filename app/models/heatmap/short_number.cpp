#include "app/models/heatmap/short_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "core/reduce/number_rows.h"

namespace dlscope::app {
namespace {

constexpr double kLargestInteger = 18'446'744'073'709'551'616.0;  // 2^64: beyond it nothing is a value of an integer dtype
constexpr double kSixDigits = 1e5;                                // from here on six digits leave nothing behind the point
constexpr int kUsualDigits = 6, kMostDigits = 17;                 // 17 tell any two doubles apart

// With more digits than usual where the number is not one of an integer dtype that is written whole.
std::string with_digits(double value, int significant, Digits digits, double exact) {
  const bool is_whole = digits == Digits::all && (std::abs(value) >= exact || value == std::floor(value));
  return significant == kUsualDigits || is_whole ? short_number(value, digits, exact) : fmt::format("{:.{}g}", value, significant);
}

// Whether two of them differ, and not their texts.
bool look_equal(const std::vector<double>& values, const std::vector<std::string>& texts) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if ((values[i] < values[j] || values[j] < values[i]) && texts[i] == texts[j]) return true;
    }
  }
  return false;
}

}  // namespace

Digits digits_of(core::DType dtype) {
  const auto code = static_cast<core::DTypeCode>(dtype.code);
  return code == core::DTypeCode::int_ || code == core::DTypeCode::uint ? Digits::all : Digits::six;
}

double exact_of(core::DType dtype) { return core::fits_float(dtype) ? kExactInFloats : kExactInDoubles; }

std::string short_number(double value, Digits digits, double exact) {
  const double size = std::abs(value);
  if (digits == Digits::six || !(size <= kLargestInteger)) return fmt::format("{:.6g}", value);
  if (size >= exact) return fmt::format("≈ {:.0f}", value);
  if (value == std::floor(value)) return fmt::format("{:.0f}", value == 0 ? 0.0 : value);
  return size < kSixDigits ? fmt::format("{:.6g}", value) : fmt::format("{:.1f}", value);
}

std::vector<std::string> short_numbers(std::initializer_list<double> values, Digits digits, double exact) {
  const std::vector<double> all(values);
  std::vector<std::string> texts(all.size());
  for (int significant = kUsualDigits; significant <= kMostDigits; ++significant) {
    std::ranges::transform(all, texts.begin(), [&](double value) { return with_digits(value, significant, digits, exact); });
    if (!look_equal(all, texts)) break;
  }
  return texts;
}

std::string every_digit(double value, Digits digits, double exact) {
  const double size = std::abs(value);
  if (digits == Digits::all && (size >= exact || value == std::floor(value))) return short_number(value, digits, exact);
  const bool is_float = exact <= kExactInFloats && !(size > static_cast<double>(std::numeric_limits<float>::max())) &&
                        static_cast<double>(static_cast<float>(value)) == value;
  return is_float ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
}

}  // namespace dlscope::app

#include "app/models/values/value_summary.h"

#include <fmt/core.h>

#include <cmath>

#include "app/models/text/format.h"

namespace dlscope::app {
namespace {

using core::Value;
using core::ValueClass;
using core::ValueKind;

// As by Python's repr of a float.
std::string float_text(double value) {
  std::string text = fmt::format("{}", value);
  return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
}

__extension__ typedef __int128 Whole;

// A sum: exact for integers of any width, compensated for floats.
struct Sum {
  Whole whole = 0;
  double real = 0, lost = 0, imaginary = 0, imaginary_lost = 0;

  static void add(double& sum, double& lost, double value) {
    const double next = sum + value;
    if (std::isfinite(next)) lost += std::abs(sum) >= std::abs(value) ? (sum - next) + value : (value - next) + sum;
    sum = next;
  }
};

std::string whole_text(Whole value) {
  const bool negative = value < 0;
  std::string digits;
  do {
    const int digit = static_cast<int>(value % 10);
    digits.insert(digits.begin(), static_cast<char>('0' + (digit < 0 ? -digit : digit)));
    value /= 10;
  } while (value != 0);
  return negative ? "-" + digits : digits;
}

class Summary {
 public:
  explicit Summary(core::DType dtype) : dtype_(dtype) {}

  void add(const Value& value) {
    ++values_;
    kind_ = value.kind;
    if (value.value_class == ValueClass::nan) {
      ++nan_;
      return;
    }
    if (kind_ == ValueKind::real || kind_ == ValueKind::complex) {
      Sum::add(sum_.real, sum_.lost, value.real);
      Sum::add(sum_.imaginary, sum_.imaginary_lost, value.imaginary);
    } else {
      const bool truth = kind_ == ValueKind::boolean;
      sum_.whole += kind_ == ValueKind::signed_integer ? Whole{value.as_signed}
                    : truth                            ? Whole{value.as_unsigned != 0}
                                                       : Whole{value.as_unsigned};
    }
    if (!any_ || less(value, least_)) least_ = value;
    if (!any_ || less(most_, value)) most_ = value;
    any_ = true;
  }
  void add_unreadable() { ++unreadable_; }

  [[nodiscard]] std::string text(const char* why_missing) const {
    std::string text = counted(values_, "value", "values");
    if (kind_ == ValueKind::boolean) text += fmt::format(": {} true", whole_text(sum_.whole));
    if (any_ && kind_ == ValueKind::complex)
      text += fmt::format(": sum {}{:+}j", sum_.real + sum_.lost, sum_.imaginary + sum_.imaginary_lost);
    if (any_ && (kind_ == ValueKind::real || kind_ == ValueKind::signed_integer || kind_ == ValueKind::unsigned_integer)) {
      const std::string sum = kind_ == ValueKind::real ? float_text(sum_.real + sum_.lost) : whole_text(sum_.whole);
      text += fmt::format(": sum {}, min {}, max {}", sum, core::format_value(dtype_, least_), core::format_value(dtype_, most_));
    }
    if (nan_ > 0) text += fmt::format(", {} NaN left out", grouped(nan_));
    if (unreadable_ > 0) text += fmt::format(", {} {}", grouped(unreadable_), why_missing);
    return text;
  }

 private:
  [[nodiscard]] bool less(const Value& a, const Value& b) const {
    if (kind_ == ValueKind::real) return a.real < b.real;
    return kind_ == ValueKind::signed_integer ? a.as_signed < b.as_signed : a.as_unsigned < b.as_unsigned;
  }

  core::DType dtype_;
  ValueKind kind_ = ValueKind::bits;
  std::uint64_t values_ = 0, nan_ = 0, unreadable_ = 0;
  bool any_ = false;
  Sum sum_;
  Value least_, most_;
};

}  // namespace

std::string summary_of_cells(const ValueGrid& grid, core::TensorNumbers numbers, const CellRange& range, const CellSource& source,
                             const std::stop_token& stop) {
  const bool too_many = range.rows() > kMaxSummed || range.columns() > kMaxSummed / range.rows();
  if (too_many) return fmt::format("{} by {} selected, too many to add up here", grouped(range.rows()), grouped(range.columns()));
  const core::DType dtype = numbers.dtype;
  Summary summary(dtype);
  const auto take = [&](std::uint64_t, std::uint64_t, const CellBytes& fetched, std::size_t i) {
    if (fetched.complete[i] == 0) return summary.add_unreadable();
    for (unsigned lane = 0; lane < dtype.lanes && (lane + std::size_t{1}) * dtype.bits <= fetched.each * 8; ++lane)
      summary.add(with_sign_bits(dtype, numbers.decode(fetched.of(i), fetched.bits[i], lane), grid.signs()));
  };
  if (!read_cells(grid, range, range.rows(), range.columns(), source, stop, take)) return {};
  return summary.text(source.why_missing());
}

}  // namespace dlscope::app

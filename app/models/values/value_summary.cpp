#include "app/models/values/value_summary.h"

#include <fmt/core.h>

#include <cmath>

#include "app/models/text/format.h"
#include "app/models/values/not_a_time.h"

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

// A sum of finite numbers that no float64 holds is not infinite: an infinity among the values would be.
std::string sum_text(double sum) {
  return std::isfinite(sum) ? float_text(sum) : sum < 0 ? "beyond float64 (< -1.8e+308)" : "beyond float64 (> 1.8e+308)";
}

// As by Python's repr of a complex number, without its brackets.
std::string sum_text(double real, double imaginary) {
  if (std::isfinite(real) && std::isfinite(imaginary)) return fmt::format("{}{:+}j", real, imaginary);
  return fmt::format("beyond complex128 ({} part beyond float64)", std::isfinite(imaginary)   ? "real"
                                                                    : std::isfinite(real) ? "imaginary"
                                                                                           : "each");
}

__extension__ typedef __int128 Whole;

// A sum: exact for integers of any width, compensated for floats.
struct Sum {
  Whole whole = 0;
  long double real = 0, lost = 0, imaginary = 0, imaginary_lost = 0;  // the mean may be a double where the sum is none

  static void add(long double& sum, long double& lost, double number) {
    const long double value = number, next = sum + value;
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

// Values that are left out of sum, extremes and mean: "1 NaN".
struct LeftOut {
  const char* name;
  std::uint64_t count = 0;
};

class Summary {
 public:
  explicit Summary(core::DType dtype) : dtype_(dtype) {}

  void add(const Value& value) {
    ++values_;
    kind_ = value.kind;
    if (LeftOut* const out = left_out_of(value.value_class)) {
      ++out->count;
      return;
    }
    zeros_ += value.value_class == ValueClass::zero ? 1 : 0;
    if (kind_ == ValueKind::real || kind_ == ValueKind::complex) {
      Sum::add(sum_.real, sum_.lost, value.real);
      Sum::add(sum_.imaginary, sum_.imaginary_lost, value.imaginary);
    } else {
      const bool truth = kind_ == ValueKind::boolean;
      sum_.whole += kind_ == ValueKind::signed_integer ? Whole{value.as_signed}
                    : truth                            ? Whole{value.as_unsigned != 0}
                                                       : Whole{value.as_unsigned};
    }
    if (added_ == 0 || less(value, least_)) least_ = value;
    if (added_ == 0 || less(most_, value)) most_ = value;
    ++added_;
  }
  // An element without a number: a record, a text, a date.
  void add_item(bool no_time) {
    ++values_;
    not_a_time_.count += no_time ? 1 : 0;
  }
  void add_unreadable() { ++unreadable_; }

  [[nodiscard]] std::string text(const char* why_missing) const {
    std::string text = counted(values_, "value", "values") + numbers_text();
    std::string out;
    for (const LeftOut& one : {nan_, pos_inf_, neg_inf_, not_a_time_})
      if (one.count > 0) out += fmt::format("{}{} {}", out.empty() ? "; left out: " : ", ", grouped(one.count), one.name);
    text += out;
    if (unreadable_ > 0) text += fmt::format("; {} {}", grouped(unreadable_), why_missing);
    return text;
  }

 private:
  [[nodiscard]] bool is_whole() const { return kind_ == ValueKind::signed_integer || kind_ == ValueKind::unsigned_integer; }
  [[nodiscard]] bool less(const Value& a, const Value& b) const {
    if (kind_ == ValueKind::real) return a.real < b.real;
    return kind_ == ValueKind::signed_integer ? a.as_signed < b.as_signed : a.as_unsigned < b.as_unsigned;
  }
  [[nodiscard]] LeftOut* left_out_of(ValueClass value_class) {
    return value_class == ValueClass::nan                 ? &nan_
           : value_class == ValueClass::positive_infinity ? &pos_inf_
           : value_class == ValueClass::negative_infinity ? &neg_inf_
                                                          : nullptr;
  }

  // ": sum 66.0, min 0.0, max 11.0, mean 6.0, 1 zero"; "": there are none.
  [[nodiscard]] std::string numbers_text() const {
    if (kind_ == ValueKind::boolean) return fmt::format(": {} true", whole_text(sum_.whole));
    if (added_ == 0) return {};
    const auto count = static_cast<long double>(added_);
    const auto number = [](long double value) { return static_cast<double>(value); };
    const long double real = sum_.real + sum_.lost, imaginary = sum_.imaginary + sum_.imaginary_lost;
    std::string text;
    if (kind_ == ValueKind::complex)
      text = fmt::format(": sum {}, mean {}{:+}j", sum_text(number(real), number(imaginary)), number(real / count),
                         number(imaginary / count));
    else if (kind_ == ValueKind::real || is_whole())
      text = fmt::format(": sum {}, min {}, max {}, mean {}", is_whole() ? whole_text(sum_.whole) : sum_text(number(real)),
                         core::format_value(dtype_, least_), core::format_value(dtype_, most_),
                         float_text(number((is_whole() ? static_cast<long double>(sum_.whole) : real) / count)));
    if (!text.empty() && zeros_ > 0) text += ", " + counted(zeros_, "zero", "zeros");
    return text;
  }

  core::DType dtype_;
  ValueKind kind_ = ValueKind::bits;
  std::uint64_t values_ = 0, added_ = 0, zeros_ = 0, unreadable_ = 0;
  LeftOut nan_{"NaN"}, pos_inf_{"+Inf"}, neg_inf_{"-Inf"}, not_a_time_{"NaT"};
  Sum sum_;
  Value least_, most_;
};

}  // namespace

std::string summary_of_cells(const ValueGrid& grid, core::TensorNumbers numbers, const CellRange& range, const CellSource& source,
                             const std::stop_token& stop) {
  const bool too_many = range.rows() > kMaxSummed || range.columns() > kMaxSummed / range.rows();
  if (too_many)
    return fmt::format("{} by {} selected, too many to add up here: at most {}", grouped(range.rows()), grouped(range.columns()),
                       grouped(kMaxSummed));
  const core::DType dtype = numbers.dtype;
  Summary summary(dtype);
  const core::FieldLayout* const time = time_field(grid.snapshot(), grid.tensor());
  const auto take = [&](std::uint64_t, std::uint64_t, const CellBytes& fetched, std::size_t i) {
    if (fetched.complete[i] == 0) return summary.add_unreadable();
    if (dtype.code == core::kItemCode) return summary.add_item(time != nullptr && is_not_a_time(*time, fetched.of(i)));
    for (unsigned lane = 0; lane < dtype.lanes && (lane + std::size_t{1}) * dtype.bits <= fetched.each * 8; ++lane)
      summary.add(with_sign_bits(dtype, numbers.decode(fetched.of(i), fetched.bits[i], lane), grid.signs()));
  };
  if (!read_cells(grid, range, range.rows(), range.columns(), source, stop, take)) return {};
  return summary.text(source.why_missing());
}

}  // namespace dlscope::app

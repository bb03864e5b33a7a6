// typed_time(): dates and durations.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <numeric>
#include <optional>
#include <string>

#include "core/base/checked_math.h"
#include "core/base/utf8_text.h"
#include "core/tensor/not_a_time.h"
#include "core/tensor/typed_item.h"

namespace dlscope::core {
namespace {

constexpr Int128 kSecond = Int128{1'000'000'000} * 1'000'000'000;  // in attoseconds, the finest unit
constexpr Int128 kDay = kSecond * 86'400;
constexpr std::int64_t kFarthestYear = 200'000'000'000;  // a date beyond it is read in no unit but years: keeps the products below in range
constexpr std::size_t kFractionDigits = 18;

bool counts_months(DateUnit unit) { return unit == DateUnit::year || unit == DateUnit::month; }

// Months of a unit that counts these, else attoseconds.
Int128 size_of(DateUnit unit) {
  switch (unit) {
    case DateUnit::year:
      return 12;
    case DateUnit::generic:
    case DateUnit::month:
      return 1;
    case DateUnit::week:
      return kDay * 7;
    case DateUnit::day:
      return kDay;
    case DateUnit::hour:
      return kSecond * 3600;
    case DateUnit::minute:
      return kSecond * 60;
    default:
      break;
  }
  Int128 size = kSecond;
  for (int i = static_cast<int>(DateUnit::second); i < static_cast<int>(unit); ++i) size /= 1000;
  return size;
}

std::string name_of(const FieldLayout& field) { return date_item(field.kind, field.unit, field.multiple, false).name; }

std::unexpected<Error> not_one(const FieldLayout& field, std::string_view text, const char* such_as) {
  return fail(ErrorKind::invalid, fmt::format("'{}' is not a value of {}, which are written as {}", text, name_of(field), such_as));
}

std::unexpected<Error> between(const FieldLayout& field, std::string_view text) {
  return fail(ErrorKind::invalid,
              fmt::format("'{}' lies between two values of {}, so none is equal to it", text, name_of(field)));
}

std::unexpected<Error> too_far(const FieldLayout& field, std::string_view text) {
  return fail(ErrorKind::invalid, fmt::format("{} cannot hold '{}'", name_of(field), text));
}

// Reads a text from left to right.
class Letters {
 public:
  explicit Letters(std::string_view text) : left_(text) {}

  [[nodiscard]] bool done() const { return left_.empty(); }
  [[nodiscard]] std::string_view rest() const { return left_; }
  bool take(char c) {
    if (!left_.starts_with(c)) return false;
    left_.remove_prefix(1);
    return true;
  }
  // So many digits; nullopt: there are fewer.
  [[nodiscard]] std::optional<std::int64_t> digits(std::size_t least, std::size_t most) {
    std::size_t count = 0;
    while (count < std::min(most, left_.size()) && left_[count] >= '0' && left_[count] <= '9') ++count;
    std::int64_t number = 0;
    if (count < least || std::from_chars(left_.data(), left_.data() + count, number).ec != std::errc{}) return std::nullopt;
    left_.remove_prefix(count);
    return number;
  }

 private:
  std::string_view left_;
};

// A date as it is written; parts that are not are those of the beginning.
struct Written {
  std::int64_t year = 1970, month = 1, day = 1;
  Int128 of_day = 0;  // attoseconds
};

std::int64_t days_in(std::int64_t year, std::int64_t month) {
  constexpr std::array<std::int64_t, 12> kDays{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return kDays[static_cast<std::size_t>(month - 1)] + (month == 2 && leap ? 1 : 0);
}

// "12", "12:30", "12:30:05", "12:30:05.25"
bool read_time_of_day(Letters& letters, Written& out) {
  const auto hour = letters.digits(2, 2);
  if (!hour || *hour > 23) return false;
  out.of_day = kSecond * 3600 * *hour;
  if (letters.done()) return true;
  const auto minute = letters.take(':') ? letters.digits(2, 2) : std::nullopt;
  if (!minute || *minute > 59) return false;
  out.of_day += kSecond * 60 * *minute;
  if (letters.done()) return true;
  const auto second = letters.take(':') ? letters.digits(2, 2) : std::nullopt;
  if (!second || *second > 59) return false;
  out.of_day += kSecond * *second;
  if (letters.done()) return true;
  if (!letters.take('.')) return false;
  const std::size_t before = letters.rest().size();
  const auto fraction = letters.digits(1, kFractionDigits);
  if (!fraction) return false;
  Int128 each = kSecond;
  for (std::size_t i = letters.rest().size(); i < before; ++i) each /= 10;
  out.of_day += each * *fraction;
  return letters.done();
}

std::optional<Written> read_date(std::string_view text) {
  Letters letters(text);
  Written out;
  const bool before_0 = letters.take('-');
  if (!before_0) static_cast<void>(letters.take('+'));
  const auto year = letters.digits(before_0 ? 3 : 4, 12);  // as they are written, so that a plain "5" is not taken for a year
  if (!year || *year > kFarthestYear) return std::nullopt;
  out.year = before_0 ? -*year : *year;
  if (letters.done()) return out;
  const auto month = letters.take('-') ? letters.digits(2, 2) : std::nullopt;
  if (!month || *month < 1 || *month > 12) return std::nullopt;
  out.month = *month;
  if (letters.done()) return out;
  const auto day = letters.take('-') ? letters.digits(2, 2) : std::nullopt;
  if (!day || *day < 1 || *day > days_in(out.year, out.month)) return std::nullopt;
  out.day = *day;
  if (letters.done()) return out;
  if (!letters.take('T') && !letters.take(' ')) return std::nullopt;
  return read_time_of_day(letters, out) ? std::optional(out) : std::nullopt;
}

// days_from_civil of Howard Hinnant ("chrono-Compatible Low-Level Date Algorithms"): from 1970-01-01 on.
std::int64_t days_of(const Written& date) {
  const std::int64_t year = date.year - (date.month <= 2 ? 1 : 0);
  const std::int64_t era = floor_div(year, 400), year_of_era = year - era * 400;
  const std::int64_t day_of_year = (153 * (date.month > 2 ? date.month - 3 : date.month + 9) + 2) / 5 + date.day - 1;
  return era * 146'097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719'468;
}

// `whole` in steps of `step` as the count of a field.
Result<std::int64_t> counted(const FieldLayout& field, std::string_view text, Int128 whole, Int128 step) {
  if (whole % step != 0) return between(field, text);
  const Int128 count = whole / step;
  if (count > std::numeric_limits<std::int64_t>::max() || count <= kNotATime) return too_far(field, text);
  return static_cast<std::int64_t>(count);
}

Result<std::int64_t> typed_date(const FieldLayout& field, std::string_view text) {
  const auto date = read_date(text);
  if (!date) {
    const FieldLayout such{.bytes = 8, .kind = ItemKind::date, .unit = field.unit};
    return not_one(field, text, format_field(such, std::array<std::byte, 8>{}).c_str());
  }
  const Int128 step = size_of(field.unit) * field.multiple;
  if (!counts_months(field.unit)) return counted(field, text, days_of(*date) * kDay + date->of_day, step);
  if (date->day != 1 || date->of_day != 0) return between(field, text);
  return counted(field, text, (date->year - 1970) * Int128{12} + date->month - 1, step);
}

// "90", "90 s", "3 x 25 s"
struct Duration {
  std::int64_t count = 0, multiple = 1;
  DateUnit unit = DateUnit::generic;
};

std::optional<Duration> read_duration(std::string_view text) {
  Duration out;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto number = [&text](std::int64_t& to) {
    const auto read = std::from_chars(text.data(), text.data() + text.size(), to);
    if (read.ec != std::errc{}) return false;
    text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
    while (text.starts_with(' ')) text.remove_prefix(1);
    return true;
  };
  if (!number(out.count)) return std::nullopt;
  if (text.starts_with("x ")) {
    text.remove_prefix(2);
    if (!number(out.multiple) || out.multiple < 1 || out.multiple > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  }
  return text.empty() || date_unit_from_name(text, out.unit) ? std::optional(out) : std::nullopt;
}

Int128 common_divisor(Int128 a, Int128 b) { return b == 0 ? a : common_divisor(b, a % b); }

Result<std::int64_t> typed_duration(const FieldLayout& field, std::string_view text, const Duration& typed) {
  const bool plain = field.unit == DateUnit::generic, is_date = field.kind == ItemKind::date;
  const std::string unit = date_unit_name(field.unit);
  if (plain != (typed.unit == DateUnit::generic) || (is_date && typed.unit != field.unit))
    return not_one(field, text, plain ? "plain numbers" : is_date ? "dates" : ("3 " + unit).c_str());
  if (counts_months(field.unit) != counts_months(typed.unit))
    return fail(ErrorKind::invalid,
                fmt::format("'{}' has no fixed length in {}: months and years have none in days", text, name_of(field)));
  Int128 of = size_of(typed.unit) * typed.multiple, to = size_of(field.unit) * field.multiple;
  const Int128 both = common_divisor(of, to);
  of /= both;
  to /= both;
  if (typed.count % to != 0) return between(field, text);
  if (typed.count != 0 && of > std::numeric_limits<std::int64_t>::max()) return too_far(field, text);
  return counted(field, text, typed.count / to * of, 1);
}

}  // namespace

Result<std::int64_t> typed_time(const FieldLayout& field, std::string_view text) {
  if (lowered(text) == "nat") return kNotATime;
  const auto duration = read_duration(text);
  const bool is_count = duration && (field.unit == DateUnit::generic || duration->unit != DateUnit::generic);
  if (field.kind == ItemKind::date && !is_count && field.unit != DateUnit::generic) return typed_date(field, text);
  if (!duration) {
    const std::string such_as = field.unit == DateUnit::generic ? "plain numbers" : fmt::format("3 {}", date_unit_name(field.unit));
    return not_one(field, text, such_as.c_str());
  }
  return typed_duration(field, text, *duration);
}

}  // namespace dlscope::core

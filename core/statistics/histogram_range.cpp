#include "core/statistics/histogram_range.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/checked_math.h"

namespace dlscope::core {
namespace {

constexpr double kBins = 256;

bool is_integer(DType dtype) {
  const auto code = static_cast<DTypeCode>(dtype.code);
  return code == DTypeCode::int_ || code == DTypeCode::uint || code == DTypeCode::bool_;
}

// A double as a 64-bit integer of the dtype, as IntBlock has it: unsigned ones less 2^63.
std::int64_t as_int(double value, bool is_unsigned) {
  if (!is_unsigned) {
    return value >= 0x1p63 ? std::numeric_limits<std::int64_t>::max() : static_cast<std::int64_t>(std::max(value, -0x1p63));
  }
  const std::uint64_t bits =
      value >= 0x1p64 ? std::numeric_limits<std::uint64_t>::max() : static_cast<std::uint64_t>(std::max(value, 0.0));
  return static_cast<std::int64_t>(bits ^ (std::uint64_t{1} << 63));
}

// Doubles are too coarse for these; they only say where the sample lay, one step of theirs to either side.
BinScale range_of_64_bits(double low, double high, bool is_unsigned) {
  const std::int64_t first = as_int(std::abs(low) < 0x1p53 ? low : std::nextafter(low, -HUGE_VAL), is_unsigned);
  const std::int64_t last = as_int(std::abs(high) < 0x1p53 ? high : std::nextafter(high, HUGE_VAL), is_unsigned);
  const std::uint64_t span = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  const std::uint64_t width = span / 256 + 1;
  BinScale out;
  out.int_low = first;
  const bool fits = span <= std::numeric_limits<std::uint64_t>::max() - 256;
  if (!fits || __builtin_add_overflow(first, static_cast<Int128>(width) * 256, &out.int_high)) {
    out.int_high = std::numeric_limits<std::int64_t>::max();
  }
  out.low = is_unsigned ? static_cast<double>(static_cast<std::uint64_t>(first) ^ (std::uint64_t{1} << 63))
                        : static_cast<double>(first);
  out.width = static_cast<double>(width);
  out.high = out.low + out.width * kBins;
  out.unit = width >= std::uint64_t{1} << 54 ? 0.5 : 1;
  out.scale = 1 / (out.width * out.unit);
  return out;
}

BinScale integer_range(double low, double high, DType dtype) {
  if (dtype.bits == 64) return range_of_64_bits(low, high, dtype.code == static_cast<std::uint8_t>(DTypeCode::uint));
  const double width = std::max(1.0, std::ceil((high - low + 1) / kBins));
  return {low, low + width * kBins, width, 1 / width};
}

// To a float and back. GCC 12 takes two such conversions beside each other for none (its vectoriser does), hence volatile.
double rounded_to_float(double value) {
  const volatile float narrow = static_cast<float>(value);
  return static_cast<double>(narrow);
}

}  // namespace

BinScale histogram_range(const BulkOfValues& bulk, DType dtype) {
  // What lies within one width of the bulk still belongs to the picture.
  const double margin = bulk.upper / 2 - bulk.lower / 2;  // halves: the whole may overflow
  double low = bulk.min, high = bulk.max;
  if (margin > 0) {
    if (low / 2 < bulk.lower / 2 - margin) low = bulk.lower - margin;
    if (high / 2 > bulk.upper / 2 + margin) high = bulk.upper + margin;
  }
  if (is_integer(dtype)) return integer_range(std::floor(low), std::ceil(high), dtype);
  // Neighbouring bins must differ in the value's own type.
  const double largest = std::max(std::abs(low), std::abs(high));
  const bool is_double = dtype.bits == 64;
  const double least = std::max(largest * (is_double ? 0x1p-44 : 0x1p-15), is_double ? 0x1p-1000 : 0x1p-110);
  if (high - low < least) {
    const double middle = low / 2 + high / 2;
    low = middle - least / 2;
    high = middle + least / 2;
  }
  const double limit = is_double ? std::numeric_limits<double>::max() : double{std::numeric_limits<float>::max()};
  low = std::max(low, -limit);
  high = std::min(high, limit);
  if (!is_double) {  // the edges are compared with values of this type
    low = rounded_to_float(low);
    high = rounded_to_float(high);
  }
  const double unit = high / 2 - low / 2 < limit / 4 ? 1 : 0.5;
  return {low, high, (high * unit - low * unit) / kBins / unit, kBins / (high * unit - low * unit), unit};
}

}  // namespace dlscope::core

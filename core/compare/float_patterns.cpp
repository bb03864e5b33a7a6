#include "core/compare/float_patterns.h"

#include <algorithm>
#include <cstring>

#include "core/tensor/element.h"

namespace dlscope::core {
namespace {

DTypeCode code_of(DType dtype) { return static_cast<DTypeCode>(dtype.code); }

std::uint64_t word_of(const std::byte* from, std::size_t bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, bytes);
  return word;
}

// The patterns of a float format, its sign taken off, stand in the order of its numbers.
std::int64_t place_of(DType dtype, std::uint64_t pattern) {
  const std::uint64_t sign = std::uint64_t{1} << (dtype.bits - 1);
  if (code_of(dtype) == DTypeCode::float8_e8m0fnu || (pattern & sign) == 0) return static_cast<std::int64_t>(pattern);
  return -static_cast<std::int64_t>(pattern & ~sign);
}

bool is_finite(DType dtype, const std::byte* at) {
  const ValueClass kind = decode_element(dtype, {at, (dtype.bits + 7u) / 8u}, 0).value_class;
  return kind != ValueClass::nan && kind != ValueClass::positive_infinity && kind != ValueClass::negative_infinity;
}

}  // namespace

std::optional<PatternRange> nan_patterns(DType dtype) {
  const auto ieee = [](unsigned bits, unsigned fraction) {
    const std::uint64_t mask = (std::uint64_t{1} << (bits - 1)) - 1;
    const std::uint64_t first = (mask >> fraction << fraction) + 1;
    return PatternRange{mask, first, mask - first};
  };
  const unsigned bits = code_of(dtype) == DTypeCode::complex ? dtype.bits / 2U : dtype.bits;
  switch (code_of(dtype)) {
    case DTypeCode::float_:
    case DTypeCode::complex:
      return ieee(bits, bits == 16 ? 10 : bits == 32 ? 23 : 52);
    case DTypeCode::bfloat:
      return ieee(bits, 7);
    default:
      break;
  }
  if (bits > 8) return std::nullopt;
  const auto is_nan = [&](unsigned pattern) {
    const std::byte byte{static_cast<unsigned char>(pattern)};
    return decode_element(dtype, {&byte, 1}, 0).value_class == ValueClass::nan;
  };
  const unsigned sign = 1U << (bits - 1), all = (1U << bits) - 1;
  bool sign_matters = false;
  for (unsigned pattern = 0; pattern < sign; ++pattern) sign_matters = sign_matters || is_nan(pattern) != is_nan(pattern | sign);
  const unsigned mask = sign_matters ? all : sign - 1;
  std::optional<PatternRange> range;
  for (unsigned pattern = 0; pattern <= mask; ++pattern) {
    if (!is_nan(pattern)) continue;
    if (!range) range = PatternRange{mask, pattern, 0};
    range->span = pattern - range->low;  // every format has its NaN in one stretch
  }
  return range;
}

std::uint64_t steps_between(DType dtype, const std::byte* a, const std::byte* b) {
  DType part = dtype;
  const bool is_complex = code_of(dtype) == DTypeCode::complex;
  if (is_complex) part = {static_cast<std::uint8_t>(DTypeCode::float_), static_cast<std::uint8_t>(dtype.bits / 2), 1};
  const std::size_t bytes = (part.bits + 7u) / 8u;
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < (is_complex ? 2U : 1U); ++i, a += bytes, b += bytes) {
    if (!is_finite(part, a) || !is_finite(part, b)) return 0;
    const std::int64_t x = place_of(part, word_of(a, bytes)), y = place_of(part, word_of(b, bytes));
    most = std::max(most, x > y ? static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(y)
                                : static_cast<std::uint64_t>(y) - static_cast<std::uint64_t>(x));
  }
  return most;
}

std::vector<int> places_of(DType dtype) {
  std::vector<int> places;
  for (unsigned pattern = 0; pattern < 256; ++pattern) {
    const std::byte byte{static_cast<unsigned char>(pattern)};
    places.push_back(is_finite(dtype, &byte) ? static_cast<int>(place_of(dtype, pattern)) : kNoPlace);
  }
  return places;
}

}  // namespace dlscope::core

#include "core/search/sought_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <utility>

namespace dlscope::core {
namespace {

// The finite values of a float format of at most 16 bits.
struct SmallFloatRange {
  double lowest = std::numeric_limits<double>::infinity(), largest = -lowest, below_largest = -lowest;
  bool largest_is_even = false;

  void add(double value, std::uint64_t bits) {
    lowest = std::min(lowest, value);
    if (value < largest) below_largest = std::max(below_largest, value);
    if (value <= largest) return;
    below_largest = std::exchange(largest, value);
    largest_is_even = bits % 2 == 0;
  }
  // What is rounded to the largest value counts as inside: the text "3.39e+38" that stands for bfloat16's largest value is more
  // than that value, and 464 lies halfway between float8_e4m3fn's 448 and the 480 that would follow. float8_e8m0fnu has neither zero
  // nor negative values, and only powers of two.
  [[nodiscard]] bool has(double wanted) const {
    const double end = lowest > 0 ? largest * 1.5 : largest + (largest - below_largest) / 2;
    const double size = lowest < 0 ? std::abs(wanted) : wanted;
    return (size < end || (size == end && largest_is_even)) && (lowest < 0 || wanted >= lowest);
  }
};

// The nearest value of a float format of at most 16 bits, found by comparing with all of them, so that no rounding code is
// needed; of two equally near values the one with the even bit pattern.
std::optional<double> nearest_small_float(DType dtype, double wanted) {
  std::optional<double> best;
  double best_error = 0;
  std::uint64_t best_bits = 0;
  SmallFloatRange range;
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << dtype.bits); ++bits) {
    const double value = decode_bits(dtype, bits).real;
    if (!std::isfinite(value)) continue;
    range.add(value, bits);
    const double error = std::abs(value - wanted);
    if (!best || error < best_error || (error == best_error && best_bits % 2 != 0 && bits % 2 == 0)) {
      best = value;
      best_error = error;
      best_bits = bits;
    }
  }
  return std::isnan(wanted) || range.has(wanted) ? best : std::nullopt;
}

// "inf", "-Infinity"; not "1e400", of which strtod() makes an infinity.
bool names_infinity(std::string_view text) { return text.find_first_of("iI") != std::string_view::npos; }

bool has(DType dtype, double infinity) {
  if (dtype.bits > 16) return true;
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << dtype.bits); ++bits) {
    if (decode_bits(dtype, bits).real == infinity) return true;
  }
  return false;
}

}  // namespace

bool is_float(DType dtype) {
  const auto code = code_of(dtype);
  return code != DTypeCode::int_ && code != DTypeCode::uint && code != DTypeCode::bool_ && code != DTypeCode::opaque &&
         code != DTypeCode::complex;
}

Value decode_bits(DType dtype, std::uint64_t bits) {
  std::array<std::byte, 8> bytes{};
  std::memcpy(bytes.data(), &bits, sizeof bits);
  return decode_element({dtype.code, dtype.bits, 1}, bytes, 0);
}

std::optional<double> parse_real(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (copy.empty() || end != copy.c_str() + copy.size() || copy.find_first_of("xXpP(") != std::string::npos) return std::nullopt;
  return value;
}

std::optional<double> rounded_to(DType dtype, double wanted, std::string_view text) {
  if (std::isinf(wanted)) return names_infinity(text) && has(dtype, wanted) ? std::optional(wanted) : std::nullopt;
  if (dtype.bits <= 16) return nearest_small_float(dtype, wanted);
  if (dtype.bits == 64) return std::isfinite(wanted) ? std::optional(wanted) : std::nullopt;
  const float value = std::strtof(std::string(text).c_str(), nullptr);  // from the text: a double in between would round twice
  return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

std::string why_out_of_range(DType dtype, double wanted, std::string_view text) {
  if (names_infinity(text)) return fmt::format("{} has no infinity", dtype_name(dtype));
  const bool is_scale = code_of(dtype) == DTypeCode::float8_e8m0fnu && !(wanted > 1);
  return fmt::format("{} has no value as {} as {}", dtype_name(dtype), is_scale ? "small" : "large", text);
}

std::uint64_t bits_of(DType dtype, double value) {
  if (dtype.bits == 64) return std::bit_cast<std::uint64_t>(value);
  if (dtype.bits == 32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << dtype.bits); ++bits) {
    if (decode_bits(dtype, bits).real == value) return bits;
  }
  return 0;
}

std::uint64_t stored_bits(DType dtype, std::uint64_t meant, SignBits signs) {
  std::array<std::byte, sizeof meant> bytes{};
  std::memcpy(bytes.data(), &meant, sizeof meant);
  apply_sign_bits(dtype, signs, std::span(bytes).first((dtype.bits + 7U) / 8));
  std::uint64_t stored = 0;
  std::memcpy(&stored, bytes.data(), sizeof stored);
  return stored;
}

unsigned ieee_fraction_bits(DType dtype) {
  const unsigned bits = code_of(dtype) == DTypeCode::complex ? dtype.bits / 2u : dtype.bits;
  if (code_of(dtype) == DTypeCode::bfloat) return bits == 16 ? 7 : 0;
  if (code_of(dtype) != DTypeCode::float_ && code_of(dtype) != DTypeCode::complex) return 0;
  return bits == 16 ? 10 : bits == 32 ? 23 : bits == 64 ? 52 : 0;
}

}  // namespace dlscope::core

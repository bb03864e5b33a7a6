#include "app/models/values/typed_element.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "app/models/text/address_text.h"
#include "core/tensor/complex_text.h"
#include "core/tensor/element.h"
#include "core/transfer/convert.h"

namespace dlscope::app {
namespace {

using core::DType;
using core::DTypeCode;
using core::ErrorKind;
using core::fail;
using Bits = core::Result<std::vector<std::byte>>;

std::size_t bytes_for(std::size_t bits) { return (bits + 7) / 8; }

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 16;
}

// text: the digits after 0x (4 bits each) or 0b (1 bit each), most significant first; _ and spaces may separate them.
Bits raw_bits(DType dtype, std::string_view text, unsigned bits_each) {
  std::vector<std::byte> out(bytes_for(dtype.item_bits()));
  std::size_t at = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    if (text[i] == '_' || text[i] == ' ') continue;
    const int digit = digit_of(text[i]);
    if (digit >= 1 << bits_each) return fail(ErrorKind::invalid, fmt::format("“{}” is not a digit here", text[i]));
    for (unsigned bit = 0; bit < bits_each; ++bit, ++at) {
      if ((digit >> bit & 1) == 0) continue;
      if (at >= dtype.item_bits())
        return fail(ErrorKind::invalid, fmt::format("{} has only {} bits", core::dtype_name(dtype), dtype.item_bits()));
      out[at / 8] |= static_cast<std::byte>(1U << at % 8);
    }
  }
  if (at == 0) return fail(ErrorKind::invalid, "digits are missing");
  return out;
}

Bits integer_bits(DType dtype, std::string_view text) {
  const std::string name = core::dtype_name(dtype);
  const bool is_signed = dtype.code == static_cast<std::uint8_t>(DTypeCode::int_);
  if (dtype.bits > 64) return fail(ErrorKind::unsupported, fmt::format("type the bits of {} (0x…)", name));
  if (text.starts_with('+')) text.remove_prefix(1);
  const bool negative = text.starts_with('-');
  std::uint64_t size = 0;
  const std::string_view digits = text.substr(negative ? 1 : 0);
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), size);
  if (parsed.ec == std::errc::invalid_argument || parsed.ptr != digits.data() + digits.size())
    return fail(ErrorKind::invalid, fmt::format("“{}” is not an integer in digits, and {} holds nothing but integers", text, name));
  const unsigned number_bits = dtype.bits - (is_signed ? 1U : 0U);
  const std::uint64_t most = number_bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << number_bits) - 1;
  const bool fits = parsed.ec == std::errc() && (negative ? size == 0 || (is_signed && size <= most + 1) : size <= most);
  if (!fits) return fail(ErrorKind::invalid, fmt::format("{} cannot hold {}", name, text));
  const std::uint64_t bits = negative ? std::uint64_t{0} - size : size;
  std::vector<std::byte> out(8), kept(bytes_for(dtype.bits));
  std::memcpy(out.data(), &bits, sizeof bits);
  put_bits(kept, 0, out, dtype.bits);
  return kept;
}

// As Python parses a float. A number too large for a double becomes an infinity, which is rejected below.
std::optional<double> parse_double(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (copy.empty() || end != copy.c_str() + copy.size() || copy.find_first_of("xXpP(") != std::string::npos) return std::nullopt;
  return value;
}

bool names_infinity(std::string_view text) { return text.find_first_of("iI") != std::string_view::npos; }

std::vector<std::byte> nearest_bits(DType dtype, double value) {
  constexpr DType kDouble{static_cast<std::uint8_t>(DTypeCode::float_), 64, 1};
  std::vector<std::byte> out(bytes_for(dtype.bits));
  core::convert_elements(kDouble, reinterpret_cast<const std::byte*>(&value), dtype, out.data(), 1);
  return out;
}

// Whether the number exceeds the largest value; formats without an infinity have a finite number there.
bool is_too_large(DType dtype, double wanted, double got) {
  if (!std::isfinite(got)) return true;
  return got != 0 && std::abs(wanted) > std::abs(got) &&
         core::decode_element(dtype, nearest_bits(dtype, wanted * 2), 0).real == got;
}

Bits float_bits(DType dtype, std::string_view text) {
  const std::string name = core::dtype_name(dtype);
  const auto wanted = parse_double(text);
  if (!wanted)
    return fail(ErrorKind::invalid, fmt::format("“{}” is not a number; {} has values such as 0.5, -1e-3, nan", text, name));
  constexpr DType kDouble{static_cast<std::uint8_t>(DTypeCode::float_), 64, 1};
  if (const std::string why = core::why_not_convertible(kDouble, dtype); !why.empty())
    return fail(ErrorKind::unsupported, fmt::format("type the bits of {} (0x…): {}", name, why));
  std::vector<std::byte> out = nearest_bits(dtype, *wanted);
  if (dtype.code == kDouble.code && dtype.bits == 32) {  // rounded once, directly from the text
    const float value = std::strtof(std::string(text).c_str(), nullptr);
    std::memcpy(out.data(), &value, sizeof value);
  }
  const double got = core::decode_element(dtype, out, 0).real;
  if (std::isnan(*wanted)) return std::isnan(got) ? Bits(std::move(out)) : fail(ErrorKind::invalid, name + " has no NaN");
  if (names_infinity(text)) return std::isinf(got) ? Bits(std::move(out)) : fail(ErrorKind::invalid, name + " has no infinity");
  if (is_too_large(dtype, *wanted, got))
    return fail(ErrorKind::invalid, fmt::format("{} has no value as large as {}", name, text));
  return out;
}

// "1+2j", "-2.5j", "3".
Bits complex_bits(DType dtype, std::string_view text) {
  DType part = dtype;
  part.code = static_cast<std::uint8_t>(DTypeCode::float_);
  part.bits = static_cast<std::uint8_t>(dtype.bits / 2);
  const core::ComplexText parts = core::split_complex(text);
  auto out = float_bits(part, parts.real);
  if (!out) return out;
  const auto second = float_bits(part, parts.imaginary);
  if (!second) return second;
  out->insert(out->end(), second->begin(), second->end());
  return out;
}

Bits number_bits(DType dtype, std::string_view text) {
  const std::string name = core::dtype_name(dtype);
  if (!core::dtype_is_known(dtype) || dtype.lanes != 1)
    return fail(ErrorKind::unsupported, fmt::format("a value of {} cannot be typed: type its bits (0x…)", name));
  switch (static_cast<DTypeCode>(dtype.code)) {
    case DTypeCode::int_:
    case DTypeCode::uint:
      return integer_bits(dtype, text);
    case DTypeCode::bool_:
      if (text == "True" || text == "true" || text == "1") return integer_bits(dtype, "1");
      if (text == "False" || text == "false" || text == "0") return integer_bits(dtype, "0");
      return fail(ErrorKind::invalid, fmt::format("“{}” is neither True nor False", text));
    case DTypeCode::complex:
      return complex_bits(dtype, text);
    default:
      return float_bits(dtype, text);
  }
}

}  // namespace

Bits typed_element(DType dtype, std::string_view text, core::SignBits signs) {
  text = trimmed(text);
  if (text.empty()) return fail(ErrorKind::invalid, "type a value, or its bits (0x…)");
  if (text.starts_with("0x") || text.starts_with("0X")) return raw_bits(dtype, text.substr(2), 4);
  if (text.starts_with("0b") || text.starts_with("0B")) return raw_bits(dtype, text.substr(2), 1);
  Bits bits = number_bits(dtype, text);
  if (bits) core::apply_sign_bits(dtype, signs, *bits);
  return bits;
}

void put_bits(std::span<std::byte> bytes, std::size_t first, std::span<const std::byte> bits, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) {
    const auto mask = static_cast<std::byte>(1U << (first + i) % 8);
    std::byte& byte = bytes[(first + i) / 8];
    const bool is_set = (bits[i / 8] & static_cast<std::byte>(1U << i % 8)) != std::byte{0};
    byte = is_set ? byte | mask : byte & ~mask;
  }
}

}  // namespace dlscope::app

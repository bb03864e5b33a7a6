#include "app/models/hex/byte_decoding.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/models/text/format.h"
#include "app/models/values/value_format.h"
#include "core/tensor/float_layout.h"

namespace dlscope::app {
namespace {

using core::DType;
using core::DTypeCode;

constexpr DType dtype(DTypeCode code, std::uint8_t bits, std::uint16_t lanes = 1) {
  return {static_cast<std::uint8_t>(code), bits, lanes};
}

constexpr DType kDecoded[] = {
    dtype(DTypeCode::int_, 8),
    dtype(DTypeCode::uint, 8),
    dtype(DTypeCode::int_, 16),
    dtype(DTypeCode::uint, 16),
    dtype(DTypeCode::int_, 32),
    dtype(DTypeCode::uint, 32),
    dtype(DTypeCode::int_, 64),
    dtype(DTypeCode::uint, 64),
    dtype(DTypeCode::float_, 16),
    dtype(DTypeCode::bfloat, 16),
    dtype(DTypeCode::float_, 32),
    dtype(DTypeCode::float_, 64),
    dtype(DTypeCode::complex, 32),
    dtype(DTypeCode::complex, 64),
    dtype(DTypeCode::complex, 128),
    dtype(DTypeCode::bool_, 8),
    dtype(DTypeCode::float8_e3m4, 8),
    dtype(DTypeCode::float8_e4m3, 8),
    dtype(DTypeCode::float8_e4m3b11fnuz, 8),
    dtype(DTypeCode::float8_e4m3fn, 8),
    dtype(DTypeCode::float8_e4m3fnuz, 8),
    dtype(DTypeCode::float8_e5m2, 8),
    dtype(DTypeCode::float8_e5m2fnuz, 8),
    dtype(DTypeCode::float8_e8m0fnu, 8),
    dtype(DTypeCode::float6_e2m3fn, 6),
    dtype(DTypeCode::float6_e3m2fn, 6),
    dtype(DTypeCode::float4_e2m1fn, 4, 2),
    dtype(DTypeCode::int_, 4, 2),
    dtype(DTypeCode::uint, 4, 2),
    dtype(DTypeCode::int_, 2, 4),
    dtype(DTypeCode::uint, 2, 4),
    dtype(DTypeCode::int_, 1, 8),
    dtype(DTypeCode::uint, 1, 8),
};

std::size_t bytes_of(DType type) { return (type.item_bits() + 7) / 8; }

// A complex number keeps the order of its two parts; the bytes of each part are reversed.
void turn_around(DType type, std::span<std::byte> bytes) {
  const bool is_complex = type.code == static_cast<std::uint8_t>(DTypeCode::complex);
  const std::size_t each = is_complex ? bytes.size() / 2 : bytes.size();
  for (std::size_t from = 0; from < bytes.size(); from += each) std::ranges::reverse(bytes.subspan(from, each));
}

// Sign, exponent and fraction of a float by its bits, as IEEE 754 defines them.
std::string parts_of(const core::FloatLayout& layout, std::uint64_t bits, core::ValueClass value_class) {
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << layout.fraction_bits) - 1);
  const std::uint64_t top = (std::uint64_t{1} << layout.exponent_bits) - 1;
  const std::uint64_t exponent = bits >> layout.fraction_bits & top;
  const bool negative = layout.has_sign && (bits >> (layout.fraction_bits + layout.exponent_bits) & 1) != 0;
  const char* const sign = negative ? "−" : "+";
  if (value_class == core::ValueClass::nan) {
    if (!layout.is_ieee) return "NaN";
    const std::uint64_t quiet = std::uint64_t{1} << (layout.fraction_bits - 1);
    return fmt::format("{} NaN, {}, payload 0x{:x}", sign, (fraction & quiet) != 0 ? "quiet" : "signalling",
                       fraction & (quiet - 1));
  }
  if (value_class == core::ValueClass::positive_infinity || value_class == core::ValueClass::negative_infinity)
    return fmt::format("{} infinity", sign);
  const double of_one = std::ldexp(static_cast<double>(fraction), -static_cast<int>(layout.fraction_bits));
  const int power = static_cast<int>(exponent) - layout.bias;
  if (!layout.has_sign) return fmt::format("2^{}", power);
  if (exponent == 0) return fmt::format("{} 2^{} × {}", sign, 1 - layout.bias, of_one);
  return fmt::format("{} 2^{} × {}", sign, power, 1 + of_one);
}

std::string widths_of(const core::FloatLayout& layout) {
  if (!layout.has_sign) return fmt::format("{} bits: exponent (bias {})", layout.exponent_bits, layout.bias);
  return fmt::format("1 + {} + {} bits: sign, exponent (bias {}), fraction", layout.exponent_bits, layout.fraction_bits,
                     layout.bias);
}

std::uint64_t raw_word(const core::Value& value) {
  std::uint64_t word = 0;
  for (std::size_t i = 8; i-- > 0;) word = word << 8 | std::to_integer<std::uint64_t>(value.raw[i]);
  return word;
}

std::string parts_of_float(DType type, const core::FloatLayout& layout, std::span<const std::byte> bytes) {
  const core::Value value = core::decode_element(type, bytes, 0);
  return parts_of(layout, raw_word(value), value.value_class);
}

}  // namespace

DecodedBytes decode_as(DType type, std::span<const std::byte> bytes, ByteOrder order) {
  DecodedBytes out{.dtype = type, .name = core::dtype_name(type)};
  const std::size_t size = bytes_of(type);
  if (size > kMaxDecoded || bytes.size() < size) {
    out.value = fmt::format("needs {}", counted(size, "byte", "bytes"));
    return out;
  }
  std::array<std::byte, kMaxDecoded> copy{};
  const auto item = std::span(copy).first(size);
  std::ranges::copy(bytes.first(size), item.begin());
  if (order == ByteOrder::big) turn_around(type, item);
  const ElementText text = element_text(type, item, 0, {});
  out.value = text.text;
  out.value_class = text.value_class;
  out.bits = element_text(type, item, 0, {.style = NumberStyle::bits}).text;
  out.complete = true;
  const auto layout = core::float_layout(type);
  if (!layout || type.lanes != 1) return out;
  out.widths = widths_of(*layout);
  if (type.code == static_cast<std::uint8_t>(DTypeCode::complex)) {
    const DType part = dtype(DTypeCode::float_, static_cast<std::uint8_t>(type.bits / 2));
    out.parts = fmt::format("{}; imaginary: {}", parts_of_float(part, *layout, item.first(size / 2)),
                            parts_of_float(part, *layout, item.last(size / 2)));
    out.widths += ", of each of the two numbers";
  } else {
    out.parts = parts_of_float(type, *layout, item);
  }
  return out;
}

void decode_bytes(std::span<const std::byte> bytes, ByteOrder order, std::vector<DecodedBytes>& out) {
  out.clear();
  for (const DType type : kDecoded) out.push_back(decode_as(type, bytes, order));
}

std::string character_text(std::byte byte) {
  const auto code = std::to_integer<unsigned>(byte);
  if (code == '\'') return "\"'\"";
  if (code >= 0x20 && code < 0x7f) return fmt::format("'{}'", static_cast<char>(code));
  switch (code) {
    case 0:
      return "'\\0'";
    case '\t':
      return "'\\t'";
    case '\n':
      return "'\\n'";
    case '\r':
      return "'\\r'";
    default:
      return code < 0x80 ? fmt::format("'\\x{:02x}', a control character", code) : "not ASCII";
  }
}

char printable(std::byte byte) {
  const auto code = std::to_integer<unsigned>(byte);
  return code >= 0x20 && code < 0x7f ? static_cast<char>(code) : '.';
}

}  // namespace dlscope::app

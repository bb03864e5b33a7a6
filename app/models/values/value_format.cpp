#include "app/models/values/value_format.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "app/models/values/not_a_time.h"
#include "core/inventory/tensor_numbers.h"
#include "core/tensor/item_type.h"

namespace dlscope::app {
namespace {

using core::Value;
using core::ValueClass;
using core::ValueKind;

constexpr int kUsualDecimals = 3;
constexpr unsigned kMaxLanes = 16;           // of a vector element, at most written
constexpr double kTooLongForDecimals = 1e15;  // above, fixed notation has too many digits to read

std::string real_text(double value, NumberFormat format) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  if (format.style == NumberStyle::decimals) {
    const int digits = format.digits < 0 ? kUsualDecimals : format.digits;
    return std::abs(value) < kTooLongForDecimals ? fmt::format("{:.{}f}", value, digits) : fmt::format("{:.{}e}", value, digits);
  }
  std::string text = fmt::format("{:.{}g}", value, std::max(format.digits, 1));
  return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
}

std::string hex_text(core::DType dtype, const Value& value) {
  const std::size_t nibbles = std::min<std::size_t>((dtype.bits + 3u) / 4u, value.raw.size() * 2);
  std::string out = "0x";
  for (std::size_t i = nibbles; i-- > 0;)
    out += fmt::format("{:x}", static_cast<unsigned>(value.raw[i / 2]) >> (i % 2 * 4) & 0xFu);
  return out;
}

ElementText text_of_numbers(const core::TensorNumbers& numbers, std::span<const std::byte> bytes, std::size_t bit,
                            NumberFormat format, core::SignBits signs) {
  const core::DType dtype = numbers.dtype;
  ElementText out;
  for (unsigned lane = 0; lane < dtype.lanes; ++lane) {
    if (lane == kMaxLanes || bit + (lane + std::size_t{1}) * dtype.bits > bytes.size() * 8) {
      out.text += ", …";
      break;
    }
    const Value stored = numbers.decode(bytes, bit, lane);
    const Value value = format.as_stored ? stored : with_sign_bits(dtype, stored, signs);
    if (lane > 0) out.text += ", ";
    out.text += number_text(dtype, value, format);
    if (lane == 0 || out.value_class == ValueClass::normal || out.value_class == ValueClass::zero)
      out.value_class = value.value_class;
  }
  if (dtype.lanes > 1) out.text = "(" + out.text + ")";
  return out;
}

}  // namespace

std::string number_text(core::DType dtype, const Value& value, NumberFormat format) {
  if (format.style == NumberStyle::hex) return hex_text(dtype, value);
  if (format.style == NumberStyle::bits) return core::format_bits(dtype, value);
  const bool exact = format.style == NumberStyle::automatic && format.digits < 0;
  if (exact || (value.kind != ValueKind::real && value.kind != ValueKind::complex)) return core::format_value(dtype, value);
  if (value.kind == ValueKind::real) return real_text(value.real, format);
  const std::string imaginary = real_text(value.imaginary, format);
  return real_text(value.real, format) + (imaginary.front() == '-' ? "" : "+") + imaginary + "j";
}

ElementText element_text(core::DType dtype, std::span<const std::byte> bytes, std::size_t bit, NumberFormat format,
                         core::SignBits signs) {
  return text_of_numbers({dtype}, bytes, bit, format, signs);
}

ElementText element_text(const core::Snapshot& snapshot, const core::TensorRecord& tensor, std::span<const std::byte> bytes,
                         std::size_t bit, NumberFormat format, core::SignBits signs) {
  const core::TensorNumbers numbers = core::numbers_of(snapshot, tensor);
  const bool by_fields = numbers.dtype.code == core::kItemCode && tensor.item_type != core::kNone16 && bit == 0 &&
                         format.style != NumberStyle::hex && format.style != NumberStyle::bits;
  const std::size_t size = std::min<std::size_t>(bytes.size(), tensor.item_bits / 8);
  ElementText out = by_fields ? ElementText{snapshot.item_text(tensor, bytes.first(size)), ValueClass::normal}
                              : text_of_numbers(numbers, bytes, bit, format, signs);
  const core::FieldLayout* const time = bit == 0 ? time_field(snapshot, tensor) : nullptr;
  if (time != nullptr && is_not_a_time(*time, bytes.first(size))) out.value_class = ValueClass::nan;
  return out;
}

const char* class_text(ValueClass value_class) {
  switch (value_class) {
    case ValueClass::nan:
      return "NaN: not a number";
    case ValueClass::positive_infinity:
      return "plus infinity";
    case ValueClass::negative_infinity:
      return "minus infinity";
    case ValueClass::subnormal:
      return "subnormal: closer to zero than the smallest number of full precision";
    case ValueClass::zero:
      return "zero";
    case ValueClass::normal:
      break;
  }
  return "";
}

std::string bits_reason(const core::TensorRecord& tensor) {
  const core::DType dtype = tensor.dtype;
  if (core::dtype_is_known(dtype) || tensor.item_type != core::kNone16) return {};
  if (dtype.code == static_cast<std::uint8_t>(core::DTypeCode::opaque))
    return "Shown as bits: the library calls these elements opaque, only it knows what they mean.";
  return fmt::format("Shown as bits: how {} writes numbers is not known.", core::dtype_name(dtype));
}

}  // namespace dlscope::app

#include "core/tensor/sign_bits.h"

#include <cstdint>
#include <cstring>

namespace dlscope::core {
namespace {

// Flips the highest bit of every `step`-th part of `part` bytes.
void flip_signs(std::span<std::byte> values, std::size_t part, std::size_t first, std::size_t step) {
  for (std::size_t at = (first + 1) * part; at <= values.size(); at += step * part) values[at - 1] ^= std::byte{0x80};
}

// The formats "fnuz" have one zero, and NaN where others have minus zero: neither has a negative.
void negate_without_minus_zero(std::span<std::byte> values) {
  for (std::byte& value : values)
    if ((value & std::byte{0x7F}) != std::byte{0}) value ^= std::byte{0x80};
}

template <class Word>
void negate_integers(std::span<std::byte> values) {
  for (std::size_t at = 0; at + sizeof(Word) <= values.size(); at += sizeof(Word)) {
    Word word;
    std::memcpy(&word, values.data() + at, sizeof word);
    word = static_cast<Word>(0 - word);
    std::memcpy(values.data() + at, &word, sizeof word);
  }
}

void negate_integers(std::span<std::byte> values, unsigned bits) {
  if (bits == 8) return negate_integers<std::uint8_t>(values);
  if (bits == 16) return negate_integers<std::uint16_t>(values);
  if (bits == 32) return negate_integers<std::uint32_t>(values);
  if (bits == 64) return negate_integers<std::uint64_t>(values);
}

}  // namespace

void apply_sign_bits(DType dtype, SignBits signs, std::span<std::byte> values) {
  switch (static_cast<DTypeCode>(dtype.code)) {
    case DTypeCode::int_:
    case DTypeCode::uint:
      if (signs.negate) negate_integers(values, dtype.bits);
      return;
    case DTypeCode::float_:
    case DTypeCode::bfloat:
      if (signs.negate && dtype.bits % 8 == 0) flip_signs(values, dtype.bits / 8U, 0, 1);
      return;
    case DTypeCode::float8_e3m4:
    case DTypeCode::float8_e4m3:
    case DTypeCode::float8_e4m3fn:
    case DTypeCode::float8_e5m2:
      if (signs.negate) flip_signs(values, 1, 0, 1);
      return;
    case DTypeCode::float8_e4m3b11fnuz:
    case DTypeCode::float8_e4m3fnuz:
    case DTypeCode::float8_e5m2fnuz:
      if (signs.negate) negate_without_minus_zero(values);
      return;
    case DTypeCode::complex:
      if (dtype.bits % 16 != 0) return;
      if (signs.negate) flip_signs(values, dtype.bits / 16U, 0, 2);
      if (signs.negate != signs.conjugate) flip_signs(values, dtype.bits / 16U, 1, 2);
      return;
    default:
      return;
  }
}

Value with_sign_bits(DType dtype, Value value, SignBits signs) {
  if (!signs.any() || value.kind == ValueKind::bits) return value;
  const DType lane{dtype.code, dtype.bits, 1};
  const auto stored = value.raw;
  apply_sign_bits(lane, signs, std::span(value.raw).first((dtype.bits + 7U) / 8));
  Value meant = decode_element(lane, value.raw, 0);
  meant.raw = stored;
  return meant;
}

}  // namespace dlscope::core

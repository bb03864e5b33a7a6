#include "app/models/values/sign_bits.h"

namespace dlscope::app {

using core::ValueClass;

SignBits sign_bits_of(const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  return {.conjugate = snapshot.has_remark(tensor, core::RemarkCode::conjugate_bit),
          .negate = snapshot.has_remark(tensor, core::RemarkCode::negative_bit)};
}

core::Value with_sign_bits(core::Value value, SignBits signs) {
  if (value.kind == core::ValueKind::complex && signs.conjugate != signs.negate) value.imaginary = -value.imaginary;
  if (!signs.negate) return value;
  if (value.kind == core::ValueKind::complex || value.kind == core::ValueKind::real) value.real = -value.real;
  if (value.kind == core::ValueKind::signed_integer)
    value.as_signed = static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(value.as_signed));  // no overflow at the minimum
  if (value.value_class == ValueClass::positive_infinity)
    value.value_class = ValueClass::negative_infinity;
  else if (value.value_class == ValueClass::negative_infinity)
    value.value_class = ValueClass::positive_infinity;
  return value;
}

}  // namespace dlscope::app

#include "core/inventory/tensor_numbers.h"

#include <algorithm>
#include <array>

#include "core/elements/reverse_bytes.h"
#include "core/inventory/tensor_sign_bits.h"

namespace dlscope::core {
namespace {

// The two parts of a complex number are reversed separately.
std::uint8_t reversed_part(DType dtype) {
  const bool is_complex = static_cast<DTypeCode>(dtype.code) == DTypeCode::complex;
  return static_cast<std::uint8_t>(dtype.bits / (is_complex ? 16 : 8));
}

bool is_plain_number(const FieldLayout& field, std::uint32_t item_bits) {
  if (field.kind != ItemKind::number || field.count != 1 || field.offset != 0 || field.dtype.lanes != 1) return false;
  if (!dtype_is_known(field.dtype) || field.bytes * 8 != item_bits) return false;
  return field.dtype.bits == item_bits || (field.dtype.bits < 8 && item_bits == 8);
}

}  // namespace

TensorNumbers numbers_of(const Snapshot& snapshot, const TensorRecord& tensor) {
  if (tensor.item_type == kNone16) return {tensor.dtype};
  const auto fields = Snapshot::slice(snapshot.item_fields, snapshot.item_types[tensor.item_type].fields);
  if (fields.size() != 1 || fields[0].name.length != 0 || !is_plain_number(fields[0].layout, tensor.item_bits))
    return {tensor.dtype};
  const FieldLayout& field = fields[0].layout;
  const std::uint8_t part = field.swapped ? reversed_part(field.dtype) : std::uint8_t{0};
  if (part > 8) return {tensor.dtype};
  return {field.dtype, part > 1 ? part : std::uint8_t{0}};
}

TensorValues tensor_values(const Snapshot& snapshot, const TensorRecord& tensor) {
  const TensorNumbers numbers = numbers_of(snapshot, tensor);
  return {numbers.dtype,
          snapshot.layout(tensor),
          tensor.address,
          {.reader = nullptr, .reversed_bytes = numbers.reversed_bytes},
          sign_bits_of(snapshot, tensor)};
}

Value TensorNumbers::decode(std::span<const std::byte> bytes, std::size_t bit, unsigned lane) const {
  if (reversed_bytes == 0) return decode_element(dtype, bytes, bit, lane);
  std::array<std::byte, 16> one{};  // whole bytes, one lane (is_plain_number)
  const std::size_t size = std::min({one.size(), bytes.size(), std::size_t{dtype.bits} / 8});
  reverse_bytes(reversed_bytes, bytes.first(size), one.data());
  return decode_element(dtype, one, 0);
}

}  // namespace dlscope::core

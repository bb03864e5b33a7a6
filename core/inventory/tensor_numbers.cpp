#include "core/inventory/tensor_numbers.h"

#include <algorithm>
#include <array>

#include "core/elements/reverse_bytes.h"
#include "core/inventory/tensor_sign_bits.h"
#include "core/tensor/item_number.h"

namespace dlscope::core {

TensorNumbers numbers_of(const Snapshot& snapshot, const TensorRecord& tensor) {
  if (tensor.item_type == kNone16) return {tensor.dtype};
  const auto fields = Snapshot::slice(snapshot.item_fields, snapshot.item_types[tensor.item_type].fields);
  if (fields.size() != 1 || fields[0].name.length != 0 || tensor.item_bits % 8 != 0) return {tensor.dtype};
  const auto number = number_in(fields[0].layout, tensor.item_bits / 8);
  return number ? TensorNumbers{number->dtype, number->reversed_bytes} : TensorNumbers{tensor.dtype};
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
  std::array<std::byte, 16> one{};  // whole bytes, one lane (core/tensor/item_number.h)
  const std::size_t size = std::min({one.size(), bytes.size(), std::size_t{dtype.bits} / 8});
  reverse_bytes(reversed_bytes, bytes.first(size), one.data());
  return decode_element(dtype, one, 0);
}

}  // namespace dlscope::core

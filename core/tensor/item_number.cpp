#include "core/tensor/item_number.h"

namespace dlscope::core {
namespace {

// The two parts of a complex number are reversed separately.
std::uint8_t reversed_part(DType dtype) {
  const bool is_complex = static_cast<DTypeCode>(dtype.code) == DTypeCode::complex;
  return static_cast<std::uint8_t>(dtype.bits / (is_complex ? 16 : 8));
}

}  // namespace

std::optional<ItemNumber> number_in(const FieldLayout& field, std::uint32_t item_bytes) {
  if (field.kind != ItemKind::number || field.count != 1 || field.offset != 0 || field.dtype.lanes != 1) return std::nullopt;
  if (!dtype_is_known(field.dtype) || field.bytes != item_bytes) return std::nullopt;
  if (field.dtype.bits != item_bytes * 8 && (field.dtype.bits >= 8 || item_bytes != 1)) return std::nullopt;
  const std::uint8_t part = field.swapped ? reversed_part(field.dtype) : std::uint8_t{0};
  if (part > 8) return std::nullopt;
  return ItemNumber{field.dtype, part > 1 ? part : std::uint8_t{0}};
}

std::optional<ItemNumber> number_in(const ItemType& item) {
  if (item.fields.size() != 1 || !item.fields[0].name.empty()) return std::nullopt;
  return number_in(item.fields[0].layout, item.bytes);
}

}  // namespace dlscope::core

// The value that each element of a tensor is where DLPack has no dtype for it: a date, a duration, a text, a number in the other byte
// order. Pure function; thread: any.
#pragma once

#include "core/inventory/snapshot.h"
#include "core/tensor/item_type.h"

namespace dlscope::core {

// Null: the elements have a dtype, are records, be it of a single field, or not known. Valid as long as the snapshot.
[[nodiscard]] inline const FieldLayout* single_item(const Snapshot& snapshot, const TensorRecord& tensor) {
  if (tensor.dtype.code != kItemCode || tensor.item_type == kNone16) return nullptr;
  const auto fields = Snapshot::slice(snapshot.item_fields, snapshot.item_types[tensor.item_type].fields);
  if (fields.size() != 1 || fields[0].name.length != 0) return nullptr;
  const FieldLayout& field = fields[0].layout;
  return field.count == 1 && field.offset == 0 && field.bytes * 8 == tensor.item_bits ? &field : nullptr;
}

}  // namespace dlscope::core

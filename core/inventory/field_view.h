// A field of a tensor of records, as a tensor of its own: the same memory with the field's offset and dtype, and the axes of its
// sub-array behind those of the tensor. It has the numbers of the whole tensor's scan, so nothing is read.
// Pure functions; thread: any.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/inventory/snapshot.h"

namespace dlscope::core {

// The fields of the tensor's elements, in the order of Snapshot::item_fields; empty: the elements have none. Nested fields are
// listed as the values they lead to, so "pos.lat" and "pos.lon", not "pos".
[[nodiscard]] std::span<const ItemFieldRecord> fields_of(const Snapshot& snapshot, const TensorRecord& tensor);

// "pos.lat"; "unnamed, at byte 4".
[[nodiscard]] std::string field_label(const Snapshot& snapshot, const ItemFieldRecord& field);

// The number of the field with this name (ItemFieldRecord::name): an index into fields_of(). Fails in words where there is none, and
// where two have it.
[[nodiscard]] Result<std::uint16_t> field_with_name(const Snapshot& snapshot, const TensorRecord& tensor, std::string_view name);

// A tensor of a snapshot, or one that was made of it.
struct TensorPart {
  SnapshotPtr snapshot;
  std::uint32_t tensor = kNone32;
  [[nodiscard]] const TensorRecord& record() const { return snapshot->tensors[tensor]; }
  [[nodiscard]] LayoutView layout() const { return snapshot->layout(record()); }
};

// tensor: an id in the snapshot. field: an index into fields_of(); kNone16: the tensor itself. A field is the only tensor of a
// snapshot of its own, with the revision of the given one; its name is "x['pos']['lat']" where Python reads it so, else
// "x, field pos.lat". Sharing, group and allocation are not part of it. Fails in words where there is no such field, or where its
// elements can have no layout.
[[nodiscard]] Result<TensorPart> part_view(const SnapshotPtr& snapshot, std::uint32_t tensor, std::uint16_t field);

}  // namespace dlscope::core

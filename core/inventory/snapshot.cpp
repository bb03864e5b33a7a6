#include "core/inventory/snapshot.h"

#include <algorithm>

#include "core/inventory/item_text.h"
#include "core/tensor/fields_text.h"

namespace dlscope::core {

bool Snapshot::has_remark(const TensorRecord& t, RemarkCode code) const {
  return std::ranges::any_of(slice(remarks, t.remarks), [code](const RemarkRecord& r) { return r.code == code; });
}

namespace {

// The record of `tensor` in `records`, which are sorted by tensor; nullptr: there is none.
template <class Record>
const Record* record_of(const std::vector<Record>& records, std::size_t id) {
  const auto found = std::ranges::lower_bound(records, id, {}, &Record::tensor);
  return found != records.end() && found->tensor == id ? &*found : nullptr;
}

}  // namespace

ByteRange Snapshot::group_range(const TensorRecord& t) const {
  const GroupRecord& group = groups[t.group];
  const Address shift = group.page_shift - t.page_shift;
  const ByteRange range{group.range.begin + shift, group.range.end + shift};
  return range.begin <= range.end ? range : t.extent;
}

const ValueSummary* Snapshot::statistics_of(const TensorRecord& t) const {
  const StatisticsRecord* const found = record_of(statistics, static_cast<std::size_t>(&t - tensors.data()));
  return found != nullptr ? &found->summary : nullptr;
}

std::optional<AllocationRecord> Snapshot::allocation_of(const TensorRecord& t) const {
  if (t.allocation == kNone32) return std::nullopt;
  if (t.allocation != kOwnAllocation) return allocations[t.allocation];
  return AllocationRecord{.range = t.extent, .used_bytes = t.distinct_bytes, .source = AllocationSource::exporter};
}

std::uint64_t Snapshot::unused_bytes(const TensorRecord& t) const {
  const auto allocation = allocation_of(t);
  return allocation && allocation->used_bytes != kUnknown64 ? allocation->range.size() - allocation->used_bytes : kUnknown64;
}

const DriverDeviceRecord* Snapshot::driver_device_of(const TensorRecord& t) const {
  return record_of(driver_devices, static_cast<std::size_t>(&t - tensors.data()));
}

std::string Snapshot::dtype_name(const TensorRecord& t) const {
  return t.item_type == kNone16 ? core::dtype_name(t.dtype) : std::string(str(item_types[t.item_type].name));
}

std::string Snapshot::item_text(const TensorRecord& t, std::span<const std::byte> item) const {
  return core::item_text(*this, t, item, ItemText::shortened);
}

std::string item_text(const Snapshot& snapshot, const TensorRecord& t, std::span<const std::byte> item, ItemText length) {
  const ItemTypeRecord& type = snapshot.item_types[t.item_type];
  const std::span<const ItemFieldRecord> fields = Snapshot::slice(snapshot.item_fields, type.fields);
  const auto name_of = [&](const ItemFieldRecord& field) { return snapshot.str(field.name); };
  return fields_text(fields, name_of, item, length);
}

const TensorRecord* Snapshot::find(std::string_view name_path) const {
  for (const TensorRecord& tensor : tensors) {
    for (const TextRef ref : slice(names, tensor.names)) {
      if (str(ref) == name_path) return &tensor;
    }
  }
  return nullptr;
}

}  // namespace dlscope::core

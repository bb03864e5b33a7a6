// Snapshot: everything one scan found; immutable once published. Records are stored in pools (vectors) and refer to each other by
// index; the functions resolve these indices. References and spans they return are valid as long as the snapshot.
// thread: built by one thread, then shared as std::shared_ptr<const Snapshot>.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/inventory/record.h"

namespace dlscope::core {

struct Snapshot {
  SnapshotInfo info;
  std::vector<TensorRecord> tensors;  // index = id
  std::vector<std::int64_t> dims;
  std::vector<TextRef> names;
  std::vector<ItemTypeRecord> item_types;
  std::vector<ItemFieldRecord> item_fields;
  std::vector<FrameRecord> frames;
  std::vector<NotEnteredRecord> not_entered;
  std::vector<RefusalRecord> refusals;
  std::vector<RemarkRecord> remarks;
  std::vector<DeleterRecord> deleters;
  std::vector<SpaceRecord> spaces;  // [0] = none, [1] = host
  std::vector<GroupRecord> groups;
  std::vector<std::uint32_t> group_members;
  std::vector<TextRef> group_libraries;
  std::vector<PairRecord> pairs;                   // sorted by (a, b)
  std::vector<StatisticsRecord> statistics;        // sorted by tensor; only if requested, for tensors that could be read
  std::vector<AllocationRecord> allocations;
  std::vector<DriverDeviceRecord> driver_devices;  // sorted by tensor; for tensors whose memory the CUDA driver knows
  std::vector<EventRecord> events;
  std::vector<CopyRecord> copies;
  std::vector<LimitRecord> limits;
  std::vector<LibraryRecord> libraries;
  std::vector<DeviceRecord> devices;
  std::vector<char> text;

  [[nodiscard]] std::string_view str(TextRef ref) const { return {text.data() + ref.offset, ref.length}; }
  template <class T>
  [[nodiscard]] static std::span<const T> slice(const std::vector<T>& pool, Slice s) {
    return {pool.data() + s.first, s.count};
  }

  [[nodiscard]] std::string_view name(const TensorRecord& t) const {
    return t.names.count ? str(names[t.names.first]) : std::string_view{};
  }
  [[nodiscard]] std::span<const std::int64_t> shape(const TensorRecord& t) const { return {dims.data() + t.dims, t.rank}; }
  [[nodiscard]] std::span<const std::int64_t> stride_bits(const TensorRecord& t) const {
    return {dims.data() + t.dims + t.rank, t.rank};
  }
  [[nodiscard]] LayoutView layout(const TensorRecord& t) const { return {shape(t), stride_bits(t), t.item_bits}; }
  // Whose memory a space number means. Numbers are given in the order of the scan: across snapshots, compare this instead.
  [[nodiscard]] DeviceId device_of(SpaceId space) const { return spaces[space].device; }
  [[nodiscard]] MemoryView memory_view(const TensorRecord& t) const { return {t.address, layout(t), t.extent}; }
  // For comparing the bytes of two tensors: equal numbers are the same memory (TensorRecord::page_shift).
  [[nodiscard]] MemoryView compared_view(const TensorRecord& t) const {
    return {t.address + t.page_shift, layout(t), compared_extent(t)};
  }
  [[nodiscard]] static ByteRange compared_extent(const TensorRecord& t) {
    return {t.extent.begin + t.page_shift, t.extent.end + t.page_shift};
  }
  // The range of the tensor's group in the tensor's own addresses. Needs t.group != kNone32.
  [[nodiscard]] ByteRange group_range(const TensorRecord& t) const;
  // The dtype's name as in the report: "float32", or the name of the item type.
  [[nodiscard]] std::string dtype_name(const TensorRecord& t) const;
  [[nodiscard]] bool same_dtype(const TensorRecord& a, const TensorRecord& b) const {
    return a.dtype == b.dtype && a.item_type == b.item_type;
  }
  // The text of one element with an item type: "(1, 2.5)", "'abc'". item: its bytes.
  [[nodiscard]] std::string item_text(const TensorRecord& t, std::span<const std::byte> item) const;
  [[nodiscard]] bool has_remark(const TensorRecord& t, RemarkCode code) const;
  // t must be an element of `tensors`. nullptr: there are no statistics of it.
  [[nodiscard]] const ValueSummary* statistics_of(const TensorRecord& t) const;
  // nullopt: not known.
  [[nodiscard]] std::optional<AllocationRecord> allocation_of(const TensorRecord& t) const;
  // Bytes of the tensor's allocation that no tensor of the snapshot touches; kUnknown64: not known.
  [[nodiscard]] std::uint64_t unused_bytes(const TensorRecord& t) const;
  // t must be an element of `tensors`. nullptr: not known.
  [[nodiscard]] const DriverDeviceRecord* driver_device_of(const TensorRecord& t) const;
  // Which tensors share bytes is still being worked out: the scan's final snapshot follows, with the same revision and numbers.
  [[nodiscard]] bool sharing_not_yet() const { return info.missing_pairs == UnknownWhy::not_yet; }
  // The tensor with this name path (any of its names), or nullptr. Linear search; the UI thread uses an index instead.
  [[nodiscard]] const TensorRecord* find(std::string_view name_path) const;
};

using SnapshotPtr = std::shared_ptr<const Snapshot>;

}  // namespace dlscope::core

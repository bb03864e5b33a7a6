#include "app/models/values/not_a_time.h"

#include <cstdint>
#include <cstring>
#include <limits>

namespace dlscope::app {

const core::FieldLayout* time_field(const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  if (tensor.dtype.code != core::kItemCode || tensor.item_type == core::kNone16) return nullptr;
  const auto fields = core::Snapshot::slice(snapshot.item_fields, snapshot.item_types[tensor.item_type].fields);
  if (fields.size() != 1 || fields[0].name.length != 0) return nullptr;
  const core::FieldLayout& field = fields[0].layout;
  const bool is_time = field.kind == core::ItemKind::date || field.kind == core::ItemKind::duration;
  return is_time && field.count == 1 && field.bytes == sizeof(std::int64_t) ? &field : nullptr;
}

bool is_not_a_time(const core::FieldLayout& field, std::span<const std::byte> item) {
  std::uint64_t number = 0;
  if (field.offset + sizeof number > item.size()) return false;
  std::memcpy(&number, item.data() + field.offset, sizeof number);
  if (field.swapped) number = __builtin_bswap64(number);
  return static_cast<std::int64_t>(number) == std::numeric_limits<std::int64_t>::min();
}

const char* not_a_time_text() { return "NaT: not a time, where a date or a duration is missing"; }

}  // namespace dlscope::app

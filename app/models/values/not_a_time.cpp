#include "app/models/values/not_a_time.h"

#include <cstdint>
#include <cstring>

#include "core/inventory/single_item.h"
#include "core/tensor/not_a_time.h"
#include "core/tensor/typed_item.h"

namespace dlscope::app {

const core::FieldLayout* time_field(const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  const core::FieldLayout* const item = core::single_item(snapshot, tensor);
  return item != nullptr && core::is_time(*item) && item->bytes == sizeof(std::int64_t) ? item : nullptr;
}

bool is_not_a_time(const core::FieldLayout& field, std::span<const std::byte> item) {
  std::uint64_t number = 0;
  if (field.offset + sizeof number > item.size()) return false;
  std::memcpy(&number, item.data() + field.offset, sizeof number);
  if (field.swapped) number = __builtin_bswap64(number);
  return static_cast<std::int64_t>(number) == core::kNotATime;
}

const char* not_a_time_text() { return "NaT: not a time, where a date or a duration is missing"; }

}  // namespace dlscope::app
